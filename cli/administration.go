package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"

	"example.org/backoffice/backoffice"
)

// noting is when a command is noted in the change log, as an administrator's act.
type noting int

const (
	never      noting = iota // it only reads, or is no act of an administrator
	withWrite                // in the first transaction that changes something, if any
	beforehand               // before it begins: it exports data, or changes things other than records
	afterwards               // after it succeeds: before, the store is missing or another one
)

// noted is when each command is noted. A test fails when one is missing.
var noted = map[string]noting{
	"serve":  never, // callers' acts are logged under their credentials
	"demo":   withWrite,
	"import": withWrite, "pull": withWrite, "export": beforehand, "query": beforehand, "backup": beforehand,
	"restore": afterwards, "ship verify": never, "stand-by": never, "promote": afterwards,
	"check": never, "doctor": never, "compact": beforehand, "migrate": afterwards,
	"files list": never, "files restore": beforehand, "files sweep": beforehand,
	"trash list": never, "trash restore": withWrite, "trash empty": beforehand,
	"credentials create": withWrite, "credentials list": never, "credentials rotate": withWrite,
	"credentials scopes": withWrite, "credentials networks": withWrite,
	"credentials extend": withWrite, "credentials revoke": withWrite,
	"keys status": never, "keys rotate": beforehand, "keys reseal": beforehand, "keys retire": beforehand,
	"keys wrap": beforehand, "keys unwrap": beforehand, "keys signing": beforehand, "evidence sample": beforehand, "evidence verify": never,
	"years start": withWrite, "years list": never, "cache drop": withWrite,
	"documents generate": withWrite, "documents trust": withWrite, "documents check": never,
	"documents list": never, "documents remove": withWrite,
	"tools list": never, "tools remove": withWrite, "tools report": never,
	"consultations list": never, "consultations report": never, "consultations summary": never,
	"consultations verify": never, "changes list": never,
	"webhooks create": withWrite, "webhooks list": never, "webhooks ping": beforehand, "webhooks rewind": withWrite,
	"webhooks disable": withWrite, "webhooks rotate": withWrite, "webhooks delete": withWrite,
	"version": never, "completion": never, "licenses": never,
}

// about is a command with an object: an identifier, a year, or a name that an administrator gave.
type about interface{ about() string }

func (c *credentialsCreateCommand) about() string   { return c.made }
func (c *credentialsRotateCommand) about() string   { return c.ID }
func (c *credentialsScopesCommand) about() string   { return c.ID }
func (c *credentialsNetworksCommand) about() string { return c.ID }
func (c *credentialsExtendCommand) about() string   { return c.ID }
func (c *credentialsRevokeCommand) about() string   { return c.ID }
func (c *keysRetireCommand) about() string          { return c.Key }
func (c *yearsStartCommand) about() string          { return c.Year }
func (c *webhooksPingCommand) about() string        { return c.ID }
func (c *documentsTrustCommand) about() string      { return c.Set }
func (c *documentsRemoveCommand) about() string     { return c.Set + c.ID }

// nameOf is the name of a command, without the program.
func nameOf(command *kong.Context) string {
	var words []string
	for node := command.Selected(); node != nil && node.Type == kong.CommandNode; node = node.Parent {
		words = append(words, node.Name)
	}
	slices.Reverse(words)
	return strings.Join(words, " ")
}

// administered makes a command an administrator's act.
func (s *settings) administered(ctx context.Context, command *kong.Context) context.Context {
	name := nameOf(command)
	when := noted[name]
	if when == never {
		return ctx
	}
	act := &backoffice.Act{Action: name, Operator: administrator(), Flags: flagsGiven(command)}
	if target := command.Selected().Target; target.IsValid() && target.CanAddr() {
		if of, ok := reflect.TypeAssert[about](target.Addr()); ok {
			act.Object = of.about
			if when == beforehand { // the argument was not checked yet
				act.Object = func() string { return backoffice.ShownName(of.about()) }
			}
		}
	}
	ctx = backoffice.WithAct(ctx, act)
	if when == beforehand {
		s.Opened = backoffice.NoteAct
	}
	return ctx
}

// noteWhatWasDone notes a successful command of the kind afterwards.
func noteWhatWasDone(ctx context.Context, s *settings, command *kong.Context, wrong error) error {
	_, partly := errors.AsType[partial](wrong)
	if noted[nameOf(command)] != afterwards || wrong != nil && !partly {
		return wrong
	}
	store, err := s.OpenRecords(ctx)
	if err == nil {
		err = errors.Join(backoffice.NoteAct(ctx, store), store.Close())
	}
	if err != nil {
		return fmt.Errorf("the command succeeded, but could not be noted in the change log: %w", err)
	}
	return wrong
}

// flagsGiven are the names of the flags on the command line, sorted, except those that all commands share.
func flagsGiven(command *kong.Context) (names []string) {
	for _, part := range command.Path {
		flag := part.Flag
		if flag != nil && !slices.Contains(names, flag.Name) && !slices.Contains(command.Model.Flags, flag) {
			names = append(names, flag.Name)
		}
	}
	slices.Sort(names)
	return names
}

// administrator is the operating-system user who runs the program, also the one who ran sudo, and the host, if known.
func administrator() string {
	name := "unknown"
	if current, err := user.Current(); err == nil {
		name = current.Username
	}
	if caller := os.Getenv("SUDO_USER"); caller != "" && caller != name {
		name += " (" + caller + ")"
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return plain(name) + "@" + plain(host)
}

// plain makes a text from the environment short and of one line.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, text)
	return strings.ToValidUTF8(text[:min(len(text), 100)], "")
}
