package rest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

// Guarded is the header of updates and deletions of versioned objects.
type Guarded struct {
	IfMatch string `header:"If-Match" doc:"The ETag of the version to change, or a list of ETags. Any other version: 412." example:"\"3\""`

	match backoffice.Versions // the versions that may be changed; nil is no condition
}

// parse reads If-Match. A tag that we did not issue matches no object.
func (g *Guarded) parse() error {
	tags, any, ok := parseTags(g.IfMatch)
	switch {
	case !ok:
		return badParameter("If-Match", `a list of entity tags, as in "3"`)
	case any || g.IfMatch == "":
		return nil
	}
	g.match = backoffice.Versions{}
	for _, tag := range tags {
		version, err := strconv.Atoi(strings.Trim(tag, `"`))
		if err == nil && tag == etag(version) { // a weak tag never matches (RFC 9110, 13.1.1)
			g.match = append(g.match, version)
		}
	}
	return nil
}

// Conditional is the header of reads of versioned objects.
type Conditional struct {
	IfNoneMatch string `header:"If-None-Match" doc:"The ETag of a version that you have, or a list of ETags. If one is current: 304, without the object." example:"\"3\""`
}

// unlessKnown is an object with its entity tag, or 304 when the caller has it.
type unlessKnown[T any] struct {
	Status int
	ETag   string `header:"ETag" doc:"The object's version, for If-Match and If-None-Match."`
	Body   T
}

// unless returns the object, or 304 without opening anything of it when the caller already has it.
func unless[T any](condition Conditional, tag string, show func() (T, error)) (*unlessKnown[T], error) {
	tags, any, ok := parseTags(condition.IfNoneMatch)
	if !ok {
		return nil, badParameter("If-None-Match", `a list of entity tags, as in "3"`)
	}
	if any || slices.ContainsFunc(tags, func(known string) bool { return strings.TrimPrefix(known, "W/") == tag }) {
		return &unlessKnown[T]{Status: http.StatusNotModified, ETag: tag}, nil
	}
	shown, err := show()
	if err != nil {
		return nil, err
	}
	return &unlessKnown[T]{Status: http.StatusOK, ETag: tag, Body: shown}, nil
}

// parseTags reads entity tags, or * for any (RFC 9110, 13.1). Empty ones are ignored.
func parseTags(list string) (tags []string, any, ok bool) {
	if strings.Trim(list, " \t") == "*" {
		return nil, true, true
	}
	for rest := list; ; {
		rest = strings.TrimLeft(rest, " \t,")
		if rest == "" {
			return tags, false, true
		}
		start := strings.TrimPrefix(rest, "W/")
		if !strings.HasPrefix(start, `"`) {
			return nil, false, false
		}
		length := strings.IndexByte(start[1:], '"')
		if length < 0 || strings.ContainsFunc(start[1:1+length], func(c rune) bool { return c <= ' ' || c == 0x7f }) {
			return nil, false, false
		}
		tag := rest[:len(rest)-len(start)+length+2]
		tags, rest = append(tags, tag), strings.TrimLeft(rest[len(tag):], " \t")
		if rest != "" && rest[0] != ',' {
			return nil, false, false
		}
	}
}

func etag(version int) string { return `"` + strconv.Itoa(version) + `"` }
