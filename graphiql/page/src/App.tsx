import { lazy, Suspense, useState } from 'react';
import type { Pair, Viewer } from './service';
import { SignIn } from './SignIn';

// The workbench is most of the page. It is fetched while the user signs in, and asks the service nothing until then.
const workbench = import('./Workbench');
const Workbench = lazy(() => workbench);

/** Who is signed in. Kept in memory alone: a reload ends it, and signing out is a reload. */
export interface Session {
  pair: Pair;
  viewer: Viewer;
}

export function App() {
  const [session, setSession] = useState<Session | null>(null);
  if (!session) return <SignIn onSignIn={setSession} />;
  return (
    <Suspense fallback={<p className="bo-loading">Opening…</p>}>
      <Workbench session={session} />
    </Suspense>
  );
}
