package main

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// complete checks the names of an archive's files against the folders of the sources.
func complete(t *testing.T, files map[string]file, others ...string) {
	t.Helper()
	want := append([]string{"CHANGELOG.md", "README.md", "THIRD_PARTY_NOTICES.txt"}, others...)
	developers := map[string]bool{
		"docs/reading.md": true, "deploy/Dockerfile.dockerignore": true, "deploy/load/main.go": true,
		"deploy/partitions.sql": true, "deploy/release.md": true, // README.md
	}
	sources := os.DirFS("../..")
	for _, folder := range []string{"docs", "deploy"} {
		err := fs.WalkDir(sources, folder, func(name string, file fs.DirEntry, err error) error {
			if err == nil && !file.IsDir() && !developers[name] {
				want = append(want, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("%q\nnot\n%q", got, want)
	}
	if !strings.HasPrefix(string(files["README.md"].content), "# Backoffice\n") || len(files["docs/graphiql.png"].content) == 0 {
		t.Error("no README, or no picture")
	}
}

var (
	block    = regexp.MustCompile("(?ms)^```.*?^```$")
	target   = regexp.MustCompile(`\]\(([^)]*)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	unlinked = regexp.MustCompile("[^a-z0-9 _-]")
)

// followed follows every link of every page in an archive.
func followed(t *testing.T, files map[string]file) {
	t.Helper()
	for _, wrong := range broken(files) {
		t.Error(wrong)
	}
}

func broken(files map[string]file) (wrong []string) {
	count := 0
	for name, f := range files {
		if path.Ext(name) != ".md" {
			continue
		}
		for _, found := range target.FindAllStringSubmatch(block.ReplaceAllString(string(f.content), ""), -1) {
			to, fragment, _ := strings.Cut(found[1], "#")
			if strings.Contains(to, "://") {
				continue
			}
			count++
			at := path.Join(path.Dir(name), to)
			if to == "" {
				at = name
			}
			page, ok := files[at]
			if !ok && len(within(prefixed(files), at)) == 0 || fragment != "" && !anchors(page.content)[fragment] {
				wrong = append(wrong, name+" links to "+found[1])
			}
		}
	}
	if count == 0 {
		wrong = append(wrong, "no page has a link")
	}
	slices.Sort(wrong)
	return wrong
}

// prefixed are files by absolute paths.
func prefixed(files map[string]file) map[string]file {
	absolute := make(map[string]file, len(files))
	for name, f := range files {
		absolute["/"+name] = f
	}
	return absolute
}

// anchors are the names by which GitHub and its kin link to the headings of a page.
func anchors(text []byte) map[string]bool {
	names := map[string]bool{}
	for _, found := range heading.FindAllStringSubmatch(block.ReplaceAllString(string(text), ""), -1) {
		name := unlinked.ReplaceAllString(strings.ToLower(found[1]), "")
		names[strings.ReplaceAll(name, " ", "-")] = true
	}
	return names
}

func TestABrokenLinkOfAnArchiveIsFound(t *testing.T) {
	t.Parallel()
	page := func(text string) file { return file{content: []byte(text)} }
	got := broken(map[string]file{
		"README.md": page("# A title\n[a](docs/a.md#one-more-thing) [b](docs/b.md) [web](https://example.org) [up](#a-title) [d](docs)"),
		"docs/a.md": page("## One more thing!\n[r](../README.md#no) [c](c.png)\n```\n[x](y)\n```\n"),
	})
	want := []string{"README.md links to docs/b.md", "docs/a.md links to ../README.md#no", "docs/a.md links to c.png"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestPagesOfAnArchiveLinkToWhatIsInIt(t *testing.T) {
	t.Parallel()
	pages := fstest.MapFS{
		"docs/page.md": {Data: []byte("[up](../deploy/release.md#a) [code](../a/b.go), [the\nunit](../deploy/x.service)\n" +
			"```sh\n[no](link)\n```\n[docs](.) [web](https://example.org/a) [here](#b) ![picture](p.png) [read](reading.md)")},
		"docs/p.png": {}, "docs/reading.md": {}, "deploy/release.md": {}, "deploy/x.service": {}, "a/b.go": {},
		"deploy/load/main.go": {},
	}
	places, err := placesIn(pages)
	if err != nil {
		t.Fatal(err)
	}
	if places["docs/reading.md"] != "" || places["deploy/load/main.go"] != "" || places["deploy/release.md"] != "README.md" {
		t.Errorf("%q", places)
	}
	got, err := relinked(pages["docs/page.md"].Data, "docs/page.md", places, pages)
	want := "[up](../README.md#a) code, [the\nunit](../deploy/x.service)\n" +
		"```sh\n[no](link)\n```\n[docs](.) [web](https://example.org/a) [here](#b) ![picture](p.png) read"
	if err != nil || string(got) != want {
		t.Errorf("%s %v", got, err)
	}
	_, err = relinked([]byte("[gone](gone.md)"), "docs/page.md", places, pages)
	if err == nil || !strings.Contains(err.Error(), "docs/page.md links to gone.md") {
		t.Error(err)
	}
}

func TestAReleaseFailsWithABrokenLink(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"CHANGELOG.md": "", "web/notices/THIRD_PARTY_NOTICES.txt": "", "deploy/release.md": "", "docs/a.md": "[b](b.md)",
	} {
		if err := os.MkdirAll(filepath.Join(root, path.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := (release{root: root, out: t.TempDir()}).make()
	if err == nil || !strings.Contains(err.Error(), "docs/a.md links to b.md") {
		t.Error(err)
	}
}
