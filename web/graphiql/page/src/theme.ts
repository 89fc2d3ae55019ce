import type * as Monaco from 'monaco-editor';

// The contrast of 4.5:1 that small text needs, on each ground that GraphiQL puts the editors on.
const legibleOn = {
  vs: { rules: [{ token: 'number', foreground: '#086a45' }], colors: { 'editorLineNumber.dimmedForeground': '#5b6b73' } },
  'vs-dark': { rules: [{ token: 'comment', foreground: '#7fae6c' }], colors: { 'editorLineNumber.foreground': '#9aa5b5', 'editorLineNumber.dimmedForeground': '#9aa5b5' } },
};

/** Mends the themes that GraphiQL is going to define for the editor: some of their colours are too faint to read. */
export function legible({ editor }: typeof Monaco) {
  const define = editor.defineTheme;
  editor.defineTheme = (name, theme) => {
    const { rules, colors } = legibleOn[theme.base === 'vs-dark' ? 'vs-dark' : 'vs'];
    define(name, { ...theme, rules: [...theme.rules, ...rules], colors: { ...theme.colors, ...colors } });
  };
}
