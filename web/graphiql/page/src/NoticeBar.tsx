import type { Notice } from './notice';
import { useWords } from './useWords';

interface Props {
  notice: Notice | null;
  onClose?: () => void;
  onSignInAgain?: () => void;
}

/** A notice above the workbench, or in the sign-in form; read out as soon as it appears. */
export function NoticeBar({ notice, onClose, onSignInAgain }: Props) {
  const say = useWords();
  return (
    <div className="bo-notices" role={notice?.tone === 'error' ? 'alert' : 'status'}>
      {notice && (
        <div className={`bo-notice bo-${notice.tone}`}>
          <p>
            <strong>{notice.title}.</strong> {notice.text}
          </p>
          {notice.signInAgain && onSignInAgain && (
            <button type="button" className="bo-secondary" onClick={onSignInAgain}>
              {say('Sign in again')}
            </button>
          )}
          {onClose && (
            <button type="button" className="bo-quiet" onClick={onClose} aria-label={say('Dismiss this notice')}>
              ✕
            </button>
          )}
        </div>
      )}
    </div>
  );
}
