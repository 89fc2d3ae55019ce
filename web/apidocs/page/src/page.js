// The page: Swagger UI over this server's OpenAPI document, with nothing that asks any other address.
// A credential pair that is typed in stays in the memory of this page and ends with it.
const noValidator = null;

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
  showMutatedRequest: false,
  syntaxHighlight: { theme: 'agate' },
  tryItOutEnabled: true,
  validatorUrl: noValidator,
});

globalThis.keepAccessible();
