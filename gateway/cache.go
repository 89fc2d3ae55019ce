package gateway

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/answers"
	"example.org/backoffice/store/cache"
)

type CacheSettings struct {
	Cache     Size `default:"64MiB" env:"BACKOFFICE_CACHE" placeholder:"SIZE" help:"Memory for cached records, lists and, in a quarter of it, whole answers, such as 64MiB. They are never stale. 0 turns it off (${default})."`
	NoAnswers bool `name:"no-cache-answers" env:"BACKOFFICE_NO_CACHE_ANSWERS" help:"Keep no whole answers."`
	Check     bool `name:"cache-check" env:"BACKOFFICE_CACHE_CHECK" help:"Also read from the store what was found in memory, log differences, and return what the store has. Slower than without --cache."`
}

// Size is a number of bytes, written with or without KiB, MiB or GiB.
type Size int

var errSize = errors.New("a size must be a whole number of bytes, KiB, MiB or GiB, such as 64MiB")

// String is the size as UnmarshalText reads it, in the largest unit that it is a whole number of.
func (s Size) String() string {
	n, unit := int(s), ""
	for _, larger := range []string{"KiB", "MiB", "GiB"} {
		if n == 0 || n%1024 != 0 {
			break
		}
		n, unit = n/1024, larger
	}
	return strconv.Itoa(n) + unit
}

func (s *Size) UnmarshalText(text []byte) error {
	number, unit := string(text), 1
	for i, suffix := range []string{"KiB", "MiB", "GiB"} {
		if before, ok := strings.CutSuffix(number, suffix); ok {
			number, unit = strings.TrimSpace(before), 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > 1<<40/unit {
		return errSize
	}
	*s = Size(n * unit)
	return nil
}

// stop detaches a cache from its store, which stays open.
func stop(store backoffice.Store) {
	if before, ok := store.(*cache.Store); ok {
		before.Stop()
	}
}

// over puts a cache in front of the store, if one is configured and the store supports it.
func (c CacheSettings) over(store backoffice.Store, log *slog.Logger) (backoffice.Store, error) {
	source, ok := store.(cache.Source)
	if !ok || c.Cache == 0 {
		return store, nil
	}
	bytes := int(c.Cache)
	if !c.NoAnswers {
		bytes -= bytes / answersPart
	}
	before, err := cache.New(source, cache.Options{Bytes: bytes, Check: c.Check, Log: log})
	if err != nil {
		return nil, fmt.Errorf("--cache: %w", err)
	}
	return before, nil
}

// answersPart is the part of the memory that keeps whole answers: one in so many.
const answersPart = 4

// answers keeps whole answers above a cache, in addition to what that has; nil without one.
func (c CacheSettings) answers(store backoffice.Store, log *slog.Logger) (*answers.Cache, error) {
	before, ok := store.(*cache.Store)
	if !ok || c.NoAnswers {
		return nil, nil
	}
	return answers.New(answers.Options{Bytes: before.Bytes() / (answersPart - 1), Check: c.Check, Log: log})
}
