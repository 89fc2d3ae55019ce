// Command notices writes THIRD_PARTY_NOTICES.txt: the licenses of the Go modules that are linked into the program, of
// Go itself, of the npm packages in the two embedded pages, and of the fonts. Its test holds the file to what it would
// write.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// root leads from the folder of the tools to the program's.
const root = ".."

func main() {
	log.SetFlags(0)
	text, err := generate(root)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "web/notices/THIRD_PARTY_NOTICES.txt"), []byte(text), 0o644); err != nil { //nolint:gosec // it is published
		log.Fatal(err)
	}
}

type notice struct {
	of   []string
	text string
}

func generate(root string) (string, error) {
	modules, err := linked(root)
	if err != nil {
		return "", err
	}
	pages, err := embedded(root)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("Backoffice contains software and fonts of others, under these licenses.\n")
	for _, n := range merge(append(modules, pages...)) {
		line := strings.Repeat("=", 78)
		fmt.Fprintf(&b, "\n%s\n%s\n%s\n\n%s\n", line, strings.Join(n.of, "\n"), line, n.text)
	}
	return b.String(), nil
}

// merge tells a text that applies to several once, where the first of them stands.
func merge(notices []notice) (merged []notice) {
	at := map[string]int{}
	for _, n := range notices {
		n.text = strings.TrimSpace(strings.ReplaceAll(n.text, "\r\n", "\n"))
		if i, known := at[n.text]; known {
			merged[i].of = append(merged[i].of, n.of...)
			continue
		}
		at[n.text] = len(merged)
		merged = append(merged, n)
	}
	return merged
}

// pkg is what go list tells of a package.
type pkg struct {
	Dir    string
	Module *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// linked are the notices of Go and of the modules of which a package is linked into the program, on any of the systems
// for which it is released. They lie in a package's folder or above it.
func linked(root string) ([]notice, error) {
	found := map[string]notice{} // by the file
	modules := map[string]bool{} // whether a notice was found
	for _, system := range []string{"linux", "darwin", "windows"} {
		command := exec.Command("go", "list", "-deps", "-json=Dir,Module", ".")
		command.Dir, command.Stderr = root, os.Stderr
		command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH=amd64")
		out, err := command.Output()
		if err != nil {
			return nil, err
		}
		for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
			var p pkg
			if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if p.Module == nil || p.Module.Main {
				continue
			}
			name := p.Module.Path + " " + p.Module.Version
			if !modules[name] {
				modules[name] = false
			}
			for dir := p.Dir; strings.HasPrefix(dir, p.Module.Dir); dir = filepath.Dir(dir) {
				files, err := noticesIn(dir)
				if err != nil {
					return nil, err
				}
				for _, file := range files {
					inside, _ := filepath.Rel(p.Module.Dir, file)
					key := name + ", " + filepath.ToSlash(inside)
					if found[key], err = read(key, file); err != nil {
						return nil, err
					}
					modules[name] = true
				}
			}
		}
	}
	for name, has := range modules {
		if !has {
			return nil, fmt.Errorf("%s has no license", name)
		}
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	own, err := read("Go, its library and runtime", filepath.Join(strings.TrimSpace(string(out)), "LICENSE"))
	if err != nil {
		return nil, err
	}
	notices := []notice{own}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		notices = append(notices, found[key])
	}
	return notices, nil
}

var noticeName = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright|notice|patents)([-._].*)?$`)

func noticesIn(dir string) (files []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		if entry.Type().IsRegular() && noticeName.MatchString(entry.Name()) && filepath.Ext(entry.Name()) != ".go" {
			files = append(files, filepath.Join(dir, entry.Name()))
		}
	}
	return files, err
}

// embedded are the notices of the pages, which their builds collect, of what these leave out, and of the documents'
// fonts.
func embedded(root string) (notices []notice, err error) {
	version, err := installed(filepath.Join(root, "web/graphiql/page/package-lock.json"))
	if err != nil {
		return nil, err
	}
	for _, of := range []struct{ what, file string }{
		{"npm packages of the page /graphiql", "web/graphiql/dist/licenses.md"},
		{"@fontsource/fira-code " + version("@fontsource/fira-code") + " (npm), a font of the page /graphiql", "web/notices/npm/fira-code.txt"},
		{"monaco-editor " + version("monaco-editor") + " (npm): what it contains itself", "web/notices/npm/monaco-editor.txt"},
		{"npm packages of the page /docs", "web/apidocs/dist/licenses.md"},
		{"Open Sans, the font of generated documents", "pdf/fonts/README.md"},
		{"Open Sans, its license", "pdf/fonts/LICENSE"},
	} {
		n, err := read(of.what, filepath.Join(root, of.file))
		if err != nil {
			return nil, err
		}
		notices = append(notices, n)
	}
	return notices, nil
}

func installed(lockfile string) (func(name string) string, error) {
	text, err := os.ReadFile(lockfile)
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, err
	}
	return func(name string) string { return lock.Packages["node_modules/"+name].Version }, nil
}

func read(of, file string) (notice, error) {
	text, err := os.ReadFile(file)
	return notice{[]string{of}, string(text)}, err
}
