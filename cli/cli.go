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
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
)

type settings struct {
	gateway.Settings

	File kong.ConfigFlag `name:"settings" env:"BACKOFFICE_SETTINGS" placeholder:"PATH" predictor:"path" help:"A YAML file of settings by the names of their flags; flags and environment variables come first."`

	shown []slog.Attr // the settings, without secrets
}

// program is the command line: its commands, and the settings that they share.
type program struct {
	settings

	Serve serveCommand `cmd:"" default:"withargs" help:"Serve GraphQL, REST, GraphiQL and the API documentation."`

	Demo          demoCommand          `cmd:"" help:"Fill an empty embedded store with realistic data and serve it."`
	Import        importCommand        `cmd:"" help:"Load or update records from NDJSON files or spreadsheets."`
	Pull          pullCommand          `cmd:"" help:"Keep the store in step with a running backoffice, by its REST interface."`
	Export        exportCommand        `cmd:"" help:"Write all records to a folder that import reads."`
	Query         queryCommand         `cmd:"" help:"Export what a query of one list finds, as JSON Lines, CSV or XLSX."`
	Backup        backupCommand        `cmd:"" help:"Copy the embedded store and its files, while it serves."`
	Restore       restoreCommand       `cmd:"" help:"Put a backup in the place of the embedded store, which is kept beside it."`
	Ship          shipCommand          `cmd:"" help:"Verify what serve --ship has shipped."`
	StandBy       standByCommand       `cmd:"" help:"Follow a server by what it ships, and answer reads, until promote makes it the one that writes."`
	Promote       promoteCommand       `cmd:"" help:"Make the stand-by on this machine the server that writes; the one before ships no more."`
	Check         checkCommand         `cmd:"" help:"Check the database, its counters, the stored files and the register."`
	Doctor        doctorCommand        `cmd:"" help:"Look at all that a server needs, and say what to do where something is wrong."`
	Files         filesCommand         `cmd:"" help:"Sweep stored files, and bring back what a sweep set aside."`
	Trash         trashCommand         `cmd:"" help:"List what was deleted and can be brought back, bring it back, or erase it for good."`
	Credentials   credentialsCommand   `cmd:"" aliases:"creds" help:"Create, list, rotate and revoke credential pairs."`
	Keys          keysCommand          `cmd:"" help:"Show the keys that seal registration numbers, and rotate them while servers run."`
	Evidence      evidenceCommand      `cmd:"" help:"Pick customers for an inspection, and check packs of evidence."`
	Years         yearsCommand         `cmd:"" help:"List the financial years, and start the next one."`
	Documents     documentsCommand     `cmd:"" help:"Generate documents of transcripts; trust and check query documents."`
	Tools         toolsCommand         `cmd:"" help:"List and remove the tools of agents, and report who called them."`
	Consultations consultationsCommand `cmd:"" help:"List, report and check the register of consultations of registration numbers."`
	Changes       changesCommand       `cmd:"" help:"List the change log."`
	Webhooks      webhooksCommand      `cmd:"" help:"Create, list, try, rewind and stop webhooks, which post changes as they come."`
	Cache         cacheCommand         `cmd:"" help:"Have servers forget what they keep in memory."`
	Compact       compactCommand       `cmd:"" help:"Write the embedded store anew, so that nothing of what was erased is left in its file."`
	Migrate       migrateCommand       `cmd:"" help:"Bring the database's schema up to date."`
	Version       versionCommand       `cmd:"" help:"Print the version of this program, its commit and that of the schema that it works with."`
	Completion    completionCommand    `cmd:"" help:"Print the code with which a shell completes commands and flags."`
	Licenses      licensesCommand      `cmd:"" help:"Print the licenses of the software and fonts of others in this program."`
}

const (
	exitDone    = 0
	exitFailure = 1 // the command could not do its work
	exitUsage   = 2 // the command line makes no sense
	exitPartial = 3 // a backup lacks damaged files, an import rejected lines, a pull has not seen everything
)

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
		os.Exit(128 + int(second)) // as a shell tells of a signal
	}()
	return ctx
}

// terminal is where a command speaks: results on out, everything else on err.
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
		// What a command works on is opened when it asks for it: what is there already, never a new one.
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
		wrong = checkLists(command)
	}
	if wrong != nil {
		// serve needs no name, and so any first word counts as an argument of it. Else kong knows what was meant.
		parser.Model.DefaultCmd = nil
		if _, named := parser.Parse(args); named != nil && strings.HasPrefix(named.Error(), "unexpected argument") {
			wrong = named
		}
		fmt.Fprintf(err, "backoffice: %v\nTry: backoffice --help\n", wrong)
		return exitUsage
	}
	p.shown = shownSettings(command.Flags())
	if unknown := unknownVariables(parser.Model, os.Environ()); len(unknown) > 0 {
		fmt.Fprintf(err, "Warning: no setting has these environment variables: %s\n", strings.Join(unknown, ", "))
	}
	ctx = p.administered(ctx, command)
	command.BindTo(ctx, (*context.Context)(nil))
	wrong = command.Run(&p.settings)
	if wrong = noteWhatWasDone(ctx, &p.settings, command, wrong); wrong != nil {
		if !errors.Is(wrong, context.Canceled) || ctx.Err() == nil {
			fmt.Fprintf(err, "backoffice: %s\n", explain(wrong))
		}
		if errors.As(wrong, new(*incomplete)) || errors.As(wrong, new(*incompletePull)) ||
			errors.As(wrong, new(*rejectedLines)) {
			return exitPartial
		}
		return exitFailure
	}
	return exitDone
}

// checkLists refuses a list without values: an empty variable of a script would lift a restriction.
func checkLists(command *kong.Context) error {
	for _, path := range command.Path {
		if f := path.Flag; f != nil && f.IsSlice() && f.Target.Len() == 0 {
			return fmt.Errorf("--%s: missing value", f.Name)
		}
	}
	return nil
}

// closers are what was opened for a command, to be closed when it has ended.
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
		kong.Description("A GraphQL gateway over the data of an accounting backoffice, with the REST interface that it mirrors."),
	)...)
	if err != nil {
		panic(err) // the command line itself is declared wrongly
	}
	return parser
}

// explain gives an operator the cause as well: the command line is theirs, and a cause never holds a value of the data.
func explain(err error) string {
	known, ok := errors.AsType[*backoffice.Error](err)
	switch {
	case ok && known.Kind == backoffice.Refused:
		messageOf := func(wrong *backoffice.UserError) string { return wrong.Message }
		return strings.Join(backoffice.Mapped(known.UserErrors, messageOf), "; ")
	case ok && known.Cause != nil:
		return fmt.Sprintf("%s: %v", known.Message, known.Cause)
	}
	return err.Error()
}
