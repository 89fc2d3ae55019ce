// Command slowest shows what `go test -json` says on its standard input as go test itself would, and then the tests that
// took longest. It fails when a package did, or did not end.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

const shown = 10

// event is one line of the input, as `go doc test2json` and `go help buildjson` have it.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// spent is how long a test took, without its wait for its turn.
type spent struct {
	what    string
	seconds float64
}

func main() {
	passed, err := show(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if !passed || err != nil {
		os.Exit(1)
	}
}

// verdict is where a package's last line is kept among what its tests wrote.
const verdict = "\n"

// show reports whether every package passed. What a test wrote is shown when it failed or did not end.
func show(from io.Reader, to io.Writer) (passed bool, err error) {
	failed, packages := 0, 0
	var all []spent
	written := map[string]map[string]string{} // by package and test; "" for what is of no test
	lines := bufio.NewReader(from)
	for err == nil {
		var line []byte
		line, err = lines.ReadBytes('\n')
		var e event
		if len(line) == 0 || json.Unmarshal(line, &e) != nil {
			fmt.Fprintf(to, "%s", line) // of go itself
			continue
		}
		if e.Package == "" {
			fmt.Fprint(to, e.Output) // of a build
			continue
		}
		if written[e.Package] == nil {
			written[e.Package] = map[string]string{}
		}
		of, ended := written[e.Package], e.Action == "pass" || e.Action == "skip" || e.Action == "fail"
		switch {
		case e.Action == "output" && e.Test == "" && isVerdict.MatchString(e.Output):
			of[verdict] = e.Output
		case e.Action == "output":
			of[e.Test] += e.Output
		case ended && e.Test == "":
			packages++
			if e.Action == "fail" {
				failed++
				for _, test := range slices.Sorted(maps.Keys(of)) {
					if test != verdict {
						fmt.Fprint(to, of[test])
					}
				}
			}
			fmt.Fprint(to, of[verdict])
			delete(written, e.Package)
		case ended:
			if e.Action != "fail" {
				delete(of, e.Test)
			}
			if !strings.Contains(e.Test, "/") {
				all = append(all, spent{e.Package + " " + e.Test, e.Elapsed})
			}
		}
	}
	if !errors.Is(err, io.EOF) {
		return false, err
	}
	for _, name := range slices.Sorted(maps.Keys(written)) { // go test was killed
		for _, test := range slices.Sorted(maps.Keys(written[name])) {
			fmt.Fprint(to, written[name][test])
		}
		fmt.Fprintf(to, "FAIL\t%s did not end\n", name)
	}
	slices.SortFunc(all, func(a, b spent) int { return cmp.Compare(b.seconds, a.seconds) })
	fmt.Fprintln(to, "The tests that took longest, in seconds:")
	for _, s := range all[:min(shown, len(all))] {
		fmt.Fprintf(to, "%7.1f %s\n", s.seconds, s.what)
	}
	return failed == 0 && packages > 0 && len(written) == 0, nil
}

// isVerdict matches what go test says of a package at its end.
var isVerdict = regexp.MustCompile(`^(ok  |FAIL|\?   )\t`)
