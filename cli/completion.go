package cli

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"example.org/backoffice/backoffice"
)

// completions are the scripts of the shells. They ask the program itself (completeCommand), so that they fit whichever
// version is installed, and nothing about its commands stands anywhere twice.
//
//go:embed completion
var completions embed.FS

// completionCommand prints a shell's script.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

func (c *completionCommand) Run(t terminal) error {
	script, err := completions.ReadFile("completion/backoffice." + c.Shell)
	if err == nil {
		_, err = t.out.Write(script)
	}
	return err
}

type completeCommand struct {
	Words []string `arg:"" optional:"" help:"What was typed behind the program's name; the last word is the one to complete."`
}

// Run prints the words that fit, each with a tab and what it is, or :files where a path is wanted.
func (c *completeCommand) Run(parsed *kong.Kong, t terminal) error {
	for _, found := range complete(parsed.Model.Node, c.Words) {
		if _, err := fmt.Fprintln(t.out, found); err != nil {
			return err
		}
	}
	return nil
}

const wantsFiles = ":files"

// complete is what may stand in the place of the last word.
func complete(command *kong.Node, words []string) []string {
	words, last := typed(words)
	var wants *kong.Flag // the flag whose value is next
	values, plain := 0, false
	for _, word := range words {
		switch name, _, given := strings.Cut(word, "="); {
		case wants != nil:
			wants = nil
		case plain || !strings.HasPrefix(word, "-"):
			if child := childOf(command, word); child != nil && !plain {
				command, values = child, 0
			} else {
				values++
			}
		case word == "--":
			plain = true
		case !given:
			wants = flagOf(command, name)
		}
	}
	switch name, value, given := strings.Cut(last, "="); {
	case wants != nil:
		return fitting(valuesOf(wants.Value, wants.PlaceHolder), "", last)
	case given && strings.HasPrefix(last, "-") && !plain:
		if flag := flagOf(command, name); flag != nil {
			return fitting(valuesOf(flag.Value, flag.PlaceHolder), name+"=", value)
		}
		return nil
	case strings.HasPrefix(last, "-") && !plain:
		return fitting(flagsOf(command), "", last)
	case len(command.Positional) > 0:
		wanted := command.Positional[min(values, len(command.Positional)-1)]
		if values >= len(command.Positional) && !wanted.IsSlice() {
			return nil
		}
		return fitting(valuesOf(wanted, strings.ToUpper(wanted.Name)), "", last)
	case values == 0:
		return fitting(childrenOf(command), "", last)
	}
	return nil
}

// typed are the words before the last one, and that one. bash makes three words of --flag=value.
func typed(words []string) (before []string, last string) {
	if len(words) == 0 {
		return nil, ""
	}
	before, last = words[:len(words)-1], words[len(words)-1]
	if last == "=" {
		last = ""
	}
	return slices.DeleteFunc(slices.Clone(before), func(word string) bool { return word == "=" }), last
}

func childOf(command *kong.Node, name string) *kong.Node {
	for _, child := range command.Children {
		if child.Name == name {
			return child
		}
	}
	return nil
}

// flagOf is the flag of that name which takes a value, nil if there is none.
func flagOf(command *kong.Node, name string) *kong.Flag {
	for _, group := range allFlags(command) {
		for _, flag := range group {
			if (name == "--"+flag.Name || flag.Short != 0 && name == "-"+string(flag.Short)) && !flag.IsBool() {
				return flag
			}
		}
	}
	return nil
}

// allFlags are a command's own flags, those of the commands above it, and those of its default command.
func allFlags(command *kong.Node) [][]*kong.Flag {
	flags := command.AllFlags(true)
	if command.DefaultCmd != nil {
		flags = append(flags, command.DefaultCmd.Flags)
	}
	return flags
}

func flagsOf(command *kong.Node) (found []string) {
	for _, group := range allFlags(command) {
		for _, flag := range group {
			found = append(found, described("--"+flag.Name, flag.Help))
		}
	}
	return found
}

func childrenOf(command *kong.Node) (found []string) {
	for _, child := range command.Children {
		if !child.Hidden {
			found = append(found, described(child.Name, child.Help))
		}
	}
	return found
}

// valuesOf are the values that a flag or argument can have, if known; its placeholder in the help says of what kind.
func valuesOf(value *kong.Value, called string) []string {
	switch called {
	case "PATH", "FILE", "FOLDER", "JSON|@FILE":
		return []string{wantsFiles}
	case "SCOPE":
		return backoffice.NamesOf(backoffice.AllScopes)
	case "NOUN":
		return backoffice.ChangeNouns()
	}
	if value.Enum == "" {
		return nil
	}
	return value.EnumSlice()
}

// described is a word with the first sentence of what its help says.
func described(word, help string) string {
	sentence, _, _ := strings.Cut(help, ". ")
	sentence = strings.TrimSuffix(strings.ReplaceAll(sentence, " (${default})", ""), ".")
	return word + "\t" + sentence
}

// fitting are the words that begin with what is typed, with what stands before them in the same word.
func fitting(words []string, before, begun string) (found []string) {
	for _, word := range words {
		switch {
		case word == wantsFiles:
			return words
		case strings.HasPrefix(word, begun):
			found = append(found, before+word)
		}
	}
	return found
}
