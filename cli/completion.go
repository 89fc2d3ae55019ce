package cli

import (
	"os"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
	"github.com/posener/complete"

	"example.org/backoffice/backoffice"
)

// completionCommand prints code for a shell, which asks the program itself for completions.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

func (c *completionCommand) Run(command *kong.Context) error {
	return (&kongcompletion.Completion{Shell: c.Shell, Code: true}).Run(command)
}

// paths completes paths for fish. bash and zsh, which set COMP_POINT, do so themselves: they handle ~ and spaces.
func paths(typed complete.Args) []string {
	if os.Getenv("COMP_POINT") != "" {
		return nil
	}
	return complete.PredictFiles("*").Predict(typed)
}

// completed prints completions of the last word, if a shell asks for them in COMP_LINE.
func completed(parser *kong.Kong) bool {
	command, err := kongcompletion.Command(parser, kongcompletion.WithPredictors(map[string]complete.Predictor{
		"path":  complete.PredictFunc(paths),
		"scope": complete.PredictSet(backoffice.NamesOf(backoffice.AllScopes)...),
		"noun":  complete.PredictSet(backoffice.ChangeNouns()...),
	}))
	if err != nil {
		panic(err) // a tag names no predictor
	}
	command.Flags = command.Sub["serve"].GlobalFlags // its name may be left out
	asked := complete.New(parser.Model.Name, command)
	asked.Out = parser.Stdout
	return asked.Complete()
}
