package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"
)

// entry is a file in an archive.
type entry struct {
	place string // in the archive's folder
	file  string
	mode  fs.FileMode
}

// then is when all files of an archive were changed, so that the same files make the same archive.
var then = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

func sorted(entries []entry) []entry {
	return slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return cmp.Compare(a.place, b.place) })
}

func tarball(w io.Writer, folder string, entries []entry) error {
	packed := gzip.NewWriter(w)
	archive := tar.NewWriter(packed)
	for _, e := range sorted(entries) {
		content, err := os.ReadFile(e.file)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: path.Join(folder, e.place), Mode: int64(e.mode), Size: int64(len(content)), ModTime: then}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(content); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), packed.Close())
}

func zipfile(w io.Writer, folder string, entries []entry) error {
	archive := zip.NewWriter(w)
	for _, e := range sorted(entries) {
		content, err := os.ReadFile(e.file)
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: path.Join(folder, e.place), Method: zip.Deflate, Modified: then}
		header.SetMode(e.mode)
		file, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := file.Write(content); err != nil {
			return err
		}
	}
	return archive.Close()
}
