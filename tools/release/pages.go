package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// moved are the files that are elsewhere in an archive than in the sources.
var moved = map[string]string{
	"CHANGELOG.md":                        "CHANGELOG.md",
	"deploy/release.md":                   "README.md",
	"web/notices/THIRD_PARTY_NOTICES.txt": "THIRD_PARTY_NOTICES.txt",
}

// omitted are the files and folders in docs and deploy that are for developers.
var omitted = []string{"docs/reading.md", "deploy/load", "deploy/Dockerfile.dockerignore", "deploy/partitions.sql"}

// contents are what every archive has besides the program. Pages are copied into a folder, with links that work in the
// archive. It fails if a page links to something that does not exist.
func (r release) contents(folder string) (entries []entry, err error) {
	sources := os.DirFS(r.root)
	places, err := placesIn(sources)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(places)) {
		e := entry{places[name], filepath.Join(r.root, name), 0o644}
		if path.Ext(name) == ".sh" {
			e.mode = 0o755
		}
		if path.Ext(name) == ".md" {
			text, err := fs.ReadFile(sources, name)
			if err != nil {
				return nil, err
			}
			text, err = relinked(text, name, places, sources)
			if err != nil {
				return nil, err
			}
			e.file = filepath.Join(folder, e.place)
			if err := os.MkdirAll(filepath.Dir(e.file), 0o700); err != nil {
				return nil, err
			}
			if err := os.WriteFile(e.file, text, 0o600); err != nil {
				return nil, err
			}
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// placesIn maps the files for an archive to their places in it.
func placesIn(sources fs.FS) (map[string]string, error) {
	places := maps.Clone(moved)
	licenses, err := fs.Glob(sources, "LICENSE*")
	if err != nil {
		return nil, err
	}
	for _, name := range licenses {
		places[name] = name
	}
	for _, folder := range []string{"docs", "deploy"} {
		err := fs.WalkDir(sources, folder, func(name string, file fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case slices.Contains(omitted, name) && file.IsDir():
				return fs.SkipDir
			case !file.IsDir() && places[name] == "" && !slices.Contains(omitted, name):
				places[name] = name
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return places, nil
}

var (
	fenced = regexp.MustCompile("(?ms)^```.*?^```$")
	link   = regexp.MustCompile(`\[([^\[\]]+)\]\(([^()\s]+)\)`)
)

// relinked changes the relative links of a page to the places of their files. A link to a file that is in the sources
// alone becomes its text.
func relinked(text []byte, name string, places map[string]string, sources fs.FS) (_ []byte, err error) {
	change := func(prose []byte) []byte {
		return link.ReplaceAllFunc(prose, func(found []byte) []byte {
			parts := link.FindSubmatch(found)
			target, fragment, _ := strings.Cut(string(parts[2]), "#")
			if target == "" || strings.Contains(target, ":") {
				return found
			}
			file := path.Join(path.Dir(name), target)
			place, ok := placeOf(file, places)
			if !ok {
				if _, missing := fs.Stat(sources, file); missing != nil && err == nil {
					err = fmt.Errorf("%s links to %s, which does not exist", name, parts[2])
				}
				return parts[1]
			}
			to, _ := filepath.Rel(path.Dir(places[name]), place) // both are relative
			to = filepath.ToSlash(to)
			if fragment != "" {
				to += "#" + fragment
			}
			return fmt.Appendf(nil, "[%s](%s)", parts[1], to)
		})
	}
	var changed []byte
	at := 0
	for _, block := range fenced.FindAllIndex(text, -1) {
		changed = append(append(changed, change(text[at:block[0]])...), text[block[0]:block[1]]...)
		at = block[1]
	}
	return append(changed, change(text[at:])...), err
}

// placeOf finds the place of a file, or of a folder whose files keep theirs.
func placeOf(name string, places map[string]string) (place string, ok bool) {
	if place, ok = places[name]; ok {
		return place, true
	}
	for file, place := range places {
		if file == place && strings.HasPrefix(file, name+"/") {
			return name, true
		}
	}
	return "", false
}
