import { useEffect, useState, type ComponentType } from 'react';
import { Desk } from './desk';
import type { Credentials, Viewer } from './service';
import { SignIn } from './SignIn';
import { useWords } from './useWords';

/** Who is signed in. Kept in memory alone: signing out or a reload ends it. */
export interface Session {
  credentials: Credentials;
  viewer: Viewer;
}

type Workbench = ComponentType<{ session: Session; desk: Desk; onSignOut: () => void }>;

// The workbench is most of the page. It is fetched from the first moment (index.html names it) and started once the
// sign-in form is there, while the user fills it in. It asks the service nothing until then.
async function start() {
  const workbench = await import('./Workbench');
  // GraphiQL asks for the editor only when it is mounted; by then it should be here.
  void import('monaco-graphql/esm/monaco-editor.js').then(workbench.legible);
  void import('monaco-graphql/esm/lite.js');
  return workbench.default;
}

export function App() {
  const say = useWords();
  const [session, setSession] = useState<Session | null>(null);
  const [desk, setDesk] = useState(() => new Desk());
  // Held here and not in lazy and Suspense: those keep their fallback for 300 ms, even with all of it there.
  const [Workbench, setWorkbench] = useState<Workbench | null>(null);
  useEffect(() => void start().then((started) => setWorkbench(() => started)), []);
  useEffect(() => {
    const askFirst = (event: BeforeUnloadEvent) => {
      if (desk.written > 0) event.preventDefault();
    };
    window.addEventListener('beforeunload', askFirst);
    return () => window.removeEventListener('beforeunload', askFirst);
  }, [desk]);

  if (!session) return <SignIn written={desk.written} onDiscard={() => setDesk(new Desk())} onSignIn={setSession} />;
  if (!Workbench) return <p className="bo-loading">{say('Opening…')}</p>;
  const signOut = () => {
    session.credentials.person?.signOut();
    desk.keep();
    setSession(null);
  };
  return <Workbench session={session} desk={desk} onSignOut={signOut} />;
}
