package importexport

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"example.org/backoffice/backoffice"
)

const (
	LeaseName  = "import"        // of the import or pull that runs
	leaseLife  = 2 * time.Minute // after it, a silent import on another machine counts as dead
	leaseRenew = leaseLife / 6
	leasePoll  = 200 * time.Millisecond
)

// Running is another import that this one waits for.
type Running struct {
	Host    string
	Process int
	Since   time.Time
	start   string // of the process: another may have got its number
}

func (r Running) String() string {
	return fmt.Sprintf("process %d on %s, since %s", r.Process, r.Host, r.Since.UTC().Format(time.RFC3339))
}

// thisStart tells this process from an earlier one with the same host and number, as in a container.
var (
	thisStart = backoffice.NewID()
	holders   atomic.Int64
)

// holder names an import in the lease: host, process, start of the process, and a number.
func holder() string {
	host, err := os.Hostname()
	if err != nil || host == "" || strings.ContainsAny(host, " \n") {
		host = "unknown"
	}
	return host + " " + strconv.Itoa(os.Getpid()) + " " + thisStart + " " + strconv.FormatInt(holders.Add(1), 10)
}

func runningOf(lease *backoffice.Lease) Running {
	parts := strings.Split(lease.Holder, " ")
	r := Running{Since: lease.Since.Time()}
	if len(parts) == 4 {
		r.Host, r.start = parts[0], parts[2]
		r.Process, _ = strconv.Atoi(parts[1])
	}
	return r
}

// isGone reports whether an import on this machine ended without releasing its lease.
func (r Running) isGone() bool {
	if host, err := os.Hostname(); err != nil || r.Host != host || r.Process <= 0 {
		return false
	}
	if r.Process == os.Getpid() {
		return r.start != thisStart
	}
	process, err := os.FindProcess(r.Process)
	if err != nil {
		return true
	}
	err = process.Signal(syscall.Signal(0))
	_ = process.Release()
	return err != nil && !os.IsPermission(err)
}

// turn waits until no other import runs, and makes others wait until end is called. Correctness does not depend on it:
// two imports that run at once, as after a clock change, are only slower.
func (i *Importer) turn(ctx context.Context) (end func(), err error) {
	mine := backoffice.Lease{Name: LeaseName, Holder: holder(), Since: backoffice.InstantOf(time.Now())}
	for told := ""; ; {
		taken, other, err := i.take(ctx, mine)
		switch {
		case err != nil:
			return nil, err
		case taken:
			return i.hold(ctx, mine), nil
		case other != nil && other.Holder != told && i.Waiting != nil:
			told = other.Holder
			i.Waiting(runningOf(other))
		}
		if err := backoffice.Sleep(ctx, leasePoll); err != nil {
			return nil, err
		}
	}
}

// take takes the lease if it is free. It writes only when it may succeed.
func (i *Importer) take(ctx context.Context, mine backoffice.Lease) (taken bool, other *backoffice.Lease, err error) {
	other, err = i.Store.Lease(ctx, LeaseName)
	if err != nil {
		return false, nil, err
	}
	now, gone := time.Now(), ""
	if other != nil && other.Holder != mine.Holder && !other.Expired(backoffice.InstantOf(now)) {
		if !runningOf(other).isGone() {
			return false, other, nil
		}
		gone = other.Holder
	}
	mine.Until = backoffice.InstantOf(now.Add(leaseLife))
	taken, err = i.Store.TakeLease(ctx, mine, backoffice.InstantOf(now), gone)
	return taken, other, err
}

// hold renews the lease until end is called.
func (i *Importer) hold(ctx context.Context, mine backoffice.Lease) (end func()) {
	holding, stop := context.WithCancel(ctx)
	var held sync.WaitGroup
	held.Go(func() {
		backoffice.Every(holding, leaseRenew, func() {
			_, _, _ = i.take(holding, mine) // without the lease it continues, which is safe
		})
	})
	return func() {
		stop()
		held.Wait()
		_ = i.Store.EndLease(ctx, LeaseName, mine.Holder) // if that fails, it expires
	}
}
