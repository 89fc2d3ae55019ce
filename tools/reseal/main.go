// Command reseal turns the keys of a store of many customers while a server over it is read, searched and written,
// kills the reseal twice and lets it go on, and tells what came of it. It ends with 1 when a search failed or a number
// was wrong.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/tools/rig"
)

// run is one run.
type run struct {
	folder, binary, address string
	customers               int
	reads, searches, writes int // a second
	server                  *exec.Cmd
	clientID, clientSecret  string
	work, took              time.Duration
	peak                    int64 // kB of resident memory, of reseal
	kills                   int
	left                    []int64 // when it was killed
}

func main() {
	r := &run{}
	flag.StringVar(&r.folder, "folder", filepath.Join(os.TempDir(), "backoffice-reseal"), "where the store is made, and removed at the end; it must not exist")
	flag.StringVar(&r.address, "listen", "127.0.0.1:18098", "where the server listens")
	flag.IntVar(&r.customers, "customers", 1_000_000, "how many customers, each with a registration number")
	flag.IntVar(&r.reads, "reads", 200, "reads a second, with a number each")
	flag.IntVar(&r.searches, "searches", 50, "searches by number a second")
	flag.IntVar(&r.writes, "writes", 20, "writes a second, with a number each")
	flag.Parse()
	good, err := r.all(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, "reseal:", err)
		os.Exit(2)
	}
	if !good {
		os.Exit(1)
	}
}

func (r *run) settings() []string {
	return []string{
		"--database", "sqlite:" + filepath.Join(r.folder, "backoffice.db"), "--keyset", filepath.Join(r.folder, "keyset.json"),
		"--files", "file:" + filepath.Join(r.folder, "files"),
	}
}

func (r *run) all(ctx context.Context) (bool, error) {
	if err := os.Mkdir(r.folder, 0o700); errors.Is(err, fs.ErrExist) {
		return false, fmt.Errorf("%s is there already; name another one with -folder", r.folder)
	} else if err != nil {
		return false, err
	}
	defer os.RemoveAll(r.folder) // which this run has made
	r.binary = filepath.Join(r.folder, "backoffice")
	if err := rig.Build(r.binary); err != nil {
		return false, err
	}
	if err := r.fill(ctx); err != nil {
		return false, err
	}
	if err := r.start(); err != nil {
		return false, err
	}
	defer r.stop()
	load := newLoad(r)
	loading, end := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { load.run(loading); close(done) }()
	time.Sleep(2 * time.Second)
	err := r.turn(ctx)
	if err == nil {
		time.Sleep(2 * time.Second)
	}
	end()
	<-done
	if err != nil {
		return false, err
	}
	load.report(os.Stdout)
	fmt.Printf("reseal: killed %d times, with %v customers left; %.1f s from the first to the last, of which %.1f s of CPU; at most %.0f MB of memory\n",
		r.kills, r.left, r.took.Seconds(), r.work.Seconds(), float64(r.peak)/1024)
	fmt.Printf("%.0f customers a second\n", float64(r.customers)/r.took.Seconds())
	status, err := r.command("keys", "status").Output()
	fmt.Printf("%s", status)
	return load.good(), err
}

// numberOf is the registration number of a customer, with its check digits.
func numberOf(n int) string {
	serial := fmt.Sprintf("%02d%02d%02d%03d", n/(12*28*997)%80+10, n/(28*997)%12+1, n/997%28+1, n%997+1)
	var value int64
	_, _ = fmt.Sscan("1"+serial, &value)
	value -= 1_000_000_000
	return fmt.Sprintf("%s%02d", serial, 97-value%97)
}

func idOf(n int) string { return fmt.Sprintf("customer-%08d", n) }

// fill makes the store.
func (r *run) fill(ctx context.Context) error {
	keys, err := privacy.KeysetFile{Path: filepath.Join(r.folder, "keyset.json")}.Create()
	if err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, "sqlite:"+filepath.Join(r.folder, "backoffice.db"), sqlite.Options{StatementTimeout: time.Minute})
	if err != nil {
		return err
	}
	defer store.Close()
	if err := keys.Bind(ctx, store); err != nil {
		return err
	}
	defer keys.Release()
	const batch = 5000
	for from := 0; from < r.customers; from += batch {
		var rows []*backoffice.Customer
		for n := from; n < min(from+batch, r.customers); n++ {
			sealed, err := keys.Seal(idOf(n), backoffice.RegistrationNumber, numberOf(n))
			if err != nil {
				return err
			}
			at := backoffice.InstantOf(time.Now())
			rows = append(rows, &backoffice.Customer{
				ID: idOf(n), Type: backoffice.PrivatePerson, FirstName: "An", LastName: backoffice.Text(fmt.Sprint("Maes ", n)), DisplayName: fmt.Sprint("An Maes ", n),
				Registration: sealed, CreatedAt: at, UpdatedAt: at, Version: 1,
			})
		}
		if err := store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Insert(ctx, rows...) }); err != nil {
			return err
		}
	}
	credential, secret, err := auth.Issue(ctx, store, "reseal", backoffice.AllScopes, 0)
	if err == nil {
		r.clientID, r.clientSecret = credential.ID, secret
	}
	return err
}

func (r *run) command(arguments ...string) *exec.Cmd {
	return exec.Command(r.binary, append(arguments, r.settings()...)...)
}

// turn rotates and reseals; the first two reseals are killed.
func (r *run) turn(ctx context.Context) error {
	if out, err := r.command("keys", "rotate").CombinedOutput(); err != nil {
		return fmt.Errorf("rotating: %w\n%s", err, out)
	}
	store, err := sqlite.Open(ctx, "sqlite:"+filepath.Join(r.folder, "backoffice.db"), sqlite.Options{Readers: 1, StatementTimeout: time.Minute})
	if err != nil {
		return err
	}
	defer store.Close()
	listed, err := store.Keys(ctx)
	if err != nil || len(listed) != 2 {
		return fmt.Errorf("%d keys: %w", len(listed), err)
	}
	prefix := listed[1].Prefix
	began := time.Now()
	for part := 2; part >= 0; part-- {
		command := r.command("keys", "reseal")
		command.Stderr = os.Stderr
		if err := command.Start(); err != nil {
			return err
		}
		for part > 0 { // until so many thirds are left
			left, err := store.CountNumbersNotBy(ctx, prefix)
			if err != nil {
				return err
			}
			if left <= int64(r.customers)*int64(part)/3 {
				_ = command.Process.Kill()
				r.kills++
				r.left = append(r.left, left)
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		err := command.Wait()
		state := command.ProcessState
		r.work += state.UserTime() + state.SystemTime()
		if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
			r.peak = max(r.peak, usage.Maxrss)
		}
		if part == 0 && err != nil {
			return fmt.Errorf("resealing: %w", err)
		}
		if part > 0 { // the lease of the one that was killed
			if _, err := store.TakeLease(ctx, backoffice.Lease{Name: "keys", Holder: "reseal"}, 1<<60, ""); err != nil {
				return err
			}
			if err := store.EndLease(ctx, "keys", "reseal"); err != nil {
				return err
			}
		}
	}
	r.took = time.Since(began)
	left, err := store.CountNumbersNotBy(ctx, prefix)
	if err == nil && left > 0 {
		err = fmt.Errorf("%d are left", left)
	}
	return err
}
