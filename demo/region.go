package demo

import (
	_ "embed"
	"encoding/json"
	"math/rand/v2"
)

type region struct {
	Language   string   // as customers and checklists have it
	Share      int      // of a hundred customers
	Towns      []string // with their postal codes: 9300 Aalst
	Streets    []string
	Women, Men []string
	Families   []string
	Trades     []string // a prefix of a family's name: Bakkerij Peeters
	Fancy      []string // a company's name of its own
	Clubs      []string // a prefix of a place: Harmonie Aalst
	Country    string
	Heirs      string // Peeters & Zonen
}

//go:embed regions.json
var regionsFile []byte

var regions = func() (all []region) {
	if err := json.Unmarshal(regionsFile, &all); err != nil {
		panic(err) // it is a part of the program
	}
	return all
}()

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// regionFor draws a region by its share of customers.
func regionFor(r *rand.Rand) *region {
	at := r.IntN(100)
	for i := range regions {
		if at -= regions[i].Share; at < 0 {
			return &regions[i]
		}
	}
	return &regions[0]
}
