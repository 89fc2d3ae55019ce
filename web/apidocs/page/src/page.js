// The page: Swagger UI over this server's OpenAPI document, with nothing that asks any other address.
// A credential pair that is typed in stays in the memory of this page and ends with it.
const noValidator = null;

// Swagger UI takes seconds longer to read OpenAPI 3.1 than 3.0, where a type is one, and may be null.
function inVersion30(text) {
  return JSON.stringify(
    JSON.parse(text, (key, value) => {
      if (key === 'openapi') return '3.0.3';
      if (value?.$ref && value.description) return { allOf: [{ $ref: value.$ref }], description: value.description };
      if (Array.isArray(value?.examples)) [value.example, value.examples] = [value.examples[0], undefined];
      if (Array.isArray(value?.type)) [value.nullable, value.type] = [value.type.includes('null'), value.type.find((type) => type !== 'null')];
      return value;
    }),
  );
}

const variables = {
  'x-client-id': '$BACKOFFICE_CLIENT_ID',
  'x-client-secret': '$BACKOFFICE_CLIENT_SECRET',
  authorization: 'Bearer $TOKEN',
};

// A request as its command is shown: with the shell's variables for what signs it. Headers get single quotes, in which
// the shell leaves variables as they are; curl's options stand as they are given.
function withVariables(request) {
  const headers = request.get('headers');
  if (!headers) return request;
  const signing = headers.keySeq().filter((name) => name.toLowerCase() in variables).toList();
  return request
    .set('headers', headers.removeAll(signing))
    .set('curlOptions', signing.map((name) => `-H "${name}: ${variables[name.toLowerCase()]}"`));
}

// Keeps what is typed in out of sight, and ends all that came of it.
const discreet = {
  wrapComponents: {
    curl: (Curl, { React }) => (props) =>
      React.createElement(Curl, { ...props, request: withVariables(props.request) }),
  },
  statePlugins: {
    auth: {
      wrapActions: {
        logout: (logout) => (names) => {
          const done = logout(names);
          globalThis.location.reload(); // the answers go, too
          return done;
        },
      },
    },
  },
};

globalThis.swaggerUI = globalThis.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  layout: 'Page',
  plugins: [globalThis.accessibleLayout, discreet],
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelRendering: 'model',
  filter: true,
  persistAuthorization: false,
  queryConfigEnabled: false,
  responseInterceptor(response) {
    if (response.url.endsWith('/openapi.json')) response.text = inVersion30(response.text);
    return response;
  },
  showMutatedRequest: false,
  syntaxHighlight: { theme: 'agate' },
  tryItOutEnabled: true,
  validatorUrl: noValidator,
});

globalThis.keepAccessible();
