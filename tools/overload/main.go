// Command overload finds how much of Q1, the first reference query of docs/performance.md, a gateway can carry, sends
// it five times as much, and tells what becomes of those who ask: how many are answered, how soon the others are
// refused, what a caller with light requests notices, and how much memory that takes. It ends with 1 when a figure is
// not what docs/reliability.md promises.
//
// The gateway and its database have one processor, those who ask another one, so that neither takes the other's.
// Requests come at a steady rate whether others were answered or not, as those of many clients do.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"example.org/backoffice/tools/rig"
)

// options are what is measured, and for how long.
type options struct {
	folder, binary, engine, flags string
	times                         float64
	each                          time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.folder, "folder", "", "where everything is kept; a temporary folder when empty")
	flag.StringVar(&o.binary, "binary", "", "the program, when it is built already")
	flag.StringVar(&o.engine, "engine", "", "sqlite or postgres; both when empty")
	flag.StringVar(&o.flags, "flags", "", "more flags of the gateway, such as \"--cache 0\"")
	flag.Float64Var(&o.times, "times", 5, "how many times as much as can be carried is sent")
	flag.DurationVar(&o.each, "each", 10*time.Second, "how long each rate is sent")
	flag.Parse()
	if part, ok := parts[flag.Arg(0)]; ok {
		if err := part(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "overload:", err)
			os.Exit(2)
		}
		return
	}
	reached, err := o.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "overload:", err)
		os.Exit(2)
	}
	if !reached {
		os.Exit(1)
	}
}

func (o options) run() (reached bool, err error) {
	release, err := rig.Ground(&o.folder, &o.binary, "backoffice-overload")
	defer release()
	if err != nil {
		return false, err
	}
	reached = true
	for _, engine := range []string{"sqlite", "postgres"} {
		if o.engine != "" && o.engine != engine {
			continue
		}
		found, err := o.on(engine)
		if err != nil {
			return false, fmt.Errorf("%s: %w", engine, err)
		}
		fmt.Println(strings.TrimRight("### "+engine+" "+o.flags, " "))
		fmt.Println()
		reached = found.print(os.Stdout, o.times) && reached
		fmt.Println()
	}
	return reached, nil
}
