package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blakesmith/ar"
)

// packaged reads a Debian package back. Its pages are those of the archive.
func packaged(t *testing.T, deb string, archive map[string]file) {
	t.Helper()
	control, data := readDeb(t, opened(t, deb))
	pages := within(data, debianDocs)
	if link := pages["copyright"].link; link != "THIRD_PARTY_NOTICES.txt" {
		t.Errorf("the copyright is a link to %q", link)
	}
	delete(pages, "copyright")
	complete(t, pages)
	followed(t, pages)
	if !bytes.Equal(data["/usr/bin/backoffice"].content, archive["backoffice"].content) {
		t.Error("the program is another one than the archive's")
	}
	for name, mode := range map[string]uint32{
		"/usr/bin/backoffice": 0o755, "/usr/lib/systemd/system/backoffice.service": 0o644, debianSettings: 0o640,
	} {
		if got := uint32(data[name].mode); got != mode {
			t.Errorf("%s has mode %o", name, got)
		}
	}
	if len(data) != len(pages)+4 {
		t.Errorf("%d files, %d of them pages", len(data), len(pages))
	}
	if got := string(control["/conffiles"].content); got != debianSettings+"\n" {
		t.Errorf("settings that an upgrade keeps: %q", got)
	}
	unit := string(data["/usr/lib/systemd/system/backoffice.service"].content)
	if !strings.Contains(unit, "\nExecStart=/usr/bin/backoffice serve\n") || !strings.Contains(unit, "\nEnvironmentFile=-"+debianSettings+"\n") ||
		strings.Contains(unit, "/usr/local") || !strings.Contains(unit, "\nUser=backoffice\n") {
		t.Error(unit)
	}
	for line := range strings.Lines(string(data[debianSettings].content)) {
		if line != "\n" && !strings.HasPrefix(line, "#") {
			t.Errorf("a setting that nobody made: %s", line)
		}
	}
	behave(t, control)
}

// readDeb returns the files of a package's two parts.
func readDeb(t *testing.T, from io.Reader) (control, data map[string]file) {
	t.Helper()
	for parts := ar.NewReader(from); ; {
		part, err := parts.Next()
		if errors.Is(err, io.EOF) {
			return control, data
		} else if err != nil {
			t.Fatal(err)
		}
		switch strings.TrimSuffix(part.Name, "/") {
		case "control.tar.gz":
			control = unpacked(t, parts)
		case "data.tar.gz":
			data = unpacked(t, parts)
		}
	}
}

// behave runs the scripts of a package with commands that note how they were called. The scripts must start no server,
// and must not replace the program of a running one.
func behave(t *testing.T, control map[string]file) {
	t.Helper()
	folder := t.TempDir()
	called := filepath.Join(folder, "called")
	for name, text := range map[string]string{
		"systemctl": "#!/bin/sh\necho systemctl \"$@\" >>" + called + "\n[ \"$1\" != show ] || [ -z \"$ACTIVE\" ] || echo \"$ACTIVE\"\n[ \"$2\" != is-active ] || [ \"$ACTIVE\" = active ]\n",
		"getent":    "#!/bin/sh\nexit 2\n", "useradd": "#!/bin/sh\necho useradd >>" + called + "\n",
		"chgrp": "#!/bin/sh\necho \"chgrp $*\" >>" + called + "\n", "install": "#!/bin/sh\necho \"install $*\" >>" + called + "\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const user, group = "useradd\n", "chgrp backoffice " + debianSettings + "\n"
	const made = "install -d -o backoffice -g backoffice -m 700 /nowhere/var/lib/backoffice\nsystemctl daemon-reload\n"
	const asked = "systemctl show --property=ActiveState --value backoffice.service\n"
	for _, c := range []struct{ script, args, active, want string }{
		{"preinst", "install", "active", ""},
		{"preinst", "upgrade 1.0", "inactive", asked},
		{"preinst", "upgrade 1.0", "failed", asked},
		{"preinst", "upgrade 1.0", "", asked},
		{"preinst", "upgrade 1.0", "active", asked + "failed\n"},
		{"preinst", "upgrade 1.0", "activating", asked + "failed\n"}, // as it waits for its next start
		{"preinst", "upgrade 1.0", "deactivating", asked + "failed\n"},
		{"postinst", "configure", "inactive", user + group + made},
		{"postinst", "configure 1.0", "inactive", user + made},
		{"postinst", "abort-upgrade 1.0", "active", ""},
		{"prerm", "upgrade 2.0", "active", ""},
		{"prerm", "remove", "active", "systemctl disable --now backoffice.service\n"},
		{"postrm", "remove", "inactive", "systemctl daemon-reload\n"},
		{"postrm", "purge", "inactive", "systemctl daemon-reload\n"},
	} {
		script := control["/"+c.script]
		if script.mode != 0o755 {
			t.Errorf("%s has mode %o", c.script, script.mode)
		}
		text := strings.NewReplacer("/run/systemd/system", folder, "/var/lib/backoffice", "/nowhere/var/lib/backoffice").
			Replace(string(script.content))
		got := ran(t, text, folder, c.args, c.active)
		if got != c.want {
			t.Errorf("%s %s: %q, not %q", c.script, c.args, got, c.want)
		}
		if strings.Contains(text, "rm ") || strings.Contains(text, "userdel") {
			t.Errorf("%s deletes: %s", c.script, text)
		}
	}
}

// ran returns the commands that a script ran.
func ran(t *testing.T, script, folder, args, active string) string {
	t.Helper()
	called := filepath.Join(folder, "called")
	if err := os.WriteFile(called, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("sh", append([]string{"-c", script, "script"}, strings.Fields(args)...)...)
	command.Env = []string{"PATH=" + folder + ":" + os.Getenv("PATH"), "ACTIVE=" + active}
	failed := command.Run()
	said, err := os.ReadFile(called)
	if err != nil {
		t.Fatal(err)
	}
	if failed != nil {
		said = append(said, "failed\n"...)
	}
	return string(said)
}

func TestAPackageIsForItsArchitectureAndTheSameEachTime(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "backoffice")
	if err := os.WriteFile(program, []byte("program"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := release{root: "../.."}
	var packages [2]bytes.Buffer
	for i := range packages {
		pack, err := r.debian(t.TempDir(), "v1.2.0-rc.1", "arm64", program, []entry{{"README.md", "../../README.md", 0o644}})
		if err == nil {
			err = pack(&packages[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(packages[0].Bytes(), packages[1].Bytes()) {
		t.Error("the packages differ")
	}
	control, _ := readDeb(t, &packages[0])
	for _, line := range []string{"Package: backoffice", "Version: 1.2.0~rc.1", "Architecture: arm64", "Depends: passwd"} {
		if !strings.Contains(string(control["/control"].content), line+"\n") {
			t.Errorf("no %s: %s", line, control["/control"].content)
		}
	}
}

func TestAVersionSortsBeforeTheReleaseItLeadsTo(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"v1.2.0": "1.2.0", "v1.2.0-rc.1": "1.2.0~rc.1", "devel": "0~devel",
		"v1.2.1-0.20261126003134-cce4ef6abcde+dirty": "1.2.1~0.20261126003134-cce4ef6abcde+dirty",
	} {
		if got := debianVersion(version); got != want {
			t.Errorf("%s: %s", version, got)
		}
	}
}
