// Command benchmarks measures this server beside others that answer the same queries over the same data, and what its
// answers cost as the data or the answer grows. It starts all that it needs (PostgreSQL, the servers, wrk), on
// loopback alone, ends it again, and writes what it has found into docs/performance.md. It is no part of the product,
// and nothing may import it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

// settingsOfAll are the flags that all measurements share.
type settingsOfAll struct {
	Duration time.Duration `default:"6s" help:"How long one run lasts, in whole seconds (${default})."`
	Warmup   time.Duration `default:"1s" help:"How long a server is warmed up before a run (${default})."`
	Rounds   int           `default:"3" help:"How often everything is measured; medians are reported (${default})."`
	Clients  int           `default:"32" help:"Connections at a time (${default})."`
	Pool     int           `default:"8" help:"Connections to PostgreSQL of each server (${default})."`
	Keep     string        `placeholder:"FOLDER" help:"Keep the loaded data in this folder, and use what is there. PostgreSQL's user must be able to reach it."`
	Report   string        `default:"docs/performance.md" placeholder:"FILE" help:"Where the figures go (${default})."`
	Print    bool          `help:"Print the figures and leave the report alone."`
}

type program struct {
	settingsOfAll

	Compare  compareCommand  `cmd:"" default:"withargs" help:"Compare this server with its peers and with hand-written code."`
	Scale    scaleCommand    `cmd:"" help:"Compare answers over much data with answers over little."`
	Width    widthCommand    `cmd:"" help:"Compare Q1 with 500 customers and with 50."`
	Cache    cacheCommand    `cmd:"" help:"Measure the cache where it helps least."`
	Exports  exportsCommand  `cmd:"" help:"Measure exports of much data, and groups over it."`
	Distance distanceCommand `cmd:"" help:"Measure what a way between server and database costs."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var p program
	command := kong.Parse(&p, kong.Name("benchmarks"), kong.UsageOnError(), kong.Vars{"servers": strings.Join(serverNames, ", ")}, kong.BindTo(ctx, (*context.Context)(nil)))
	err := command.Run(&p.settingsOfAll)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "benchmarks: %v\n", err)
		if errors.Is(err, context.Canceled) {
			os.Exit(130)
		}
		os.Exit(1)
	}
}

// tellf says what is being done, with the time of day.
func tellf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s  %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}
