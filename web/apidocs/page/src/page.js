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

globalThis.swaggerUI = globalThis.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  layout: 'Page',
  plugins: [globalThis.accessibleLayout],
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
