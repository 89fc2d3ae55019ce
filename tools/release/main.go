// Release builds what is published of a version: for each system and architecture an archive with the program, its
// pages, settings for deploying it and its notices, for Linux a Debian package too, the bill of materials, and the
// checksums of all. It builds the sources as they are; the version is the tag of the commit, as Go finds it.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// targets are the systems and architectures of a release.
const targets = "linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"

func main() {
	log.SetFlags(0)
	r := release{root: ".."}
	flag.StringVar(&r.out, "out", "../bin/release", "The folder to write; what is in it stays.")
	flag.StringVar(&r.targets, "targets", targets, "Which systems and architectures.")
	flag.Parse()
	if err := r.make(); err != nil {
		log.Fatal(err)
	}
}

// release is what is made of the sources in root.
type release struct{ root, out, targets string }

// make writes for each target an archive, its bill of materials and for Linux a Debian package; and SHA256SUMS, which
// sha256sum --check reads.
func (r release) make() error {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "backoffice-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	contents, err := r.contents(filepath.Join(scratch, "contents"))
	if err != nil {
		return err
	}
	var sums strings.Builder
	for target := range strings.FieldsSeq(r.targets) {
		made, err := r.target(scratch, target, contents)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		for _, name := range made {
			sum, err := digest(filepath.Join(r.out, name))
			if err != nil {
				return err
			}
			fmt.Fprintf(&sums, "%x  %s\n", sum, name)
			log.Print(name)
		}
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(sums.String()), 0o644) //nolint:gosec // it is published
}

// target makes the files of one target and returns their names.
func (r release) target(scratch, target string, contents []entry) (made []string, err error) {
	system, architecture, ok := strings.Cut(target, "/")
	if !ok {
		return nil, errors.New("a target is a system and an architecture, such as linux/amd64")
	}
	program := "backoffice"
	if system == "windows" {
		program += ".exe"
	}
	path := filepath.Join(scratch, system+"-"+architecture, program)
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, ".")
	build.Dir, build.Stderr = r.root, os.Stderr
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+architecture)
	if err := build.Run(); err != nil {
		return nil, err
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	version := "devel"
	if !strings.HasPrefix(info.Main.Version, "(") {
		version = info.Main.Version
	}
	name := fmt.Sprintf("backoffice_%s_%s_%s", version, system, architecture)
	bill, err := r.bill(info)
	if err != nil {
		return nil, err
	}
	entries := append([]entry{{program, path, 0o755}}, contents...)
	packed, pack := name+".tar.gz", tarball
	if system == "windows" {
		packed, pack = name+".zip", zipfile
	}
	if err := written(filepath.Join(r.out, packed), func(w io.Writer) error { return pack(w, name, entries) }); err != nil {
		return nil, err
	}
	if err := written(filepath.Join(r.out, name+".cdx.json"), bill); err != nil {
		return nil, err
	}
	made = []string{packed, name + ".cdx.json"}
	if system == "linux" {
		pack, err := r.debian(scratch, version, architecture, path, contents)
		if err != nil {
			return nil, err
		}
		made = append(made, name+".deb")
		return made, written(filepath.Join(r.out, name+".deb"), pack)
	}
	return made, nil
}

// written makes a file of what write gives it.
func written(path string, write func(w io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

func digest(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return sum.Sum(nil), err
}
