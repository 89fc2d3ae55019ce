import type { Notice } from './notice';

/** A notice above the workbench, or in the sign-in form; read out as soon as it appears. */
export function NoticeBar({ notice, onClose }: { notice: Notice | null; onClose?: () => void }) {
  return (
    <div className="bo-notices" role={notice?.tone === 'error' ? 'alert' : 'status'}>
      {notice && (
        <div className={`bo-notice bo-${notice.tone}`}>
          <p>
            <strong>{notice.title}.</strong> {notice.text}
          </p>
          {onClose && (
            <button type="button" className="bo-quiet" onClick={onClose} aria-label="Dismiss this notice">
              ✕
            </button>
          )}
        </div>
      )}
    </div>
  );
}
