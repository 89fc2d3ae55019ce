import { memoryStore } from './memory';

export interface Tab {
  query: string;
  variables: string;
}

interface Tabs {
  tabs: Tab[];
  active: number;
}

/**
 * What the user works on: queries, variables and tabs, for as long as the page lives. It outlives a session, so that
 * whoever signs in again finds it as it was; it holds no credentials and no answers.
 */
export class Desk {
  /** GraphiQL's own store: its tabs, its theme, which panel is open. */
  storage = memoryStore();
  private readonly given = new Set<string>();
  private kept: Tabs | null = null;
  private look: (() => Tabs) | null = null;
  private readonly followed = new Map<string, string>();

  /** Notes what the page itself put into an editor: it can be opened again, so nobody is asked before it is lost. */
  give(...texts: string[]) {
    for (const text of texts) this.given.add(text.trim());
  }

  /** Whether the user wrote something in a tab: what the page put there is its own until somebody changes it. */
  wrote({ query, variables }: Tab): boolean {
    return [query, variables].some((text) => text.trim() !== '' && !this.given.has(text.trim()));
  }

  /** While the editors are there, look tells what is in them. */
  watch(look: () => Tabs) {
    this.look = look;
  }

  /** The tabs as they are now. */
  private get now(): Tabs | null {
    return this.look ? this.look() : this.kept;
  }

  /** Puts the tabs aside before the editors go, where GraphiQL finds them when they come back. */
  keep() {
    this.kept = this.now;
    this.look = null;
    if (!this.kept) return;
    const { tabs, active } = this.kept;
    const state = {
      activeTabIndex: active,
      tabs: tabs.map((tab, i) => ({ ...tab, id: `kept-${i}`, title: '', headers: null, operationName: null, response: null })),
    };
    // GraphiQL opens the tab with what it is given as first query, and gives each tab its title when that is shown.
    for (const tab of state.tabs) tab.title = /^(?!#).*(?:query|mutation)\s+(\w+)/m.exec(tab.query)?.[1] ?? '<untitled>';
    this.storage = memoryStore(this.storage); // GraphiQL goes on writing to the other one for half a second
    this.storage.setItem('graphiql:tabState', JSON.stringify(state));
  }

  /** The tab that was open when the last session ended; null when there was none. */
  get open(): Tab | null {
    return this.kept?.tabs[this.kept.active] ?? null;
  }

  /** Notes that the address was followed: signing in again does not do it once more. */
  follow(what: 'worked' | 'saved') {
    this.followed.set(what, location.hash);
  }

  /** Whether the address is another one than was followed last. */
  isNew(what: 'worked' | 'saved'): boolean {
    return this.followed.get(what) !== location.hash;
  }

  /** How many tabs hold something that the user wrote. */
  get written(): number {
    return this.now?.tabs.filter((tab) => this.wrote(tab)).length ?? 0;
  }
}
