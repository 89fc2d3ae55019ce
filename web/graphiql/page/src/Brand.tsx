/** The mark and the name, as the page's heading. */
export function Brand() {
  return (
    <h1 className="bo-brand">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" />
        <path d="M9 8.5h8.2c3 0 4.9 1.5 4.9 4 0 1.7-.9 2.8-2.3 3.3 1.9.4 3.1 1.7 3.1 3.7 0 2.7-2 4-5.2 4H9z" />
        <path d="M9 15.9h9.4" />
      </svg>
      Backoffice <span>GraphQL</span>
    </h1>
  );
}
