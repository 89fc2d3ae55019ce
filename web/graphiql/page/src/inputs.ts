// The variables of an operation as fields of a form: what a person types, and the values in JSON that it means.
import {
  getNamedType, getNullableType, isEnumType, isInputObjectType, isListType, isNonNullType, typeFromAST,
  type GraphQLInputType, type GraphQLSchema, type OperationDefinitionNode,
} from 'graphql';

export interface Input {
  name: string;
  /** Its type as the schema writes it. */
  type: string;
  required: boolean;
  /** What a person fills in: a choice, a number, texts one a line, an object's fields, or JSON for all else. */
  kind: 'choice' | 'number' | 'text' | 'lines' | 'fields' | 'json';
  choices: string[];
  fields: Input[];
}

/** The inputs of an operation's variables. */
export function inputsOf(schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode): Input[] {
  return variableDefinitions.flatMap(({ variable, type, defaultValue }) => {
    const known = typeFromAST(schema, type as never) as GraphQLInputType | undefined;
    return known ? [inputOf(variable.name.value, known, defaultValue !== undefined, 1)] : [];
  });
}

// An object has its fields in the form, but not those of objects in it, which may have no end.
function inputOf(name: string, type: GraphQLInputType, hasDefault: boolean, deep: number): Input {
  const plain = getNullableType(type);
  const named = getNamedType(type);
  const made: Input = { name, type: String(type), required: isNonNullType(type) && !hasDefault, kind: 'json', choices: [], fields: [] };
  if (isListType(plain)) return { ...made, kind: isInputObjectType(named) || isListType(getNullableType(plain.ofType)) || isTyped(named.name) ? 'json' : 'lines' };
  if (isEnumType(named)) return { ...made, kind: 'choice', choices: named.getValues().map((value) => value.name) };
  if (named.name === 'Boolean') return { ...made, kind: 'choice', choices: ['true', 'false'] };
  if (named.name === 'Int' || named.name === 'Float') return { ...made, kind: 'number' };
  if (isInputObjectType(named) && deep > 0) {
    return { ...made, kind: 'fields', fields: Object.values(named.getFields()).map((field) => inputOf(field.name, field.type, field.defaultValue !== undefined, deep - 1)) };
  }
  return { ...made, kind: isInputObjectType(named) || named.name === 'JSON' ? 'json' : 'text' };
}

const isTyped = (scalar: string) => ['Int', 'Float', 'Boolean', 'JSON'].includes(scalar);

/** A value as its field shows it. */
export function shownOf({ kind }: Input, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (kind === 'lines' && Array.isArray(value)) return value.join('\n');
  return kind === 'json' ? JSON.stringify(value) : String(value);
}

/** What is filled in as a value; undefined for nothing. Throws for what is no JSON. */
export function valueOf({ kind, type }: Input, text: string): unknown {
  if (text === '') return undefined;
  if (kind === 'lines') return text.split('\n').filter((line) => line.trim() !== '');
  if (kind === 'number') return Number(text);
  if (kind === 'choice' && /^Boolean/.test(type)) return text === 'true';
  return kind === 'json' ? (JSON.parse(text) as unknown) : text;
}
