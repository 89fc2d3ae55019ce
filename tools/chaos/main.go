// Command chaos breaks what the program stands on while clients write, read and disclose, and counts what they notice:
// writes that were acknowledged and are gone, changes of which a part is there, disclosures without an entry in the
// register, wrong answers, idempotency keys that made more than one record, gaps of the change feed, counts that are not
// those of the rows, processes that had to be started by hand, and how long it takes until all is well again. It ends
// with 1 when a count is not what docs/reliability.md promises.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.org/backoffice/tools/rig"
)

// healthyWithin is how soon after a fault's end all has to be well.
const healthyWithin = 5 * time.Second

// options are what is broken, and how often.
type options struct {
	folder, binary, engine, only string
	kills                        int
	once, brief, noDisks         bool
	ships                        bool
	within                       time.Duration // after a fault, until all is well
}

func main() {
	var o options
	flag.StringVar(&o.folder, "folder", "", "where everything is kept; a temporary folder when empty")
	flag.StringVar(&o.binary, "binary", "", "the program, when it is built already; with a clock that can be set")
	flag.StringVar(&o.engine, "engine", "", "sqlite or postgres; both when empty")
	flag.StringVar(&o.only, "only", "", "the faults to try: those whose names contain this")
	flag.IntVar(&o.kills, "kills", 100, "how often a gateway is killed")
	flag.BoolVar(&o.once, "once", false, "let each other fault happen once")
	flag.BoolVar(&o.brief, "brief", false, "leave out faults of which others are a quicker form")
	flag.BoolVar(&o.noDisks, "no-disks", false, "leave out full disks, which take a user who may mount one")
	flag.BoolVar(&o.ships, "ship", false, "lose the machine of an office that ships, as often as -kills, and nothing else")
	flag.DurationVar(&o.within, "within", healthyWithin, "how soon after a fault all has to be well")
	flag.Parse()
	if !o.noDisks {
		code, done, err := rig.Isolate()
		if err != nil {
			fmt.Fprintln(os.Stderr, "chaos:", err)
			fmt.Fprintln(os.Stderr, "chaos: be root, allow namespaces of users, or leave out what needs a full disk (-no-disks)")
			os.Exit(2)
		}
		if done {
			os.Exit(code)
		}
	}
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
	if !slices.ContainsFunc(faults, func(f fault) bool { return strings.Contains(f.name, o.only) }) &&
		!slices.ContainsFunc(damages, func(d damage) bool { return strings.Contains(d.name, o.only) }) {
		return false, fmt.Errorf("no fault has %q in its name", o.only)
	}
	withClock := o.binary
	release, err := rig.Ground(&o.folder, &o.binary, "backoffice-chaos")
	defer release()
	if err == nil && o.ships {
		return o.ship()
	}
	if err == nil && withClock == "" {
		withClock = filepath.Join(o.folder, "backoffice-with-clock")
		err = buildWithClock(o.folder, withClock)
	}
	if err != nil {
		return false, err
	}
	whole = true
	var told []string
	fmt.Println("| engine | fault | times | writes acknowledged | lost | torn | disclosures | without entry | wrong answers | replayed twice | gaps | miscounted | refused | longest until healthy | restarts by hand |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, engine := range o.engines() {
		for _, small := range []bool{false, true} {
			if small && o.noDisks {
				continue
			}
			s := &environment{engine: engine, kills: o.kills, small: small, withClock: withClock, office: &rig.Office{Binary: o.binary, Folder: filepath.Join(o.folder, fmt.Sprint(engine, small))}}
			well, lines, err := o.on(s)
			if err != nil {
				return false, fmt.Errorf("%s: %w", engine, err)
			}
			whole, told = whole && well, append(told, lines...)
		}
	}
	well, err := o.damaged()
	if err != nil {
		return false, err
	}
	whole = whole && well
	fmt.Print("\n| engine | fault | what the log says of it |\n|---|---|---|\n" + strings.Join(told, ""))
	return whole, nil
}

func (o options) engines() []string {
	if o.engine != "" {
		return []string{o.engine}
	}
	return []string{"sqlite", "postgres"}
}

// tries reports whether a fault is to happen on an environment.
func (o options) tries(f fault, s *environment) bool {
	return (f.engine == "" || f.engine == s.engine) && !(o.brief && f.long) && f.small == s.small && strings.Contains(f.name, o.only)
}

// on breaks one engine in all ways, one after the other, under one gateway.
func (o options) on(s *environment) (whole bool, told []string, err error) {
	tried := slices.DeleteFunc(slices.Clone(faults), func(f fault) bool { return !o.tries(f, s) })
	if len(tried) == 0 {
		return true, nil, nil
	}
	defer s.close()
	if err := s.open(); err != nil {
		return false, nil, err
	}
	whole = true
	for _, f := range tried {
		if o.once && f.often > 0 {
			f.often = 1
		}
		r, err := s.under(f)
		if err != nil {
			return false, nil, fmt.Errorf("%s: %w", f.name, err)
		}
		fmt.Printf("| %s | %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %v | %d |\n", s.engine, f.name, f.times(s), r.acknowledged, r.lost, r.torn, r.disclosed, r.unentered,
			r.wrong, r.replayed, r.gaps, r.miscounted, r.refused, r.healthy.Round(10*time.Millisecond), r.byHand)
		told = append(told, fmt.Sprintf("| %s | %s | %s |\n", s.engine, f.name, strings.Join(r.lines, "<br>")))
		if !r.isWhole(o.within) {
			whole = false
			fmt.Fprintln(os.Stderr, "chaos:", s.engine, f.name, r.example)
		}
	}
	return whole, told, nil
}

// damaged damages the files of offices at rest.
func (o options) damaged() (whole bool, err error) {
	fmt.Println("\n| engine | damage | times | not started | refused | found by `check` | an older state, whole | served as it is now | not noticed | wrong answers | torn | longest until healthy | restarts by hand | what is said of it |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	whole = true
	for _, engine := range o.engines() {
		tried := slices.DeleteFunc(slices.Clone(damages), func(d damage) bool {
			return d.engine != "" && d.engine != engine || o.brief && d.engine == "" && engine != "sqlite" || !strings.Contains(d.name, o.only)
		})
		if len(tried) == 0 {
			continue
		}
		well, err := o.damage(engine, tried)
		if err != nil {
			return false, fmt.Errorf("%s: %w", engine, err)
		}
		whole = whole && well
	}
	return whole, nil
}

func (o options) damage(engine string, tried []damage) (whole bool, err error) {
	p := &victim{environment: &environment{engine: engine, office: &rig.Office{Binary: o.binary, Folder: filepath.Join(o.folder, engine+"-victim")}}}
	defer p.close()
	if err := p.open(); err != nil {
		return false, err
	}
	if err := p.fill(); err != nil {
		return false, err
	}
	whole = true
	for _, d := range tried {
		f, err := p.under(d, o.once)
		if err != nil {
			return false, fmt.Errorf("%s: %w", d.name, err)
		}
		fmt.Print(f.line(engine, d.name))
		if !f.isWhole(o.within) || f.unseen > 0 && !d.unseen {
			whole = false
			fmt.Fprintln(os.Stderr, "chaos:", engine, d.name, f.example)
		}
	}
	return whole, nil
}
