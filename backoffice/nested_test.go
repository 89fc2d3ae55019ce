package backoffice

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFiltersWithinFiltersAreTwoLevelsDeepAtMostAndSayWhatTheyMean(t *testing.T) {
	t.Parallel()
	yes, city, search, number, unknown := true, "Liège", "jans", "85073003328", ""
	some := &CustomerFilter{City: &city}
	index := func(PrivacyField, string) (string, error) { return "index", nil }
	deep := &CustomerFilter{Not: &CustomerFilter{Any: []*CustomerFilter{some}}}
	for name, c := range map[string]struct {
		filter  CustomerFilter
		want    CustomerCriteria
		refused bool
	}{
		"any of none":               {filter: CustomerFilter{Any: []*CustomerFilter{}}, want: CustomerCriteria{Nothing: true}},
		"not everybody":             {filter: CustomerFilter{Not: &CustomerFilter{}}, want: CustomerCriteria{Nothing: true}},
		"any of everybody":          {filter: CustomerFilter{Any: []*CustomerFilter{some, {}}}},
		"not nobody":                {filter: CustomerFilter{Not: &CustomerFilter{Ids: []string{}}}},
		"any of nobody and some":    {filter: CustomerFilter{Any: []*CustomerFilter{{Scope: &unknown}, some}}, want: CustomerCriteria{Any: NestedOf(CustomerCriteria{City: "liege"})}},
		"two levels":                {filter: *deep, want: CustomerCriteria{Not: NestedOf(CustomerCriteria{Any: NestedOf(CustomerCriteria{City: "liege"})})}},
		"three levels":              {filter: CustomerFilter{Any: []*CustomerFilter{deep}}, refused: true},
		"too many":                  {filter: CustomerFilter{Any: make51(some)}, refused: true},
		"fuzzy within any":          {filter: CustomerFilter{Any: []*CustomerFilter{{Search: &search, SearchMode: SearchFuzzy}}}, refused: true},
		"a number within not":       {filter: CustomerFilter{Not: &CustomerFilter{RegistrationNumber: &number}}, refused: true},
		"a short search within any": {filter: CustomerFilter{Any: []*CustomerFilter{{Search: &unknown}}}, refused: true},
		"no transcript at all":      {filter: CustomerFilter{Transcripts: &TranscriptsCondition{None: &TranscriptFilter{}}}, want: CustomerCriteria{NoTranscript: NestedOf(TranscriptCriteria{})}},
		"no impossible transcript":  {filter: CustomerFilter{Transcripts: &TranscriptsCondition{None: &TranscriptFilter{Any: []*TranscriptFilter{}}}}},
		"an impossible transcript":  {filter: CustomerFilter{Transcripts: &TranscriptsCondition{Some: &TranscriptFilter{Not: &TranscriptFilter{}}}}, want: CustomerCriteria{Nothing: true, SomeTranscript: NestedOf(TranscriptCriteria{Nothing: true})}},
		"both of transcripts":       {filter: CustomerFilter{Transcripts: &TranscriptsCondition{Some: &TranscriptFilter{}, None: &TranscriptFilter{}}}, refused: true},
		"at least no relation":      {filter: CustomerFilter{Relations: &RelationsCondition{AtLeast: new(int)}}, refused: true},
		"no relation":               {filter: CustomerFilter{Relations: &RelationsCondition{None: &yes}}, want: CustomerCriteria{Relations: RelationsCriteria{AtLeast: 1, Fewer: true}}},
		"fuzzy":                     {filter: CustomerFilter{Search: &search, SearchMode: SearchFuzzy}, want: CustomerCriteria{Fuzzy: "  JANS "}},
	} {
		got, err := c.filter.Criteria(index)
		if (err != nil) != c.refused || err == nil && got != c.want {
			t.Errorf("%s: %+v, want %+v (%v)", name, got, c.want, err)
		}
		if err != nil && KindOf(err) != BadInput {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func make51(f *CustomerFilter) (all []*CustomerFilter) {
	for range MaxAlternatives + 1 {
		all = append(all, f)
	}
	return all
}

func TestRelevanceIsAnOrderOfSearchesAlone(t *testing.T) {
	t.Parallel()
	search := "jans"
	relevance := &CustomerOrder{Field: "RELEVANCE", Direction: Descending}
	var none *CustomerFilter
	if _, err := none.OrderOf(relevance); KindOf(err) != BadInput {
		t.Errorf("without a filter: %v", err)
	}
	if _, err := (&CustomerFilter{SearchMode: SearchFuzzy}).OrderOf(relevance); KindOf(err) != BadInput {
		t.Errorf("without a search: %v", err)
	}
	for _, c := range []struct {
		filter CustomerFilter
		order  *CustomerOrder
		want   Order
	}{
		{CustomerFilter{Search: &search}, relevance, Order{Key: KeyRelevance}},
		{CustomerFilter{Search: &search}, nil, ByID},
		{CustomerFilter{Search: &search, SearchMode: SearchFuzzy}, nil, Order{Key: KeyRelevance}},
		{CustomerFilter{Search: &search, SearchMode: SearchFuzzy}, &CustomerOrder{Field: "NAME", Direction: Descending}, Order{Key: KeyName, Descending: true}},
	} {
		if got, err := c.filter.OrderOf(c.order); err != nil || got != c.want {
			t.Errorf("%+v: %+v (%v)", c, got, err)
		}
	}
}

func TestTypingErrorsOfALetterOrTwoAndOtherOrdersOfWordsAreLikeANameAndBehindIt(t *testing.T) {
	t.Parallel()
	for search, names := range map[string][]string{
		"Jannsens":         {"Janssens", "Janssens & Partners", "Peeters"},
		"Jamssebs":         {"Janssens", "Mertens"},
		"marie jansens":    {"Janssens Marie", "Janssens Luc", "Willems Luc"},
		"Vandenberghe":     {"Vandenberghe", "Van den Berghe", "Vermeulen"},
		"van den berghe":   {"Van den Berghe", "Vandenberghe", "Mertens"},
		"Smts":             {"Smets", "Peeters"},
		"bakkerij de smet": {"De Smet Bakkerij", "Bakkerij Dupont", "Willems"},
	} {
		words := Trigrams(fuzzyWords(Fold(search)))
		before := 2.0
		for i, name := range names {
			now, shared := Similarity(words, name), 0
			for _, trigram := range words {
				if strings.Contains(fuzzyWords(Fold(name)), trigram) {
					shared++
				}
			}
			if last := i == len(names)-1; now >= before || last == (shared >= LeastShared(len(words))) {
				t.Errorf("%q is like %q by %v, with %d of %d trigrams; the one before by %v", search, name, now, shared, len(words), before)
			}
			before = now
		}
	}
}

func FuzzSimilarity(f *testing.F) {
	for _, seed := range [][2]string{{"Jannsens", "Janssens"}, {"", ""}, {"ß ʼn \xff", "日本 語"}, {"a b c d", "d c b a"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, search, name string) {
		words := Trigrams(fuzzyWords(Fold(search)))
		got := Similarity(words, name)
		if got < 0 || got > 1 || len(words) > maxTrigrams {
			t.Errorf("%q is like %q by %v, by %d trigrams", search, name, got, len(words))
		}
		if len(words) > 0 && Similarity(words, search) < got {
			t.Errorf("%q is more like %q than itself", search, name)
		}
		if fold := fuzzyWords(Fold(search)); strings.ContainsAny(fold, "\n\"%_\\") {
			t.Errorf("%q has words %q", search, fold)
		}
	})
}

func TestNestedCriteriaAreEqualWhenTheirPartsAre(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOf(rapid.SampledFrom([]string{"a", "b"})).Draw(t, "list")
		other := rapid.SliceOf(rapid.SampledFrom([]string{"a", "b"})).Draw(t, "other")
		if (NestedOf(list...) == NestedOf(other...)) != (strings.Join(list, "") == strings.Join(other, "")) || strings.Join(NestedOf(list...).List(), "") != strings.Join(list, "") {
			t.Fatalf("%q and %q", list, other)
		}
	})
}
