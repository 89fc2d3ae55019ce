package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkPullProgram prints how many records a second the program pulls into an empty store from another one that
// serves on this machine, the most memory of it that was resident, and how long a second pull takes that has nothing
// to do, and with how many requests: by walks, as from any origin, and by the change feed, by go test -run - -bench
// PullProgram -benchtime 1x ./cli.
func BenchmarkPullProgram(b *testing.B) {
	const customers = 100_000
	folder := b.TempDir()
	var lines strings.Builder
	for i := range customers {
		fmt.Fprintf(&lines, `{"_id":"c-%06d","type":"Company","name":"Klant %d","customerCode":"K-%d","addressFields":{"street":"Kerkstraat","houseNumber":"%d","postalCode":"9000","city":"Gent"},"language":"dutch","email":"klant%d@example.be","scopes":["checklist"]}`+"\n", i, i, i, i%200, i)
	}
	if err := os.WriteFile(filepath.Join(folder, "customers.ndjson"), []byte(lines.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	_, _, pull := origin(b, folder)
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	run := func(s *shell) (took time.Duration, residentMB float64, requests int) {
		command := exec.Command(self, append(s.settings(), pull...)...)
		command.Env = append(os.Environ(), "TEST_BACKOFFICE_PROGRAM=1")
		var out bytes.Buffer
		command.Stdout, command.Stderr = &out, &out
		began := time.Now()
		if err := command.Start(); err != nil {
			b.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- command.Wait() }()
		for running := true; running; {
			select {
			case err = <-ended:
				running = false
			case <-time.After(20 * time.Millisecond): // what wait tells of an ended process has the memory of this one in it
				residentMB = max(residentMB, peakOf(command.Process.Pid))
			}
		}
		took = time.Since(began)
		told := regexp.MustCompile(`requests: (\d+)`).FindSubmatch(out.Bytes())
		if err != nil || told == nil {
			b.Fatalf("%v: %s", err, out.Bytes())
		}
		requests, _ = strconv.Atoi(string(told[1]))
		return took, residentMB, requests
	}
	for b.Loop() { // each with a store of its own
		s := newShell(b)
		first, resident, _ := run(s)
		second, again, requests := run(s)
		b.ReportMetric(customers/first.Seconds(), "records/s")
		b.ReportMetric(max(resident, again), "resident-MB")
		b.ReportMetric(second.Seconds(), "second-s")
		b.ReportMetric(float64(requests), "second-requests")
	}
}

// peakOf is the most memory of a process that was resident so far, in MB; 0 where the system does not tell.
func peakOf(process int) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
	if err != nil {
		return 0
	}
	if told := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status); told != nil {
		kB, _ := strconv.ParseFloat(string(told[1]), 64)
		return kB / 1024
	}
	return 0
}
