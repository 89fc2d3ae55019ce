package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// words are the lines that name a fault: the first that holds each text. A text that none holds is a fault that nobody
// could tell.
func (n *noted) words(says, lines []string) (named []string) {
	for _, text := range says {
		found := ""
		for _, line := range lines {
			if strings.Contains(line, text) {
				found = plain(line)
				break
			}
		}
		if found == "" {
			n.addf(&n.mute, "no line of the log says %q", text)
			continue
		}
		if !slices.Contains(named, found) {
			named = append(named, found)
		}
	}
	return named
}

// plain is a line of the log without what differs from one request to the next.
func plain(line string) string {
	var of struct{ Level, Msg, Cause, Route string }
	if err := json.Unmarshal([]byte(line), &of); err != nil {
		return strings.ReplaceAll(strings.TrimSpace(line), "\n", "; ")
	}
	text := of.Level + " " + of.Msg
	if of.Cause != "" {
		text += fmt.Sprintf(": %s", of.Cause)
	}
	return strings.ReplaceAll(text, "\n", "; ")
}
