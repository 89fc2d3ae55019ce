// What GraphiQL's markup lacks for those who hear the page, mended as it appears.

import { say } from './words';

/** Mends the markup of GraphiQL now and whenever it changes; the answer ends that. */
export function keepAccessible(): () => void {
  const observer = new MutationObserver(mend);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['role', 'aria-selected'] });
  mend();
  return () => observer.disconnect();
}

function mend() {
  for (const keys of document.querySelectorAll('.graphiql-dialog table.graphiql-table tbody:not(:has([data-leave]))')) tellWayOut(keys);
  // A tooltip says again what its button is called.
  for (const tooltip of document.querySelectorAll('[data-radix-popper-content-wrapper]:has(.graphiql-tooltip)')) set(tooltip, 'aria-hidden', 'true');
  for (const tabs of document.querySelectorAll('.graphiql-tabs')) mendTabs(tabs);
  for (const field of document.querySelectorAll('.graphiql-explorer-root :is(select, input[type=text]):not([aria-label])')) {
    const argument = field.closest<HTMLElement>('[data-arg-name]')?.dataset.argName;
    field.setAttribute('aria-label', argument ?? say(field.closest('form') ? 'Kind of operation to add' : 'Value'));
  }
}

// Tab writes in the editors: the dialog of short keys tells the way out, too.
function tellWayOut(keys: Element) {
  if (!keys.textContent?.includes('Ctrl')) return;
  const row = keys.appendChild(document.createElement('tr'));
  row.dataset.leave = '';
  const [key, does] = [row.appendChild(document.createElement('td')), row.appendChild(document.createElement('td'))];
  key.appendChild(document.createElement('code')).textContent = 'Ctrl-M';
  key.firstElementChild!.className = 'graphiql-key';
  does.textContent = say('Ctrl+M, then Tab, leaves it');
}

// A tab holds two buttons, one that opens it and one that closes it, and what has the role of a tab must hold none: to a
// screen reader the tabs are a list, in which one is the current one.
function mendTabs(tabs: Element) {
  set(tabs, 'role', 'list');
  for (const tab of tabs.querySelectorAll('.graphiql-tab')) {
    const open = tab.querySelector('.graphiql-tab-button');
    const selected = tab.getAttribute('aria-selected');
    if (open && selected !== null) open.setAttribute('aria-current', selected);
    tab.removeAttribute('aria-selected');
    set(tab, 'role', 'listitem');
  }
  const panel = document.getElementById('graphiql-session');
  if (panel) set(panel, 'role', 'region');
}

function set(element: Element, attribute: string, value: string) {
  if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
}
