// Command chaos breaks what the program stands on while clients write, read and disclose, and counts what they notice: writes that were
// acknowledged and are gone, changes of which a part is there, disclosures without an entry in the register, wrong answers,
// processes that had to be started by hand, and how long it takes until all is well again. It ends with 1 when a count is not
// what docs/reliability.md promises.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/backoffice/scripts/rig"
)

// healthyWithin is how soon after a fault's end all has to be well.
const healthyWithin = 5 * time.Second

// options are what is broken, and how often.
type options struct {
	folder, binary, engine, only string
	kills                        int
	within                       time.Duration // after a fault, until all is well
}

func main() {
	var o options
	flag.StringVar(&o.folder, "folder", "", "where everything is kept; a temporary folder when empty")
	flag.StringVar(&o.binary, "binary", "", "the program, when it is built already")
	flag.StringVar(&o.engine, "engine", "", "sqlite or postgres; both when empty")
	flag.StringVar(&o.only, "only", "", "the faults to try, by their names")
	flag.IntVar(&o.kills, "kills", 100, "how often a gateway is killed")
	flag.DurationVar(&o.within, "within", healthyWithin, "how soon after a fault all has to be well")
	flag.Parse()
	whole, err := o.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(2)
	}
	if !whole {
		os.Exit(1)
	}
}

func (o options) run() (whole bool, err error) {
	release, err := rig.Ground(&o.folder, &o.binary, "backoffice-chaos-")
	defer release()
	if err != nil {
		return false, err
	}
	whole = true
	fmt.Println("| engine | fault | writes acknowledged | lost | torn | disclosures | without entry | wrong answers | refused | longest until healthy | restarts by hand |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|")
	for _, engine := range []string{"sqlite", "postgres"} {
		if o.engine != "" && o.engine != engine {
			continue
		}
		well, err := o.on(engine)
		if err != nil {
			return false, fmt.Errorf("%s: %w", engine, err)
		}
		whole = whole && well
	}
	return whole, nil
}

// on breaks one engine in all ways, one after the other, under one gateway.
func (o options) on(engine string) (whole bool, err error) {
	s := &stand{engine: engine, kills: o.kills, office: &rig.Office{Binary: o.binary, Folder: filepath.Join(o.folder, engine)}}
	defer s.close()
	if err := s.open(); err != nil {
		return false, err
	}
	whole = true
	for _, f := range faults {
		if f.engine != "" && f.engine != engine || o.only != "" && !strings.Contains(o.only, f.name) {
			continue
		}
		r, err := s.under(f)
		if err != nil {
			return false, fmt.Errorf("%s: %w", f.name, err)
		}
		fmt.Printf("| %s | %s | %d | %d | %d | %d | %d | %d | %d | %v | %d |\n", engine, f.name, r.acknowledged, r.lost, r.torn, r.disclosed, r.unentered,
			r.wrong, r.refused, r.healthy.Round(10*time.Millisecond), r.byHand)
		if !r.isWhole(o.within) {
			whole = false
			fmt.Fprintln(os.Stderr, "chaos:", engine, f.name, r.example)
		}
	}
	return whole, nil
}
