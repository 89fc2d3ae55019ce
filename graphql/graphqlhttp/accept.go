package graphqlhttp

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// The media types of an answer. The first reports a failed request by its status; the second, for older clients, always
// by 200; the third is a stream (graphql-sse, "distinct connections mode"), or the first when the request fails.
const (
	mediaGraphQL = "application/graphql-response+json"
	mediaJSON    = "application/json"
	mediaEvents  = "text/event-stream"
)

// WantsEvents reports whether a request asks for a stream of events, which may take long.
func WantsEvents(r *http.Request) bool {
	media, ok := negotiate(r.Header["Accept"])
	return ok && media == mediaEvents
}

// negotiate picks the media type by the Accept headers, without one application/json. ok is false when none fits.
func negotiate(accept []string) (media string, ok bool) {
	if len(accept) == 0 {
		return mediaJSON, true
	}
	if len(accept) == 1 {
		switch accept[0] {
		case mediaGraphQL, mediaEvents:
			return accept[0], true
		case mediaJSON, "*/*", "":
			return mediaJSON, true
		}
	}
	entries := strings.Split(strings.Join(accept, ","), ",")
	best, named := 0.0, map[string]float64{}
	for _, entry := range entries {
		offered, quality := AcceptEntry(entry)
		named[offered] = quality
	}
	for _, entry := range entries {
		offered, quality := AcceptEntry(entry)
		if quality > best {
			switch offered {
			case mediaGraphQL, mediaEvents, mediaJSON:
				media, best = offered, quality
			case "application/*", "*/*":
				// A wildcard stands for what is not named with a weight of its own.
				for _, of := range []string{mediaGraphQL, mediaJSON} {
					if own, ok := named[of]; !ok || own >= quality {
						media, best = of, quality
					}
				}
			}
		}
	}
	return media, best > 0
}

// AcceptEntry reads an entry of an Accept header; quality is 0 if it is malformed.
func AcceptEntry(entry string) (media string, quality float64) {
	media, parameters, ok := parseMedia(entry)
	if !ok {
		return "", 0
	}
	q, stated := parameters["q"]
	if !stated {
		return media, 1
	}
	quality, err := strconv.ParseFloat(q, 64)
	if err != nil {
		return "", 0
	}
	return media, quality
}

// parseMedia reads a media type; ok is false for a malformed one, and for a text that is not UTF-8.
func parseMedia(text string) (media string, parameters map[string]string, ok bool) {
	media, parameters, err := mime.ParseMediaType(text)
	charset, stated := parameters["charset"]
	return media, parameters, err == nil && (!stated || strings.EqualFold(charset, "utf-8"))
}
