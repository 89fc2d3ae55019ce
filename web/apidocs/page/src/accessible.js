// What Swagger UI's markup lacks for those who hear the page or see little of it, mended by a layout of our own and, where
// that can't reach, in the page as it appears.

/** Swagger UI's BaseLayout, all of it within the page's one main landmark. */
globalThis.accessibleLayout = ({ React }) => ({
  components: {
    Page: ({ getComponent, specSelectors, errSelectors }) => {
      const h = React.createElement;
      const of = (name, ...more) => h(getComponent(name, ...more));
      const loaded = specSelectors.specStr() && specSelectors.loadingStatus() === 'success';
      const errors = errSelectors.lastError();
      if (!loaded) return h('main', { className: 'swagger-ui wrapper' }, errors ? 'The description could not be loaded.' : 'Loading…');
      return h(
        'main',
        { className: 'swagger-ui' },
        of('errors', true),
        h('div', { className: 'information-container wrapper' }, of('InfoContainer', true)),
        h('div', { className: 'scheme-container' }, h('div', { className: 'schemes wrapper' }, of('AuthorizeBtnContainer', true))),
        of('FilterContainer', true),
        h('div', { className: 'wrapper' }, of('operations', true)),
        h('div', { className: 'wrapper' }, of('Models', true)),
      );
    },
  },
});

/** Mends the markup now and whenever it changes. */
globalThis.keepAccessible = () => {
  new MutationObserver(mend).observe(document.getElementById('docs'), { childList: true, subtree: true });
  mend();
};

function mend() {
  each('.opblock-tag', (tag) => level(tag, 2));
  each('.opblock-section-header h4, .responses-inner > h4, .responses-inner > div > h4, .responses-inner h5', (h) => level(h, 3));
  each('.models > h4', (heading) => level(heading, 2));
  each('.modal-ux-header h3', (heading) => level(heading, 2));
  each('.auth-container h4, .auth-container h6, .auth-container h2', (heading) => level(heading, 3));
  each('.modal-ux .close-modal', (button) => button.setAttribute('aria-label', 'Close'));
  // The client id alone is no secret.
  each('.auth-container input[type=text]', (field) => {
    if (!field.closest('.auth-container').textContent.includes('x-client-id')) field.type = 'password';
    field.autocomplete = 'off';
  });
  // A button whose name lacks what is written on it can't be spoken to.
  each('.auth-btn-wrapper .btn[aria-label]', (button) => {
    const [written, name] = [button.textContent.trim(), button.getAttribute('aria-label')];
    if (!name.includes(written)) button.setAttribute('aria-label', `${written}: ${name}`);
  });
  // The link is within a button, which opens the operation and puts it in the address all the same.
  each('.opblock-summary-control a[href]', (link) => link.removeAttribute('href'));
  each('.responses-table[role]', (table) => table.removeAttribute('role'));
  each('pre.microlight, .opblock-description, .model-box, .response-col_description__inner pre', (region) => (region.tabIndex = 0));
  each('.parameters :is(select, input, textarea):not([aria-label])', (field) => {
    field.setAttribute('aria-label', field.closest('[data-param-name]')?.dataset.paramName ?? 'Value');
  });
  each('.opblock-section-request-body :is(select, textarea, input):not([aria-label], [id])', (field) => {
    field.setAttribute('aria-label', field.tagName === 'SELECT' ? 'Media type of the request body' : 'Request body');
  });
  each('.responses-wrapper select:not([aria-label], [id])', (field) => field.setAttribute('aria-label', 'Media type of the answer'));
}

function each(selector, change) {
  for (const element of document.querySelectorAll(selector)) change(element);
}

function level(heading, wanted) {
  const value = String(wanted);
  if (heading.getAttribute('aria-level') === value) return;
  heading.setAttribute('role', 'heading');
  heading.setAttribute('aria-level', value);
}
