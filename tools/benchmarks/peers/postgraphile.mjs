// PostGraphile over the store's tables, with its own naming; the documents of the benchmark use aliases.
import { createServer } from "node:http";
import { grafserv } from "postgraphile/grafserv/node";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { options, serve } from "./cluster.mjs";

serve(Number(options.workers), async () => {
  const instance = postgraphile({
    extends: [PostGraphileAmberPreset],
    pgServices: [
      makePgService({
        connectionString: options.database,
        schemas: ["public"],
        poolConfig: { max: Number(options.connections) },
      }),
    ],
    grafserv: { graphqlPath: "/graphql", graphiql: false, watch: false },
    grafast: { explain: false },
  });
  const serv = instance.createServ(grafserv);
  const server = createServer();
  server.on("error", (error) => {
    throw error;
  });
  await serv.addTo(server);
  server.listen(Number(options.port), "127.0.0.1");
});
