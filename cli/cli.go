// Package cli is the command line: a file for each command. It must hold no rule of the domain and know no transport.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
)

type settings struct {
	gateway.Settings

	File kong.ConfigFlag `name:"settings" env:"BACKOFFICE_SETTINGS" placeholder:"PATH" predictor:"path" help:"A YAML file of settings, by the names of their flags. Flags and environment variables override it."`

	shown []slog.Attr // the settings, without secrets
}

// program is the command line: its commands, and the settings that they share.
type program struct {
	settings

	Serve serveCommand `cmd:"" default:"withargs" help:"Serve GraphQL, REST, GraphiQL and the API documentation."`

	Demo          demoCommand          `cmd:"" help:"Fill an empty embedded store with realistic data and serve it."`
	Import        importCommand        `cmd:"" help:"Load or update records from NDJSON files or spreadsheets."`
	Pull          pullCommand          `cmd:"" help:"Mirror a running backoffice through its REST API."`
	Export        exportCommand        `cmd:"" help:"Export all records to a folder that import can read."`
	Query         queryCommand         `cmd:"" help:"Export the rows of a query of one list, as JSON Lines, CSV or XLSX."`
	Backup        backupCommand        `cmd:"" help:"Back up the embedded store and its files, while servers run."`
	Restore       restoreCommand       `cmd:"" help:"Replace the embedded store with a backup. The old store is kept next to it."`
	Ship          shipCommand          `cmd:"" help:"Verify what serve --ship has shipped."`
	StandBy       standByCommand       `cmd:"" help:"Follow what a server ships, and answer reads, until it is promoted."`
	Promote       promoteCommand       `cmd:"" help:"Make the stand-by on this machine the server that accepts writes. The previous one stops shipping."`
	Check         checkCommand         `cmd:"" help:"Check the database, its counters, the stored files and the register."`
	Doctor        doctorCommand        `cmd:"" help:"Check everything that a server needs, and print how to fix what is wrong."`
	Files         filesCommand         `cmd:"" help:"Quarantine stored files that no record uses, and restore them."`
	Trash         trashCommand         `cmd:"" help:"List, restore or erase deleted customers and relations."`
	Credentials   credentialsCommand   `cmd:"" aliases:"creds" help:"Create, list, rotate and revoke credentials."`
	Keys          keysCommand          `cmd:"" help:"List the keys that seal registration numbers, and rotate them while servers run."`
	Evidence      evidenceCommand      `cmd:"" help:"Sample customers for an inspection, and verify evidence packs."`
	Years         yearsCommand         `cmd:"" help:"List financial years, and start the next one."`
	Documents     documentsCommand     `cmd:"" help:"Generate transcripts' documents; trust and check query documents."`
	Tools         toolsCommand         `cmd:"" help:"List and remove agents' tools, and report who called them."`
	Consultations consultationsCommand `cmd:"" help:"List, report and verify consultations of registration numbers."`
	Changes       changesCommand       `cmd:"" help:"List the change log."`
	Webhooks      webhooksCommand      `cmd:"" help:"Create, list, test, rewind and disable webhooks, which post changes as they happen."`
	Cache         cacheCommand         `cmd:"" help:"Clear the caches of servers."`
	Compact       compactCommand       `cmd:"" help:"Rewrite the embedded store's file without traces of erased records."`
	Migrate       migrateCommand       `cmd:"" help:"Bring the database's schema up to date."`
	Version       versionCommand       `cmd:"" help:"Print the version and commit of this program, and the version of its database schema."`
	Completion    completionCommand    `cmd:"" help:"Print the code that completes commands and flags in a shell."`
	Licenses      licensesCommand      `cmd:"" help:"Print the licenses of third-party software and fonts in this program."`
}

const (
	exitDone    = 0
	exitFailure = 1 // the command could not do its work
	exitUsage   = 2 // the command line is invalid
	exitPartial = 3 // a backup lacks damaged files, an import rejected lines, a pull is incomplete
)

// partial is the error of a command that did its work except for what this sentence counts and was printed before.
type partial string

func (p partial) Error() string { return string(p) }

// Main runs the program's command line and returns its exit code.
func Main() int {
	gateway.Tune()
	return run(untilSignal(), os.Args[1:], os.Stdout, os.Stderr)
}

// untilSignal ends its context at the first signal to stop. A second one ends the program at once, as if killed.
func untilSignal() context.Context {
	ctx, stop := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		stop()
		second, _ := (<-signals).(syscall.Signal)
		os.Exit(128 + int(second)) // as a shell reports a signal
	}()
	return ctx
}

// terminal is where a command prints: results on out, everything else on err.
type terminal struct{ out, err io.Writer }

func run(ctx context.Context, args []string, out, err io.Writer) int {
	var p program
	var open closers
	defer open.close()
	exited := -1
	parser := p.parser(
		kong.UsageOnError(),
		kong.Writers(out, err),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(terminal{out, err}),
		// A store is opened when a command asks for it, and never created.
		kong.BindToProvider(func() (*gateway.Backend, error) { return opened(ctx, &open, p.OpenExisting) }),
		kong.BindToProvider(func() (backoffice.Store, error) { return opened(ctx, &open, p.OpenRecords) }),
	)
	if completed(parser) {
		return exitDone
	}
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	command, wrong := parser.Parse(args)
	if exited >= 0 { // --help has been answered
		return exited
	}
	if wrong == nil {
		wrong = checkValues(command)
	}
	if wrong != nil {
		// serve is the default, so any unknown word is its argument. Without a default, kong suggests a command.
		parser.Model.DefaultCmd = nil
		if _, named := parser.Parse(args); named != nil && strings.HasPrefix(named.Error(), "unexpected argument") {
			wrong = named
		}
		fmt.Fprintf(err, "backoffice: %v\nTry: backoffice --help\n", wrong)
		return exitUsage
	}
	p.shown = shownSettings(command.Flags())
	if unknown := unknownVariables(parser.Model, os.Environ()); len(unknown) > 0 {
		fmt.Fprintf(err, "Warning: unknown environment variables: %s\n", strings.Join(unknown, ", "))
	}
	ctx = p.administered(ctx, command)
	command.BindTo(ctx, (*context.Context)(nil))
	wrong = command.Run(&p.settings)
	if wrong = noteWhatWasDone(ctx, &p.settings, command, wrong); wrong != nil {
		if !errors.Is(wrong, context.Canceled) || ctx.Err() == nil {
			fmt.Fprintf(err, "backoffice: %s\n", explain(wrong))
		}
		if _, partly := errors.AsType[partial](wrong); partly {
			return exitPartial
		}
		return exitFailure
	}
	return exitDone
}

// checkValues rejects a list or a text without a value: an empty variable of a script would lift a restriction. What
// can be set in the environment can be unset by a flag.
func checkValues(command *kong.Context) error {
	for _, path := range command.Path {
		f := path.Flag
		if f != nil && (f.IsSlice() || f.Target.Kind() == reflect.String && len(f.Envs) == 0) && f.Target.Len() == 0 {
			return fmt.Errorf("--%s: missing value", f.Name)
		}
	}
	return nil
}

// closers are open until the command ends.
type closers []io.Closer

func (c *closers) close() {
	for _, one := range *c {
		_ = one.Close()
	}
}

func opened[T io.Closer](ctx context.Context, open *closers, by func(context.Context) (T, error)) (T, error) {
	one, err := by(ctx)
	if err == nil {
		*open = append(*open, one)
	}
	return one, err
}

func (p *program) parser(options ...kong.Option) *kong.Kong {
	parser, err := kong.New(p, append(options,
		kong.Name("backoffice"),
		kong.Configuration(readSettings),
		kong.Vars{"scopes": strings.Join(backoffice.NamesOf(backoffice.AllScopes), ", "),
			"nouns": strings.Join(backoffice.ChangeNouns(), ", ")},
		kong.Description("A GraphQL and REST gateway to an accounting office's data."),
	)...)
	if err != nil {
		panic(err) // the command line itself is declared wrongly
	}
	return parser
}

// explain adds the cause, which only the operator may see. It never contains a value of the data.
func explain(err error) string {
	known, ok := errors.AsType[*backoffice.Error](err)
	switch {
	case ok && known.Kind == backoffice.Refused:
		messageOf := func(wrong *backoffice.UserError) string { return wrong.Message }
		return strings.Join(backoffice.Map(known.UserErrors, messageOf), "; ")
	case ok && known.Cause != nil:
		return fmt.Sprintf("%s: %v", known.Message, known.Cause)
	}
	return err.Error()
}
