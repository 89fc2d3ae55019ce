package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/backoffice/tools/rig"
)

// disks are those of their own on which an environment's data are.
type disks struct{ store, log, files *rig.Disk }

func (s *environment) mount() (err error) {
	if s.disks.store, err = rig.NewDisk(s.at("store"), 512); err != nil {
		return err
	}
	if s.engine == "postgres" {
		if s.disks.log, err = rig.NewDisk(filepath.Join(s.at("store"), "log-disk"), 512); err != nil {
			return err
		}
	}
	s.disks.files, err = rig.NewDisk(s.at("files"), 96)
	return err
}

func (d *disks) close() {
	for _, one := range []*rig.Disk{d.files, d.log, d.store} {
		if one != nil {
			_ = one.Close()
		}
	}
}

// full leaves no room on one of the disks for a while, and does something meanwhile.
func full(which func(*disks) *rig.Disk, meanwhile func(*environment) error) func(*environment) error {
	return fullBut(0, which, meanwhile)
}

func fullBut(keep int64, which func(*disks) *rig.Disk, meanwhile func(*environment) error) func(*environment) error {
	return func(s *environment) error {
		disk := which(&s.disks)
		if err := disk.Fill(keep); err != nil {
			return err
		}
		err := meanwhile(s)
		return errors.Join(err, disk.Empty())
	}
}

func storeDisk(d *disks) *rig.Disk { return d.store }
func logDisk(d *disks) *rig.Disk   { return d.log }
func filesDisk(d *disks) *rig.Disk { return d.files }

func lasting(d time.Duration) func(*environment) error {
	return func(*environment) error { time.Sleep(d); return nil }
}

// fails runs a command that has to fail, and keeps what it said.
func (s *environment) fails(arguments ...string) error {
	_, err := s.office.Run(arguments...)
	if err == nil {
		return fmt.Errorf("%s does its work on a disk that has no room for it", arguments[0])
	}
	s.said = append(s.said, err.Error())
	return nil
}

// sampled is how many of them are looked for.
const sampled = 100

// imported is how many customers a folder has, which takes more room than is left.
const imported = 20_000

// importing imports a folder for which there is no room. PostgreSQL has nothing of it then; SQLite, to which portions are
// written, whole portions from its beginning on. All of it is done later.
func importing(s *environment) error {
	folder := s.at("import")
	var lines strings.Builder
	for i := range imported {
		fmt.Fprintf(&lines, `{"_id":"imported-%d","type":"Company","name":"Imported %d","email":"office%d@example.org"}`+"\n", i, i, i)
	}
	if err := writeFiles(folder, map[string]string{"customers.ndjson": lines.String()}); err != nil {
		return err
	}
	if err := s.fails("import", folder); err != nil {
		return err
	}
	switch count, first, err := s.importedCount(); {
	case err != nil:
		return err
	case count > 0 && (s.engine == "postgres" || !first):
		s.noted.addf(&s.noted.torn, "%d customers of an import that failed are there", count)
	}
	return nil
}

func writeFiles(folder string, files map[string]string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// importFiles imports a folder that has these files.
func (s *environment) importFiles(name string, files map[string]string) error {
	if err := writeFiles(s.at(name), files); err != nil {
		return err
	}
	_, err := s.office.Run("import", s.at(name))
	return err
}

// importedCount is how many of what was imported is there, among some of it; first reports whether none of these lacks
// before one that is there.
func (s *environment) importedCount() (count int, first bool, err error) {
	ids := make([]string, 0, sampled)
	for i := range cap(ids) {
		ids = append(ids, fmt.Sprint("imported-", i*imported/cap(ids)))
	}
	var found struct{ Nodes []*struct{ ID string } }
	client := rig.NewClient(s.server.Address, s.credential, 1, 30*time.Second)
	patiently(func() bool { // it may be refused meanwhile
		err = client.Decode(&found, `query($ids: [ID!]!) { nodes(ids: $ids) { id } }`, map[string]any{"ids": ids})
		return err == nil
	})
	first = true
	for i, node := range found.Nodes {
		if node != nil {
			first = first && count == i
			count++
		}
	}
	return count, first, err
}

// importAgain does, when there is room again, what had to fail.
func importAgain(s *environment) error {
	if _, err := s.office.Run("import", s.at("import")); err != nil {
		return err
	}
	count, _, err := s.importedCount()
	if err == nil && count != sampled {
		s.noted.addf(&s.noted.lost, "%d of %d that were imported are there", count, sampled)
	}
	return err
}

// backingUp makes a backup for which there is no room: nothing passes for one.
func backingUp(s *environment) error {
	target := filepath.Join(s.disks.files.Path, "backup")
	if err := s.fails("backup", target); err != nil {
		return err
	}
	left, err := filepath.Glob(target + "*")
	if err == nil && len(left) > 0 {
		s.noted.addf(&s.noted.torn, "a backup that failed has left %s", left)
	}
	return err
}

// backUpAgain makes one with room, and looks into it.
func backUpAgain(s *environment) error {
	target := filepath.Join(s.disks.files.Path, "backup")
	if _, err := s.office.Run("backup", target); err != nil {
		return err
	}
	copied := *s.office
	copied.Database, copied.Files = "sqlite:"+filepath.Join(target, "backoffice.db"), filepath.Join(target, "files")
	if _, err := copied.Run("check"); err != nil {
		s.noted.addf(&s.noted.torn, "the backup is not whole: %v", err)
	}
	return os.RemoveAll(target)
}

// withoutLog has PostgreSQL write on until its log finds no room, which ends it.
func withoutLog(s *environment) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err := s.cluster.Execute(ctx, "postgres", "SELECT pg_logical_emit_message(true, 'chaos', repeat('x', 900000)), pg_switch_wal()"); err != nil {
			time.Sleep(time.Second)
			return nil
		}
	}
	return errors.New("PostgreSQL goes on without room for its log")
}
