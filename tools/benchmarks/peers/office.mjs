// Resolvers and loaders of the peers that are written by hand on graphql-js: one DataLoader per relation, prepared
// statements, lists of all parents in one statement.
import { readFileSync } from "node:fs";
import DataLoader from "dataloader";
import pg from "pg";

export const typeDefs = readFileSync(new URL("./schema.graphqls", import.meta.url), "utf8");

pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export function connect(url, connections) {
  return new pg.Pool({ connectionString: url, max: connections });
}

const customer = "id, own_name AS name, email, updated_at, responsible_id";
const texts = {
  customers: `SELECT ${customer} FROM customers WHERE id = ANY($1::text[])`,
  users: 'SELECT id, first_name AS "firstName", last_name AS "lastName" FROM users WHERE id = ANY($1::text[])',
  checklists: "SELECT id, name FROM checklists WHERE id = ANY($1::text[])",
  years: 'SELECT id, start_date AS "startDate" FROM financial_years WHERE id = ANY($1::text[])',
  relations: `SELECT p.id AS parent, r.* FROM unnest($1::text[]) p(id) CROSS JOIN LATERAL
    (SELECT id, kind, related_customer_id FROM relations WHERE customer_id = p.id ORDER BY id LIMIT $2) r`,
  transcripts: `SELECT p.id AS parent, t.* FROM unnest($1::text[]) p(id) CROSS JOIN LATERAL
    (SELECT id, status, checklist_id, financial_year_id FROM transcripts WHERE customer_id = p.id ORDER BY id LIMIT $2) t`,
  first: `SELECT ${customer} FROM customers ORDER BY id LIMIT $1`,
  count: "SELECT count(*) AS count FROM customers",
};

export function contextOf(pool) {
  const query = async (name, values) => (await pool.query({ name, text: texts[name], values })).rows;
  const byId = (name) =>
    new DataLoader(async (ids) => {
      const found = new Map((await query(name, [ids])).map((row) => [row.id, row]));
      return ids.map((id) => found.get(id) ?? null);
    });
  const byParent = (name) => {
    const loaders = new Map();
    return (parent, first) => {
      let loader = loaders.get(first);
      if (!loader) {
        loader = new DataLoader(async (ids) => {
          const found = new Map(ids.map((id) => [id, []]));
          for (const row of await query(name, [ids, first])) found.get(row.parent).push(row);
          return ids.map((id) => found.get(id));
        });
        loaders.set(first, loader);
      }
      return loader.load(parent);
    };
  };
  return {
    query,
    customers: byId("customers"),
    users: byId("users"),
    checklists: byId("checklists"),
    years: byId("years"),
    relations: byParent("relations"),
    transcripts: byParent("transcripts"),
  };
}

export const resolvers = {
  Query: {
    customers: async (_, { first }, { query }) => ({ nodes: await query("first", [first]) }),
    customer: (_, { id }, { customers }) => customers.load(id),
  },
  CustomerConnection: {
    totalCount: async (_, __, { query }) => (await query("count", []))[0].count,
  },
  Customer: {
    updatedAt: ({ updated_at }) => new Date(updated_at).toISOString(),
    responsible: ({ responsible_id }, _, { users }) => (responsible_id ? users.load(responsible_id) : null),
    relations: async ({ id }, { first }, { relations }) => ({ nodes: await relations(id, first) }),
    transcripts: async ({ id }, { first }, { transcripts }) => ({ nodes: await transcripts(id, first) }),
  },
  Relation: {
    relatedCustomer: ({ related_customer_id }, _, { customers }) => customers.load(related_customer_id),
  },
  Transcript: {
    checklist: ({ checklist_id }, _, { checklists }) => checklists.load(checklist_id),
    financialYear: ({ financial_year_id }, _, { years }) => years.load(financial_year_id),
  },
};
