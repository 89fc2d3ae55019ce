package cli

import (
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/alecthomas/kong"
)

// mostTypos is how many letters may be wrong in a word that is taken for a mistyped command.
const mostTypos = 2

// suggestion is the command that a line may have meant, "" when it names one or none is near. kong suggests below the
// first word alone: serve needs no name, and so any first word counts as an argument of it.
func suggestion(commands []*kong.Node, args []string) (meant string) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		distance := mostTypos + 1
		for _, command := range commands {
			if command.Name == arg {
				return ""
			}
			if d := levenshtein.ComputeDistance(command.Name, arg); d > 0 && d < distance && d < len(command.Name)/2 {
				meant, distance = command.Name, d
			}
		}
		break
	}
	return meant
}
