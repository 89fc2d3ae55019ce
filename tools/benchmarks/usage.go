package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of the times in /proc/PID/stat, the same on every Linux.
const tick = 10 * time.Millisecond

// stat is what is used of /proc/PID/stat.
type stat struct {
	parent int
	cpu    time.Duration // of the process and of its children that have ended
}

// parseStat reads a line of /proc/PID/stat. The name in it may hold anything, so fields are counted from its end.
func parseStat(line []byte) (stat, error) {
	end := bytes.LastIndexByte(line, ')')
	fields := strings.Fields(string(line[end+1:]))
	if end < 0 || len(fields) < 15 {
		return stat{}, errors.New("a line of /proc/PID/stat has no such form")
	}
	var s stat
	var err error
	if s.parent, err = strconv.Atoi(fields[1]); err != nil {
		return stat{}, err
	}
	for _, field := range fields[11:15] { // utime, stime, cutime, cstime
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return stat{}, err
		}
		s.cpu += time.Duration(ticks) * tick
	}
	return s, nil
}

// tree is a process with its descendants: what it has used so far.
type tree struct {
	pids []int
	cpu  time.Duration
}

// treeOf looks at the processes below root.
func treeOf(root int) (tree, error) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return tree{}, err
	}
	all := map[int]stat{}
	children := map[int][]int{}
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended since
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		s, err := parseStat(line)
		if err != nil {
			return tree{}, err
		}
		all[pid] = s
		children[s.parent] = append(children[s.parent], pid)
	}
	if _, lives := all[root]; !lives {
		return tree{}, fmt.Errorf("process %d has ended", root)
	}
	var t tree
	for next := []int{root}; len(next) > 0; {
		pid := next[len(next)-1]
		next = append(next[:len(next)-1], children[pid]...)
		t.pids = append(t.pids, pid)
		t.cpu += all[pid].cpu
	}
	slices.Sort(t.pids)
	return t, nil
}

// memory is what the processes of a tree hold, in bytes. Resident counts what they share once for each of them,
// proportional once in all.
type memory struct{ resident, proportional int64 }

func (t tree) memory() memory {
	var m memory
	for _, pid := range t.pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			continue // it has ended since
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) < 3 || fields[2] != "kB" {
				continue
			}
			kilobytes, _ := strconv.ParseInt(fields[1], 10, 64)
			switch fields[0] {
			case "Rss:":
				m.resident += kilobytes << 10
			case "Pss:":
				m.proportional += kilobytes << 10
			}
		}
	}
	return m
}
