import { tryParseJSONC } from '@graphiql/react';
import {
  getNamedType, getNullableType, getVariableValues, isCompositeType, isListType, isObjectType, NoUnusedVariablesRule, parse, validate,
  valueFromASTUntyped,
  type ArgumentNode, type DocumentNode, type GraphQLCompositeType, type GraphQLObjectType, type GraphQLSchema, type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Question } from './service';
import type { Sentence } from './words';

/** The operation that a document is run for: the one of that name, else the first with a name, else the first. */
export function operationOf(document: DocumentNode, operationName?: string | null): OperationDefinitionNode | undefined {
  const operations = document.definitions.filter((d) => d.kind === 'OperationDefinition');
  return operations.find((d) => d.name && d.name.value === operationName) ?? operations.find((d) => d.name) ?? operations[0];
}

/** A query that is whole, checked by the schema as the service will. */
export interface Whole {
  question: Question & { operationName?: string };
  document: DocumentNode;
  operation: OperationDefinitionNode;
  /** Whether its variables have the values that they need. */
  ready: boolean;
}

/** What is in the editors, or null while it is half typed: no document, or not of this schema. */
export function wholeOf(schema: GraphQLSchema, query: string, variables: string, operationName?: string | null): Whole | null {
  try {
    const document = parse(query);
    const operation = operationOf(document, operationName);
    if (!operation || validate(schema, document, undefined, { maxErrors: 1 }).length > 0) return null;
    const values = variablesOf(variables);
    const ready = values !== null && !getVariableValues(schema, operation.variableDefinitions ?? [], values, { maxErrors: 1 }).errors;
    return { question: { query, variables: values ?? {}, operationName: operation.name?.value }, document, operation, ready };
  } catch {
    return null;
  }
}

/** The variables in a text, which may have comments, as GraphiQL reads it; null for what is no JSON. */
export function variablesOf(text: string): Record<string, unknown> | null {
  try {
    return tryParseJSONC(text) ?? {};
  } catch {
    return null;
  }
}

/** What of an operation can be exported: the one list at its root, and the lists inside its rows, by their paths. */
export interface Exportable {
  list: string;
  /** Those with several fields: a table can have rows of one of them. */
  wide: string[];
  /** Those of one scalar, which are joined in a table's cell. */
  joined: string[];
  /**
   * The question for all rows, and how many the query's first asks for, which is null where only its after leaves rows
   * out; null when it asks for all.
   */
  part: { first: number | null; all: Whole['question'] } | null;
}

/** Why an operation cannot be exported, in words, or what of it can. The service has the last word. */
export function exportableOf(schema: GraphQLSchema, whole: Whole): Exportable | Sentence {
  const { document, operation, ready } = whole;
  if (!ready) return 'Its variables need values first.';
  if (operation.operation !== 'query') return 'Only a query can be exported.';
  const roots = fieldsOf(schema, document, operation.selectionSet, schema.getQueryType()!);
  const [root] = roots;
  if (roots.length !== 1 || !root || !isConnection(root.type)) {
    return 'An export is one list with edges or nodes, at the root of the query, and nothing beside it.';
  }
  const given = ({ value }: ArgumentNode) => valueFromASTUntyped(value, whole.question.variables as Record<string, unknown>) != null;
  if (root.arguments.some((argument) => ['last', 'before', 'page', 'pageSize'].includes(argument.name.value) && given(argument))) {
    return 'An export is forward only: its list takes first and after.';
  }
  const lists = listsIn(schema, document, rowsOf(schema, document, root), '');
  const paths = (wide: boolean) => [...new Set(lists.filter((list) => list.wide === wide).map(({ path }) => path))];
  return { list: root.name, part: partOf(schema, root.arguments, whole), wide: paths(true), joined: paths(false) };
}

// A null is no bound. It takes the place of first's and after's values in the text; a variable that nothing else uses
// has it as value.
function partOf(schema: GraphQLSchema, given: readonly ArgumentNode[], whole: Whole): Exportable['part'] {
  const definitions = whole.operation.variableDefinitions ?? [];
  const values = getVariableValues(schema, definitions, whole.question.variables as Record<string, unknown>).coerced;
  const part: NonNullable<Exportable['part']> = { first: null, all: whole.question };
  const bounds = given
    .filter(({ name }) => name.value === 'first' || name.value === 'after')
    .filter(({ value }) => valueFromASTUntyped(value, values) != null);
  // From the end of the text: what is before stays in its place.
  for (const { name, value } of bounds.toSorted((a, b) => b.loc!.start - a.loc!.start)) {
    const { query, variables } = part.all;
    if (name.value === 'first') part.first = Number(valueFromASTUntyped(value, values));
    const without = `${query.slice(0, value.loc!.start)}null${query.slice(value.loc!.end)}`;
    if (value.kind !== 'Variable' || validate(schema, parse(without), [NoUnusedVariablesRule]).length === 0) {
      part.all = { ...part.all, query: without };
      continue;
    }
    const variable = definitions.find((d) => d.variable.name.value === value.name.value);
    if (variable?.type.kind === 'NonNullType') return null;
    part.all = { ...part.all, variables: { ...(variables as object), [value.name.value]: null } };
  }
  return bounds.length > 0 ? part : null;
}

interface Field {
  name: string; // as the answer has it
  field: string; // as the schema has it
  type: GraphQLCompositeType | null;
  list: boolean;
  set: SelectionSetNode | undefined;
  arguments: readonly ArgumentNode[];
}

// The fields that a selection has, those of fragments with it. What @skip leaves out counts, too: the service knows better.
function fieldsOf(schema: GraphQLSchema, document: DocumentNode, set: SelectionSetNode | undefined, of: GraphQLCompositeType): Field[] {
  return (set?.selections ?? []).flatMap((selection): Field[] => {
    if (selection.kind === 'FragmentSpread') {
      const fragment = document.definitions.find((d) => d.kind === 'FragmentDefinition' && d.name.value === selection.name.value);
      if (fragment?.kind !== 'FragmentDefinition') return [];
      return fieldsOf(schema, document, fragment.selectionSet, typeOf(schema, fragment.typeCondition.name.value) ?? of);
    }
    if (selection.kind === 'InlineFragment') {
      const condition = selection.typeCondition && typeOf(schema, selection.typeCondition.name.value);
      return fieldsOf(schema, document, selection.selectionSet, condition ?? of);
    }
    const field = 'getFields' in of ? of.getFields()[selection.name.value] : undefined;
    const named = field && getNamedType(field.type);
    return [{
      name: selection.alias?.value ?? selection.name.value,
      field: selection.name.value,
      type: isCompositeType(named) ? named : null,
      list: field !== undefined && isListType(getNullableType(field.type)),
      set: selection.selectionSet,
      arguments: selection.arguments ?? [],
    }];
  });
}

function typeOf(schema: GraphQLSchema, name: string): GraphQLCompositeType | null {
  const type = schema.getType(name);
  return isCompositeType(type) ? type : null;
}

function isConnection(type: GraphQLCompositeType | null): type is GraphQLObjectType {
  return isObjectType(type) && type.name.endsWith('Connection') && 'edges' in type.getFields();
}

// What the rows of a connection select, without the connection and its edges.
function rowsOf(schema: GraphQLSchema, document: DocumentNode, connection: Field): Field[] {
  return fieldsOf(schema, document, connection.set, connection.type!)
    .filter(({ field }) => field === 'edges' || field === 'nodes')
    .flatMap((rows) => {
      const selected = fieldsOf(schema, document, rows.set, rows.type!);
      if (rows.field === 'nodes') return selected;
      const node = selected.filter(({ field }) => field === 'node');
      return [...selected.filter(({ field }) => field !== 'node'), ...node.flatMap((n) => fieldsOf(schema, document, n.set, n.type!))];
    });
}

// The lists among fields, by the names that lead there without those of connections and edges.
function listsIn(schema: GraphQLSchema, document: DocumentNode, fields: Field[], prefix: string): { path: string; wide: boolean }[] {
  return fields.flatMap((f) => {
    if (!f.type) return [];
    const path = prefix + f.name;
    const isList = f.list || isConnection(f.type);
    const of = isConnection(f.type) ? rowsOf(schema, document, f) : fieldsOf(schema, document, f.set, f.type);
    if (isList && isConnection(f.type) && of.length === 0) return []; // its total alone
    const below = listsIn(schema, document, of, `${path}.`);
    return isList ? [{ path, wide: scalarsOf(schema, document, of) !== 1 }, ...below] : below;
  });
}

// How many scalars fields have, those of objects with them; many where there is a list.
function scalarsOf(schema: GraphQLSchema, document: DocumentNode, fields: Field[]): number {
  const each = new Map(fields.map((f) => [f.name, f.list || isConnection(f.type) ? Infinity : f.type ? scalarsOf(schema, document, fieldsOf(schema, document, f.set, f.type)) : 1]));
  return [...each.values()].reduce((all, n) => all + n, 0);
}
