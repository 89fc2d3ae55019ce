package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// fileSettings are the settings of a YAML file, by the names of their flags.
type fileSettings map[string]yaml.Node

// readSettings never quotes the file: a URL of a store may have a password.
func readSettings(file io.Reader) (kong.Resolver, error) {
	found := fileSettings{}
	if err := yaml.NewDecoder(file).Decode(&found); err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.New("the settings file must be YAML, one setting a line, such as listen: 127.0.0.1:8080")
	}
	return found, nil
}

func (f fileSettings) Validate(app *kong.Application) error {
	known := slices.Collect(maps.Values(settingsOf(app)))
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("the settings file has %q, which is no flag with an environment variable", name)
		}
	}
	return nil
}

// Resolve leaves a setting to the environment if that has it, and a flag without a variable to the command line.
func (f fileSettings) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, variable := range flag.Envs {
		if _, set := os.LookupEnv(variable); set {
			return nil, nil
		}
	}
	node := f[flag.Name]
	if len(flag.Envs) == 0 || node.ShortTag() == "!!null" {
		return nil, nil
	}
	var one string // as written there
	var many []string
	switch {
	case node.Decode(&one) == nil:
		return one, nil
	case flag.IsSlice() && node.Decode(&many) == nil:
		return kong.JoinEscaped(many, flag.Tag.Sep), nil
	}
	return nil, errors.New("the settings file has a list or a mapping for it; write one value")
}

// settingsOf maps each environment variable of a command line to the name of its flag.
func settingsOf(app *kong.Application) map[string]string {
	known := map[string]string{}
	_ = kong.Visit(app, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			for _, variable := range flag.Envs {
				known[variable] = flag.Name
			}
		}
		return next(nil)
	})
	return known
}

// unknownVariables are the names in an environment that begin like those of settings, and that no flag reads.
func unknownVariables(app *kong.Application, environment []string) (unknown []string) {
	known := settingsOf(app)
	others := []string{pullSecret, "BACKOFFICE_CLIENT_ID", "BACKOFFICE_CLIENT_SECRET"}
	for _, entry := range environment {
		name, _, _ := strings.Cut(entry, "=")
		if _, ok := known[name]; !ok && !slices.Contains(others, name) && strings.HasPrefix(name, "BACKOFFICE_") {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}
