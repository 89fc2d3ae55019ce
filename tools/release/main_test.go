package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
)

func TestAReleaseHasAnArchiveABillOfMaterialsAndChecksums(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	if err := (release{root: "../..", out: out, targets: runtime.GOOS + "/" + runtime.GOARCH}).make(); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		content, err := os.ReadFile(filepath.Join(out, name))
		if err != nil || fmt.Sprintf("%x", sha256.Sum256(content)) != sum {
			t.Errorf("%s: %v", line, err)
		}
		names = append(names, name)
	}
	folder := strings.TrimSuffix(names[0], ".tar.gz")
	want := []string{folder + ".tar.gz", folder + ".cdx.json"}
	if runtime.GOOS == "linux" {
		want = append(want, folder+".deb")
	}
	if !strings.HasSuffix(folder, "_"+runtime.GOOS+"_"+runtime.GOARCH) || !slices.Equal(names, want) {
		t.Fatalf("%q", names)
	}
	files := within(unpacked(t, opened(t, filepath.Join(out, names[0]))), folder)
	complete(t, files, "backoffice")
	followed(t, files)
	if mode := files["deploy/failover.sh"].mode; mode != 0o755 {
		t.Errorf("failover.sh has mode %o", mode)
	}
	program := filepath.Join(t.TempDir(), "backoffice")
	if err := os.WriteFile(program, files["backoffice"].content, 0o700); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(program, "version", "--json").Output()
	if err != nil || !strings.Contains(string(said), `"schema":`) {
		t.Errorf("%s %v", said, err)
	}
	billed(t, filepath.Join(out, names[1]), program)
	if len(names) == 3 {
		works(t, files)
		upgrades(t, files)
		packaged(t, filepath.Join(out, names[2]), files)
	}
}

// billed holds a bill of materials to what the program's build says of it.
func billed(t *testing.T, path, program string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var document cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(file, cyclonedx.BOMFileFormatJSON).Decode(&document); err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil || document.Metadata.Component.Name != info.Main.Path {
		t.Fatal(err, document.Metadata)
	}
	parts := map[string]cyclonedx.Component{}
	for _, c := range *document.Components {
		if parts[c.PackageURL].Name != "" || c.Version == "" {
			t.Errorf("twice, or without a version: %s", c.PackageURL)
		}
		parts[c.PackageURL] = c
	}
	for _, module := range info.Deps {
		if c := parts["pkg:golang/"+module.Path+"@"+module.Version]; c.Hashes == nil || len((*c.Hashes)[0].Value) != 2*sha256.Size {
			t.Errorf("%s: %+v", module.Path, c)
		}
	}
	var locked struct {
		Packages map[string]struct{ Version string }
	}
	lock, err := os.ReadFile("../../web/graphiql/page/package-lock.json")
	if err == nil {
		err = json.Unmarshal(lock, &locked)
	}
	for _, name := range []string{"graphiql", "monaco-editor", "@fontsource/fira-code", "@graphiql/react"} {
		c := parts["pkg:npm/"+strings.Replace(name, "@", "%40", 1)+"@"+locked.Packages["node_modules/"+name].Version]
		if err != nil || c.Licenses == nil {
			t.Errorf("%s %v: %+v", name, err, c)
		}
	}
	if _, known := parts["pkg:golang/std@"+strings.TrimPrefix(info.GoVersion, "go")]; !known || len(parts) < 100 {
		t.Errorf("%d parts, with Go %t", len(parts), known)
	}
}

func opened(t *testing.T, path string) io.Reader {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(content)
}

// file is one in an archive.
type file struct {
	content []byte
	mode    fs.FileMode
	link    string
}

func unpacked(t *testing.T, from io.Reader) map[string]file {
	t.Helper()
	packed, err := gzip.NewReader(from)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]file{}
	for archive := tar.NewReader(packed); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag != tar.TypeDir {
			files[path.Join("/", header.Name)] = file{content, header.FileInfo().Mode().Perm(), header.Linkname}
		}
	}
}

// within are the files in a folder, by their paths in it.
func within(files map[string]file, folder string) map[string]file {
	inside := map[string]file{}
	for name, f := range files {
		if rest, in := strings.CutPrefix(name, path.Join("/", folder)+"/"); in {
			inside[rest] = f
		}
	}
	return inside
}

func TestTheSameFilesMakeTheSameArchive(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	entries := []entry{{"b/program", filepath.Join(folder, "program"), 0o755}, {"a", filepath.Join(folder, "text"), 0o644}}
	for _, pack := range []func(io.Writer, string, []entry) error{tarball, zipfile} {
		var made [2]bytes.Buffer
		for i := range made {
			for _, e := range entries {
				if err := os.WriteFile(e.file, []byte(e.place), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := pack(&made[i], "folder", entries); err != nil {
				t.Fatal(err)
			}
			slices.Reverse(entries)
		}
		if !bytes.Equal(made[0].Bytes(), made[1].Bytes()) {
			t.Error("the archives differ")
		}
	}
}

func TestAProgramOfWindowsIsInAZipFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "backoffice.exe")
	if err := os.WriteFile(file, []byte("program"), 0o600); err != nil {
		t.Fatal(err)
	}
	var made bytes.Buffer
	if err := zipfile(&made, "folder", []entry{{"backoffice.exe", file, 0o755}}); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(made.Bytes()), int64(made.Len()))
	if err != nil {
		t.Fatal(err)
	}
	content, err := fs.ReadFile(archive, path.Join("folder", "backoffice.exe"))
	if err != nil || string(content) != "program" || archive.File[0].Mode() != 0o755 {
		t.Errorf("%s %v %v", content, err, archive.File[0].Mode())
	}
}
