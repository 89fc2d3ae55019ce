package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.org/backoffice/tools/rig"
)

// shipper is a server that ships, whose machine is lost again and again: it is killed while clients write and the place
// to which it ships breaks, and the store is restored from there alone.
type shipper struct {
	office     *rig.Office
	server     *rig.Server
	credential rig.Credential
	waits      bool // it acknowledges only what is shipped
	disk       *rig.Disk

	mutex        sync.Mutex
	acknowledged map[string]time.Time
	lag          atomic.Int64 // milliseconds
	looked       atomic.Int64 // when, in milliseconds
	lags         []int64      // in milliseconds, of a round
}

// places are what happens to the place in a round, in turn; each returns when it is as it was.
var places = []struct {
	name   string
	breaks func(*shipper) error
}{
	{"well", func(*shipper) error { return nil }},
	{"gone for a second", func(s *shipper) error { return s.away(time.Second) }},
	{"well", func(*shipper) error { return nil }},
	{"full for a second", func(s *shipper) error {
		if s.disk == nil {
			return nil
		}
		if err := s.disk.Fill(0); err != nil {
			return err
		}
		time.Sleep(time.Second)
		return s.disk.Empty()
	}},
}

const writersAtOnce = 8

func (s *shipper) place() string { return filepath.Join(s.office.Folder, "disk", "place") }

// away moves the place for a while.
func (s *shipper) away(d time.Duration) error {
	if err := os.Rename(s.place(), s.place()+"-away"); err != nil {
		return err
	}
	time.Sleep(d)
	return os.Rename(s.place()+"-away", s.place())
}

// ship loses the machine so many times, and counts.
func (o options) ship() (whole bool, err error) {
	fmt.Println("| acknowledged is | the place was | kills | writes acknowledged | older than the lag and lost | younger and lost | the oldest of these | lag, p50 and p99 | longest restore |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	whole = true
	for _, waits := range []bool{false, true} {
		s := &shipper{waits: waits, acknowledged: map[string]time.Time{}, office: &rig.Office{Binary: o.binary, Folder: filepath.Join(o.folder, fmt.Sprint("ship-", waits))}}
		well, err := s.lose(o)
		if err != nil {
			return false, err
		}
		whole = whole && well
	}
	return whole, nil
}

func (s *shipper) open(o options) (err error) {
	if err = os.MkdirAll(filepath.Dir(s.place()), 0o755); err != nil {
		return err
	}
	if !o.noDisks {
		if s.disk, err = rig.NewDisk(filepath.Dir(s.place()), 2000); err != nil {
			return err
		}
	}
	if err = os.Mkdir(s.place(), 0o755); err != nil {
		return err
	}
	s.office.Database = "sqlite:" + filepath.Join(s.office.Folder, "store", "backoffice.db")
	if _, err = s.office.Run("migrate"); err != nil {
		return err
	}
	if s.credential, err = s.office.Issue("chaos", "settings.write"); err != nil {
		return err
	}
	if s.server, err = s.office.NewServer("server"); err != nil {
		return err
	}
	s.server.Flags = []string{"--ship", "file:" + s.place()}
	if s.waits {
		s.server.Flags = append(s.server.Flags, "--ship-wait")
	}
	return nil
}

// losses are what was acknowledged and lost in the rounds in which the place was in one state.
type losses struct {
	kills, acknowledged, lost, young int
	oldest, restore                  time.Duration // of the young ones; the longest
	lags                             []int64       // milliseconds
}

func (s *shipper) lose(o options) (whole bool, err error) {
	if err := s.open(o); err != nil {
		return false, err
	}
	defer func() {
		if s.disk != nil {
			_ = s.disk.Close()
		}
	}()
	whole = true
	by := map[string]*losses{}
	for round := range o.kills {
		place := places[round%len(places)]
		if by[place.name] == nil {
			by[place.name] = &losses{}
		}
		of := by[place.name]
		acknowledged := len(s.acknowledged)
		s.lags = nil
		killed, err := s.round(round)
		if err != nil {
			return false, fmt.Errorf("round %d: %w", round, err)
		}
		began := time.Now()
		there, err := s.restored()
		if err != nil {
			return false, fmt.Errorf("round %d: %w", round, err)
		}
		of.kills, of.restore = of.kills+1, max(of.restore, time.Since(began))
		of.acknowledged += len(s.acknowledged) - acknowledged
		of.lags = append(of.lags, s.lags...)
		lag := killed.Sub(time.UnixMilli(s.looked.Load())) + time.Duration(s.lag.Load())*time.Millisecond
		for name, at := range s.acknowledged {
			age := killed.Sub(at)
			switch {
			case there[name]:
			case s.waits || age > lag:
				of.lost, whole = of.lost+1, false
				fmt.Fprintf(os.Stderr, "chaos: round %d, the place %s: a write acknowledged %v before the kill is lost; the lag was %v\n", round, place.name, age, lag)
			default:
				of.young, of.oldest = of.young+1, max(of.oldest, age)
			}
		}
	}
	told := "what is stored"
	if s.waits {
		told = "what is shipped (`--ship-wait`)"
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		of := by[name]
		slices.Sort(of.lags)
		fmt.Printf("| %s | %s | %d | %d | %d | %d | %v | %v and %v | %v |\n", told, name, of.kills, of.acknowledged, of.lost, of.young, of.oldest.Round(10*time.Millisecond),
			time.Duration(of.lags[len(of.lags)/2])*time.Millisecond, time.Duration(of.lags[len(of.lags)*99/100])*time.Millisecond, of.restore.Round(10*time.Millisecond))
	}
	return whole, nil
}

// round serves for two to four seconds and returns when the server was killed.
func (s *shipper) round(round int) (killed time.Time, err error) {
	if err := s.server.Start(s.office, nil); err != nil {
		return killed, err
	}
	if _, err := s.server.Ready(time.Minute); err != nil {
		return killed, err
	}
	var all sync.WaitGroup
	until := make(chan struct{})
	for w := range writersAtOnce {
		all.Go(func() { s.write(fmt.Sprintf("%d of %d", w, round), until) })
	}
	all.Go(func() { s.look(until) })
	time.Sleep(time.Second)
	err = places[round%len(places)].breaks(s)
	time.Sleep(time.Duration(rand.IntN(2000)) * time.Millisecond)
	killed = time.Now()
	s.server.Kill()
	close(until)
	all.Wait()
	return killed, err
}

// write makes labels until the server is gone, and notes those that it acknowledges.
func (s *shipper) write(who string, until <-chan struct{}) {
	client := rig.NewClient(s.server.Address, s.credential, 1, 30*time.Second)
	for n := 0; ; n++ {
		name := fmt.Sprintf("Label %d, %s", n, who)
		request, err := http.NewRequest(http.MethodPost, "http://"+s.server.Address+"/settings/labels", strings.NewReader(fmt.Sprintf(`{"name":%q}`, name)))
		if err != nil {
			return
		}
		request.Header.Set("Content-Type", "application/json")
		answer, err := client.Do(request)
		if err != nil {
			return
		}
		if answer.Status == http.StatusCreated {
			s.mutex.Lock()
			s.acknowledged[name] = time.Now()
			s.mutex.Unlock()
		}
		select {
		case <-until:
			return
		case <-time.After(40 * time.Millisecond): // 200 a second
		}
	}
}

// look reads the server's lag again and again.
func (s *shipper) look(until <-chan struct{}) {
	for {
		select {
		case <-until:
			return
		case <-time.After(20 * time.Millisecond):
		}
		began := time.Now()
		response, err := http.Get("http://" + s.server.Metrics + "/metrics")
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "backoffice_ship_lag_seconds "); ok {
				if lag, err := strconv.ParseFloat(text, 64); err == nil {
					s.lag.Store(int64(lag * 1000))
					s.lags = append(s.lags, int64(lag*1000))
					s.looked.Store(began.UnixMilli())
				}
			}
		}
		response.Body.Close()
	}
}

// restored are the names of the labels in a store that is restored from the place, as on another machine.
func (s *shipper) restored() (names map[string]bool, err error) {
	folder := filepath.Join(s.office.Folder, "restored")
	defer os.RemoveAll(folder)
	if err := os.MkdirAll(filepath.Join(folder, "files"), 0o755); err != nil {
		return nil, err
	}
	other := *s.office
	other.Keyset, other.Files = filepath.Join(s.office.Folder, "keyset.json"), filepath.Join(folder, "files")
	other.Database = "sqlite:" + filepath.Join(folder, "backoffice.db")
	if _, err := other.Run("restore", "file:"+s.place(), "--ship-keyset", filepath.Join(s.office.Folder, "ship-keyset.json")); err != nil {
		return nil, err
	}
	if _, err := other.Run("export", filepath.Join(folder, "export")); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(filepath.Join(folder, "export", "labels.ndjson"))
	if err != nil {
		return nil, err
	}
	names = map[string]bool{}
	for line := range strings.Lines(string(content)) {
		var label struct{ Name string }
		if err := json.Unmarshal([]byte(line), &label); err != nil {
			return nil, err
		}
		names[label.Name] = true
	}
	if len(names) == 0 {
		return nil, errors.New("nothing is restored")
	}
	return names, nil
}
