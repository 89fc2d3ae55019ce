package main

import (
	"embed"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

// scripts run when the package is installed, upgraded or removed.
//
//go:embed deb
var scripts embed.FS

const (
	debianDocs     = "/usr/share/doc/backoffice"
	debianSettings = "/etc/backoffice/backoffice.env"
)

// debian returns what writes a package for Debian and its kin. It has the files of an archive, pages in debianDocs.
func (r release) debian(scratch, version, architecture, program string, entries []entry) (func(io.Writer) error, error) {
	unit, err := os.ReadFile(filepath.Join(r.root, "deploy/backoffice.service"))
	if err != nil {
		return nil, err
	}
	unit, err = unitOf(unit)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(scratch, "deb-"+architecture)
	if err := os.CopyFS(folder, scripts); err != nil {
		return nil, err
	}
	unitFile := filepath.Join(folder, "backoffice.service")
	if err := os.WriteFile(unitFile, unit, 0o600); err != nil {
		return nil, err
	}
	contents := files.Contents{
		content(program, "/usr/bin/backoffice", 0o755),
		content(unitFile, "/usr/lib/systemd/system/backoffice.service", 0o644),
		content(filepath.Join(r.root, "deploy/backoffice.env"), debianSettings, 0o640),
		{Source: "THIRD_PARTY_NOTICES.txt", Destination: debianDocs + "/copyright", Type: files.TypeSymlink,
			FileInfo: &files.ContentFileInfo{MTime: then}},
	}
	contents[2].Type = files.TypeConfig
	for _, e := range sorted(entries) {
		contents = append(contents, content(e.file, path.Join(debianDocs, e.place), e.mode))
	}
	script := func(name string) string { return filepath.Join(folder, "deb", name) }
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "backoffice", Arch: architecture, Version: debianVersion(version), VersionSchema: "none",
		Maintainer: "Backoffice <backoffice@example.org>", Section: "net", Priority: "optional", MTime: then,
		Description: "GraphQL and REST gateway over the data of an accounting office\n" +
			"One program with an embedded store, or on PostgreSQL.\n" +
			"It starts when you ask for it: systemctl enable --now backoffice.",
		DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Depends: []string{"passwd"}, Recommends: []string{"ca-certificates"}, Contents: contents,
			Scripts: nfpm.Scripts{PreInstall: script("preinst"), PostInstall: script("postinst"),
				PreRemove: script("prerm"), PostRemove: script("postrm")},
		},
	})
	return func(w io.Writer) error { return deb.Default.Package(info, w) }, nil
}

func content(file, destination string, mode os.FileMode) *files.Content {
	return &files.Content{Source: file, Destination: destination,
		FileInfo: &files.ContentFileInfo{Mode: mode, MTime: then}}
}

var unitHead = regexp.MustCompile(`\A(?:#.*\n)+`)

// unitOf is the unit for the package's own path of the program.
func unitOf(unit []byte) ([]byte, error) {
	text := unitHead.ReplaceAllString(string(unit), "# Settings are in "+debianSettings+".\n")
	const from, to = "ExecStart=/usr/local/bin/", "ExecStart=/usr/bin/"
	if strings.Count(text, from) != 1 {
		return nil, errors.New("backoffice.service does not have " + from + " once")
	}
	return []byte(strings.Replace(text, from, to, 1)), nil
}

// debianVersion sorts a version before the release that it leads to: v1.2.0-rc.1 is 1.2.0~rc.1.
func debianVersion(version string) string {
	if version == "devel" {
		return "0~devel"
	}
	return strings.Replace(strings.TrimPrefix(version, "v"), "-", "~", 1)
}
