package gateway

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
	"example.org/backoffice/store/ship"
	"example.org/backoffice/store/sqlite"
)

// Promotion is what a stand-by became: a server of its own store. Done answers the command that asked for it.
type Promotion struct {
	name    string   // of the promotion
	last    int64    // the number of the last entry of the change log
	missing []string // the stored files that the place lacks
	release func()   // the place
	stopped bool     // before it served
	by      *StandBy
}

// Error ends the serving of the stand-by.
func (*Promotion) Error() string { return "the stand-by was promoted" }

func (p *Promotion) String() string {
	text := fmt.Sprintf("The stand-by is promoted, after change %d, and accepts writes.", p.last)
	if p.stopped {
		text = fmt.Sprintf("The stand-by is promoted, after change %d, and was told to stop: start it again.", p.last)
	}
	return strings.Join(append([]string{text}, p.missing...), "\nNot at the place: ")
}

// Done tells the operator's command, if one waits, how it ended.
func (p *Promotion) Done(err error) {
	if err != nil {
		err = fmt.Errorf("the place is this stand-by's now: keep the server before stopped, start the stand-by again, "+
			"and promote it again if it still follows: %w", backoffice.Cause(err))
	}
	if p.by.asked() {
		p.by.answer(p.String(), err)
	}
	p.by.done()
}

// promote makes the stand-by the only holder of the place, applies the last that was shipped, and gives the place the
// name of the promotion. The server before ships no more from then on, even if it comes back.
func (b *StandBy) promote(ctx context.Context, backend *Backend) (_ *Promotion, err error) {
	began := time.Now()
	held, release, err := b.from.Place.From.Hold(context.WithoutCancel(ctx)) // which ends with the serving
	if errors.Is(err, backoffice.ErrHeld) {
		return nil, errors.New("the server that ships there still runs: stop it, then promote")
	}
	if err != nil {
		return nil, fmt.Errorf("the place cannot be taken: %w", backoffice.Cause(err))
	}
	defer func() {
		if err != nil {
			release()
		}
	}()
	if err := b.from.Next(held); err != nil {
		return nil, err
	}
	missing, err := b.files.copyLast(held)
	if err != nil {
		return nil, fmt.Errorf("the last stored files cannot be copied: %w", backoffice.Cause(err))
	}
	if _, err := b.settings.keysetOf(held, backend.Store); err != nil { // as the next start does
		return nil, err
	}
	p := &Promotion{name: backoffice.NewHistory(), last: b.from.Last(), missing: missing, release: release, by: b}
	if err := b.from.Place.Promote(held, p.name); err != nil {
		return nil, fmt.Errorf("the place cannot be taken: %w", backoffice.Cause(err))
	}
	b.log.WarnContext(ctx, "the stand-by is promoted", "change", p.last,
		"milliseconds", time.Since(began).Milliseconds())
	return p, nil
}

// takeOver makes the database a store of its own, after nobody has it open. Then it releases the place: the server that
// opens the database next holds it.
func (b *StandBy) takeOver(ctx context.Context, p *Promotion) error {
	defer p.release()
	err := b.settings.detach(ctx, b.from.Path, p.name)
	if err != nil {
		p.Done(err)
	}
	return err
}

// detach makes a stand-by's database a store of its own, as a restore does.
func (s *Settings) detach(ctx context.Context, path, promotion string) error {
	store, err := sqlite.Open(ctx, s.Database, sqlite.Options{Readers: 1, Promote: true})
	if err != nil {
		return err
	}
	now := backoffice.InstantOf(time.Now())
	keys, err := s.keysetOf(ctx, store)
	if err == nil {
		err = keys.EnterRestore(ctx, store)
	}
	if err == nil {
		err = store.RenewHistory(ctx, "", "promote", now)
	}
	if err == nil {
		err = backoffice.NoteDone(ctx, store, backoffice.DonePromotion, promotion, now)
	}
	if err = errors.Join(err, store.Close()); err == nil {
		err = sqlite.Detach(ctx, path) // from here on it is no stand-by's
	}
	return err
}

func (s *Settings) keysetOf(ctx context.Context, store backoffice.KeyStore) (*privacy.Keyset, error) {
	keys, err := s.openKeyset()
	if err == nil {
		err = keys.Fits(ctx, store)
	}
	return keys, err
}

// answer writes the answer for the command, whole or not at all.
func (b *StandBy) answer(text string, err error) {
	_, _ = os.Remove(b.request()), os.Remove(b.taken())
	if err != nil {
		text = refusedMark + backoffice.Cause(err).Error()
	}
	part := b.told() + ".part"
	if err = os.WriteFile(part, []byte(text), 0o600); err == nil {
		err = os.Rename(part, b.told())
	}
	if err != nil {
		b.log.Error("the command that asked to promote cannot be answered", "cause", err)
	}
}

const (
	refusedMark = "refused: "
	answerPoll  = 20 * time.Millisecond
	takeTime    = 5 * time.Second // in which a stand-by that runs takes a request, and renews it
)

// Promote asks the stand-by that runs on this machine to become the server that writes, and waits until it is. With
// placeLost it makes the store of one that was stopped, which no place fences.
func (s *Settings) Promote(ctx context.Context, placeLost bool) (string, error) {
	path, err := sqlite.Path(s.Database)
	if err != nil {
		return "", errors.New("only a stand-by with an embedded store is promoted")
	}
	if err := s.mustExist(); err != nil {
		return "", err
	}
	is, err := sqlite.IsStandBy(ctx, path)
	if err == nil && !is {
		err = fmt.Errorf("the database %s is not a stand-by's", path)
	}
	if err != nil {
		return "", err
	}
	b := &StandBy{from: &ship.StandBy{Path: path}}
	b.forgetRequest()
	if err := os.WriteFile(b.request(), nil, 0o600); err != nil {
		return "", err
	}
	defer b.forgetRequest()
	taken := false
	for patience := time.Now().Add(takeTime); ; {
		text, err := os.ReadFile(b.told())
		if why, refused := strings.CutPrefix(string(text), refusedMark); err == nil && refused {
			return "", errors.New(why)
		} else if err == nil {
			return string(text), nil
		}
		if info, err := os.Stat(b.taken()); err == nil && time.Since(info.ModTime()) < takeTime {
			taken, patience = true, time.Now().Add(takeTime)
		}
		if time.Now().After(patience) {
			switch {
			case taken:
				return "", errors.New("the stand-by stopped before it answered: start it; if it still follows, " +
					"promote it again")
			case placeLost:
				return s.promoteStopped(ctx, path)
			}
			return "", errors.New("no stand-by runs on this database, or it has not begun yet: start it with " +
				"backoffice stand-by, then promote; if the place is lost too, add --place-lost")
		}
		if err := backoffice.Sleep(ctx, answerPoll); err != nil {
			return "", err
		}
	}
}

func (s *Settings) promoteStopped(ctx context.Context, path string) (string, error) {
	if used, err := sqlite.InUse(path); used || err != nil {
		return "", errors.Join(errors.New("nothing was promoted: stop the stand-by first"), err)
	}
	at, err := sqlite.StateOf(ctx, path)
	if err == nil {
		err = s.detach(ctx, path, backoffice.NewHistory())
	}
	return fmt.Sprintf("The stand-by is promoted, after change %d. Serve it, and ship to another place.", at.Last), err
}
