// Prints the places of the errors that graphql-js finds in documents: a JSON list of texts on standard input, for the
// schema in the file that is named. Each document has its errors in the order of their places.
import { readFileSync } from 'node:fs';
import { buildSchema, GraphQLError, parse, validate } from 'graphql';

const schema = buildSchema(readFileSync(process.argv[2], 'utf8'));
const errorsOf = (text) => {
  try {
    return validate(schema, parse(text));
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
};
const places = (text) => errorsOf(text).map(({ locations }) => locations.map(({ line, column }) => `${line}:${column}`).join(' ')).sort();
console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(places)));
