import { createContext, useContext } from 'react';
import type { Session } from './App';
import type { Desk } from './desk';
import type { Notice } from './notice';
import { nothingSeen, type Seen } from './Watch';

/** What the parts of the workbench that GraphiQL renders need of the frame around it. */
export interface Frame {
  session: Session;
  desk: Desk;
  /** The editor to go to: set once it is there. */
  editor: { focus: () => void } | null;
  say: (notice: Notice | null) => void;
  forget: () => void;
  /** Counts what was opened in the editors: a look-up that something else overtook opens nothing. */
  opened: number;
  /** The tab that is open: set once it is there. */
  tab: string | undefined;
}

/** What the editors hold, for those who go on with it. */
export const SeenContext = createContext<Seen>(nothingSeen);

export const FrameContext = createContext<Frame | null>(null);

export function useFrame(): Frame {
  const frame = useContext(FrameContext);
  if (!frame) throw new Error('useFrame is for what the workbench renders');
  return frame;
}
