package main

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sample is what the server takes at one time.
type sample struct {
	after      time.Duration
	memory     float64 // MB that are its own, not of files
	live       float64 // MB of them that are in use after a collection
	goroutines float64
	files      float64
	journal    float64 // MB of the write-ahead log of an embedded store
	logged     float64 // kB of the server's log
	log        float64 // bytes of it for each request since the sample before
	requests   float64
	database   float64 // MB of an embedded store
}

// watch looks until the end, and prints each minute.
func (s *soak) watch() error {
	ticker := time.NewTicker(s.every)
	printed := time.Time{}
	fmt.Println("after      memory MB  live MB  goroutines  descriptors  wal MB  log kB  a request  database MB  requests  wrong")
	for time.Since(s.began) < s.duration {
		<-ticker.C
		if !s.server.Lives() {
			return fmt.Errorf("the server ended; see %s", s.server.Log)
		}
		now, err := s.look()
		if err != nil {
			return err
		}
		s.took = append(s.took, now)
		if time.Since(printed) >= time.Minute || s.duration < 5*time.Minute {
			s.came.mu.Lock()
			fmt.Printf("%-10s %9.1f  %7.2f  %10.0f  %11.0f  %6.1f  %6.1f  %9.0f  %11.1f  %8d  %5d\n", now.after.Round(time.Second), now.memory, now.live, now.goroutines, now.files, now.journal, now.logged, now.log, now.database, s.came.requests, s.came.wrong)
			s.came.mu.Unlock()
			printed = time.Now()
		}
	}
	return nil
}

func (s *soak) look() (now sample, err error) {
	now.after = time.Since(s.began)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.server.PID()))
	if err != nil {
		return now, err
	}
	for line := range strings.Lines(string(status)) {
		var kilobytes float64
		if _, err := fmt.Sscanf(line, "RssAnon: %f kB", &kilobytes); err == nil {
			now.memory = kilobytes / 1024
		}
	}
	response, err := http.Get("http://" + s.server.Metrics + "/metrics")
	if err != nil {
		return now, err
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		number, _ := strconv.ParseFloat(value, 64)
		switch name {
		case "go_goroutines":
			now.goroutines = number
		case "process_open_fds":
			now.files = number
		}
	}
	if now.live, err = s.liveHeap(); err != nil {
		return now, err
	}
	size := func(path string) float64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return float64(info.Size())
	}
	now.logged = size(s.server.Log) / 1024
	s.came.mu.Lock()
	now.requests = float64(s.came.requests)
	s.came.mu.Unlock()
	if len(s.took) > 0 {
		last := s.took[len(s.took)-1]
		now.log = (now.logged - last.logged) * 1024 / max(1, now.requests-last.requests)
	}
	if s.engine == "sqlite" {
		now.journal = size(filepath.Join(s.folder, "backoffice.db-wal")) / (1 << 20)
		now.database = size(filepath.Join(s.folder, "backoffice.db")) / (1 << 20)
	}
	return now, nil
}

// flatness is what one measure may grow by from the second quarter of the time to the last: a part of it, and a little
// more that is noise in small numbers. What is kept for each request shows as a trend long before.
type flatness struct {
	name       string
	of         func(sample) float64
	part       float64
	noise      float64
	perRequest float64 // KiB of a measure in MB; 0 is no bound
}

// A healthy server keeps some 0.5 KiB a request while its caches fill. What the system lends it (memory) follows the
// collector's pace, and tells of what is kept outside of Go alone.
var measures = []flatness{
	{"memory MB", func(s sample) float64 { return s.memory }, .25, 24, 0},
	{"live heap MB", func(s sample) float64 { return s.live }, .10, 4, 4},
	{"goroutines", func(s sample) float64 { return s.goroutines }, .10, 8, 0},
	{"descriptors", func(s sample) float64 { return s.files }, .10, 8, 0},
	{"wal MB", func(s sample) float64 { return s.journal }, .10, 4, 0},
	{"log, bytes a request", func(s sample) float64 { return s.log }, .10, 16, 0},
}

// trend is by how many KiB a measure in MB grows with a request, after the first quarter: the median of the slopes
// between all samples, which a few that are out of line do not move.
func trend(took []sample, m flatness) float64 {
	took = took[len(took)/4:]
	var slopes []float64
	for i, from := range took {
		for _, to := range took[i+1:] {
			if more := to.requests - from.requests; more > 0 {
				slopes = append(slopes, (m.of(to)-m.of(from))*1024/more)
			}
		}
	}
	if len(slopes) == 0 {
		return 0
	}
	slices.Sort(slopes)
	return slopes[len(slopes)/2]
}

// growth is the medians of the second quarter and of the last, and whether the measure stays as flat as it has to.
func growth(took []sample, m flatness) (before, after float64, flat bool) {
	middle := func(part []sample) float64 {
		values := make([]float64, len(part))
		for i, one := range part {
			values[i] = m.of(one)
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	quarter := len(took) / 4
	before, after = middle(took[quarter:2*quarter]), middle(took[len(took)-quarter:])
	flat = after <= before*(1+m.part)+m.noise && (m.perRequest == 0 || trend(took, m) <= m.perRequest)
	return before, after, flat
}

func (s *soak) report() (reached bool) {
	reached = true
	line := func(ok bool, format string, values ...any) {
		word := "flat  "
		if !ok {
			word, reached = "MISSED", false
		}
		fmt.Printf("%s  %s\n", word, fmt.Sprintf(format, values...))
	}
	if len(s.took) < 8 {
		fmt.Println("MISSED  too few samples to tell: a longer -duration, or -every")
		return false
	}
	fmt.Printf("\n%s, %v, %d requests a second\n", s.engine, s.duration, s.rate)
	for _, m := range measures {
		before, after, flat := growth(s.took, m)
		more := ""
		if m.perRequest > 0 {
			more = fmt.Sprintf("; %.2f KiB more with a request", trend(s.took, m))
		}
		line(flat, "%s: %.1f in the second quarter, %.1f in the last%s", m.name, before, after, more)
	}
	line(s.came.wrong == 0, "%d requests, %d of them writes; %d wrong; the slowest took %v %s", s.came.requests, s.came.writes, s.came.wrong, s.came.slowest.Round(time.Millisecond), s.came.example)
	return reached
}
