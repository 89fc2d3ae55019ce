import { parse, type DocumentNode, type FieldNode, type SelectionSetNode } from 'graphql';
import { operationOf } from './operation';
import type { Question } from './service';

/** Which part of a list a query asks for. */
export interface Asked {
  rows: number;
  /** Whether it is counted from the end. */
  last: boolean;
  /** Whether it begins somewhere within the list, so that rows before it are not shown. */
  within: boolean;
}

/** What a query asks of its lists, by their paths. */
export type Sizes = ReadonlyMap<string, Asked>;

/** How many rows the service gives where a query does not say. */
const byDefault = 50;

/** Reads what a query asks of its lists; of a text that is no document, nothing. */
export function sizesOf({ query, variables, operationName }: Question): Sizes {
  const sizes = new Map<string, Asked>();
  let document: DocumentNode;
  try {
    document = parse(query);
  } catch {
    return sizes;
  }
  const operation = operationOf(document, operationName);
  const values: Record<string, unknown> = Object.fromEntries(
    (operation?.variableDefinitions ?? []).map((v) => [v.variable.name.value, v.defaultValue?.kind === 'IntValue' ? Number(v.defaultValue.value) : (v.defaultValue ?? null)]),
  );
  Object.assign(values, variables);
  const walk = (set: SelectionSetNode | undefined, path: string[]) => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === 'InlineFragment') walk(selection.selectionSet, path);
      else if (selection.kind === 'FragmentSpread') {
        const fragment = document.definitions.find((d) => d.kind === 'FragmentDefinition' && d.name.value === selection.name.value);
        if (fragment?.kind === 'FragmentDefinition') walk(fragment.selectionSet, path);
      } else if (inConnection.includes(selection.name.value)) walk(selection.selectionSet, path);
      else {
        const below = [...path, selection.alias?.value ?? selection.name.value];
        sizes.set(below.join('.'), askedOf(selection, values));
        walk(selection.selectionSet, below);
      }
    }
  };
  walk(operation?.selectionSet, []);
  return sizes;
}

const inConnection = ['nodes', 'edges', 'node'];

function askedOf(field: FieldNode, variables: Record<string, unknown>): Asked {
  const given = (name: string) => {
    const value = field.arguments?.find((argument) => argument.name.value === name)?.value;
    if (!value || value.kind === 'NullValue') return undefined;
    return value.kind === 'Variable' ? (variables[value.name.value] ?? undefined) : 'value' in value ? value.value : value;
  };
  const rows = given('first') ?? given('last') ?? given('pageSize');
  return {
    rows: rows === undefined ? byDefault : Number(rows),
    last: given('last') !== undefined,
    within: ['after', 'before', 'page'].some((name) => given(name) !== undefined),
  };
}
