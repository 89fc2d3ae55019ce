package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.org/backoffice/tools/rig"
)

// victim is an office at rest, of which everything is known, whose files are damaged and put right again.
type victim struct {
	*environment
	was     string              // a copy of its files, as a gateway left them that was killed
	emails  map[string][]string // of each customer, all that it ever had; the last is what it has
	numbers []string            // customers with a registration number
	twins   [][2]string         // customers that were always changed together
	files   map[string]string   // digests of documents
}

const (
	twinPairs  = 20
	twinRounds = 10
	number     = "85073003328"
)

// parts are what an office's files are, of which PostgreSQL's are its own.
func (p *victim) parts() []string {
	if p.engine == "postgres" {
		return []string{"files", "keyset.json"}
	}
	return []string{"files", "keyset.json", "store"}
}

// fill makes the office, kills the gateway in the midst of its log, and keeps a copy.
func (p *victim) fill() error {
	p.was, p.emails, p.files = p.at("was"), map[string][]string{}, map[string]string{}
	client := rig.NewClient(p.server.Address, p.credential, 2, 30*time.Second)
	ids, err := client.Fill(200)
	if err != nil {
		return err
	}
	for i, id := range ids {
		p.emails[id] = []string{fmt.Sprintf("office%d@example.org", i)}
	}
	// What was made so far is in the store's file, and what comes is in its log.
	if err := p.server.Stop(time.Minute); err != nil {
		return err
	}
	if err := p.server.Start(p.office, nil); err != nil {
		return err
	}
	if _, err := p.server.Ready(time.Minute); err != nil {
		return err
	}
	of := &noted{}
	for i := range twinPairs {
		w := &checker{client: client, of: of, name: fmt.Sprint("Twins ", i), deaf: func() bool { return false }}
		if err := w.begin(); err != nil {
			return err
		}
		p.twins = append(p.twins, w.ids)
		p.numbers = append(p.numbers, w.ids[0])
		values := []string{w.value}
		for range twinRounds {
			if !w.write() {
				return errors.New(of.example)
			}
			values = append(values, w.value)
		}
		p.emails[w.ids[0]], p.emails[w.ids[1]] = values, values
		w.upload()
		maps.Copy(p.files, w.files)
	}
	if of.wrong+of.refused > 0 || len(p.files) != twinPairs {
		return fmt.Errorf("the office cannot be filled: %s", of.example)
	}
	p.server.Kill()
	for _, part := range p.parts() {
		if err := errors.Join(os.MkdirAll(p.was, 0o755), copyOf(p.at(part), filepath.Join(p.was, part))); err != nil {
			return err
		}
	}
	return nil
}

// mend puts all files back as they were: those that were moved away at their place, the others from the copy.
func (p *victim) mend(live bool) error {
	for _, name := range []string{databaseFile, logFile, "keyset.json", "files"} {
		if _, err := os.Stat(p.at(name) + ".away"); err != nil {
			continue
		}
		if err := errors.Join(os.RemoveAll(p.at(name)), os.Rename(p.at(name)+".away", p.at(name))); err != nil {
			return err
		}
	}
	parts := p.parts()
	if live {
		parts = []string{"files"} // what a program has open is not put back by a copy
	}
	for _, part := range parts {
		if !live {
			if err := os.RemoveAll(p.at(part)); err != nil {
				return err
			}
		}
		if err := copyOf(filepath.Join(p.was, part), p.at(part)); err != nil {
			return err
		}
	}
	return nil
}

// under damages the office so often, looks what it answers, puts it right and looks again.
func (p *victim) under(d damage, once bool) (f findings, err error) {
	f.times = d.often
	if once {
		f.times = 1
	}
	from := p.server.LogSize()
	said := []string{}
	for turn := range f.times {
		random := rand.New(rand.NewPCG(uint64(turn), uint64(len(d.name))))
		words, err := p.once(d, &f, random)
		if err != nil {
			return f, err
		}
		said = append(said, words...)
	}
	lines, err := p.server.LogSince(from)
	if err != nil || d.says == "" || f.unseen == f.times {
		return f, err
	}
	of := &noted{}
	f.words = strings.Join(of.words([]string{d.says}, append(lines, said...)), "")
	if f.mute = of.mute; f.mute > 0 {
		f.example += of.example
	}
	return f, nil
}

func (p *victim) once(d damage, f *findings, random *rand.Rand) (said []string, err error) {
	if err := p.mend(false); err != nil {
		return nil, err
	}
	if d.live {
		if err := p.server.Start(p.office, nil); err != nil {
			return nil, err
		}
		if _, err := p.server.Ready(time.Minute); err != nil {
			return nil, err
		}
		// What it holds in memory is right, and says nothing of the disk; what it has open and has not read yet does.
		if read := p.read(damage{}); read.refused+read.older+read.other+read.wrong > 0 {
			return nil, fmt.Errorf("before anything was damaged: %s", read.example)
		}
	}
	if err := d.does(p, random); err != nil {
		return nil, err
	}
	if !d.live {
		if err := p.server.Start(p.office, nil); err != nil {
			return nil, err
		}
	}
	var noticed bool
	if _, err := p.server.Ready(5 * time.Second); err != nil && !p.server.Lives() {
		f.unstarted++
		noticed = true
	} else {
		read := p.read(d)
		f.wrong, f.torn, f.other = f.wrong+read.wrong, f.torn+read.torn, f.other+min(read.other, 1)
		f.older, f.refused = f.older+min(read.older, 1), f.refused+min(read.refused, 1)
		f.example += read.example
		noticed = read.refused+read.older+read.other+read.wrong > 0
	}
	if out, err := p.office.Run("check"); err != nil {
		f.checked++
		noticed = true
		said = append(said, strings.TrimSpace(string(out)), err.Error())
	}
	if !noticed {
		f.unseen++
	}
	return said, p.recover(d, f)
}

// recover is what an operator does, and how long it takes until all is well then.
func (p *victim) recover(d damage, f *findings) error {
	ends := p.server.Lives() && !d.live
	if ends {
		p.server.Kill()
	}
	if err := p.mend(d.live); err != nil {
		return err
	}
	if !d.live {
		if err := p.server.Start(p.office, nil); err != nil { // as systemd does
			return err
		}
	}
	took, err := p.server.Ready(mostPatience)
	f.healthy = max(f.healthy, took)
	if err != nil {
		f.byHand++
		f.example += err.Error()
		return nil
	}
	if read := p.read(damage{}); read.refused+read.older+read.other+read.wrong+read.torn > 0 {
		f.wrong++
		f.example += "when all was put right: " + read.example
	}
	p.server.Kill()
	return nil
}

// reading is what was read.
type reading struct {
	refused, older, other, wrong, torn int
	example                            string
}

func (r *reading) addf(where *int, format string, values ...any) {
	*where++
	if r.example == "" {
		r.example = fmt.Sprintf(format, values...) + "; "
	}
}

// read reads everything: each customer, each number, each file; and writes.
func (p *victim) read(d damage) (r reading) {
	client := rig.NewClient(p.server.Address, p.credential, 2, 30*time.Second)
	have := map[string]string{}
	ids := make([]string, 0, len(p.emails))
	for id := range p.emails {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, some := range slices.Collect(slices.Chunk(ids, 20)) {
		var found struct {
			Nodes []*struct{ ID, Email string }
		}
		if !p.ask(client, &r, &found, `query($ids: [ID!]!) { nodes(ids: $ids) { id ... on Customer { email } } }`, some) {
			continue
		}
		for i, id := range some {
			switch all := p.emails[id]; {
			case found.Nodes[i] == nil && d.older:
				r.addf(&r.older, "a customer is gone")
			case found.Nodes[i] == nil && d.other:
				r.addf(&r.other, "a customer is gone")
			case found.Nodes[i] == nil:
				r.addf(&r.wrong, "a customer is gone")
			default:
				p.compare(d, &r, found.Nodes[i].Email, all)
				have[id] = found.Nodes[i].Email
			}
		}
	}
	for _, twins := range p.twins {
		if a, b := have[twins[0]], have[twins[1]]; a != "" && b != "" && a != b && !d.other {
			r.addf(&r.torn, "%s beside %s", a, b)
		}
	}
	var found struct {
		Nodes []*struct{ RegistrationNumber string }
	}
	if p.ask(client, &r, &found, `query($ids: [ID!]!) { nodes(ids: $ids) { ... on Customer { registrationNumber } } }`, p.numbers) {
		for _, node := range found.Nodes {
			if node != nil && node.RegistrationNumber != number {
				r.addf(&r.wrong, "another number is disclosed: %q", node.RegistrationNumber)
			}
		}
	}
	for id, digest := range p.files {
		p.download(client, d, &r, id, digest)
	}
	if d.refuses {
		of := &noted{}
		w := &checker{client: client, of: of, name: "Late", ids: p.twins[0], deaf: func() bool { return false }}
		if w.upload(); of.refused != 1 {
			r.addf(&r.wrong, "a write was not refused as the contract has it: %s", of.example)
		}
		r.refused += of.refused
	}
	return r
}

func (p *victim) compare(d damage, r *reading, got string, all []string) {
	switch {
	case got == all[len(all)-1]:
	case slices.Contains(all, got) && d.older:
		r.addf(&r.older, "%s is read", got)
	case d.other:
		r.addf(&r.other, "%q is read", got)
	default:
		r.addf(&r.wrong, "%q is read, it is %q", got, all[len(all)-1])
	}
}

// ask asks for some; a refusal that the contract names is counted as one.
func (p *victim) ask(client *rig.Client, r *reading, into any, query string, ids []string) bool {
	of := &noted{}
	w := &checker{client: client, of: of, deaf: func() bool { return false }}
	if w.answered(into, query, map[string]any{"ids": ids}) {
		return true
	}
	if of.refused > 0 {
		r.addf(&r.refused, "refused")
	} else {
		r.addf(&r.wrong, "%s", of.example)
	}
	return false
}

func (p *victim) download(client *rig.Client, d damage, r *reading, id, digest string) {
	a, err := client.Get("/customers/documents/" + id + "/download")
	var problem struct{ Status int }
	switch {
	case err != nil && a.Status == http.StatusOK: // broken off, which no client takes for the whole
		r.addf(&r.refused, "broken off")
	case err != nil:
		r.addf(&r.wrong, "no answer: %v", err)
	case a.Status == http.StatusOK && digestOf(a.Body) == digest:
	case a.Status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") != "":
		r.addf(&r.refused, "refused")
	case a.Status == http.StatusNotFound && d.older:
		r.addf(&r.older, "a document is gone")
	case a.Status == http.StatusNotFound && d.gone && json.Unmarshal(a.Body, &problem) == nil:
		r.addf(&r.refused, "not found")
	default:
		r.addf(&r.wrong, "a document: status %d, %d bytes: %.200s", a.Status, len(a.Body), a.Body)
	}
}
