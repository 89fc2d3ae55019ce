package ownership

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"example.org/backoffice/backoffice"
)

// Publication is who publishes statements, and the date (YYYY-MM-DD) of which they are true.
type Publication struct{ Publisher, Date string }

// Statements returns the graph as statements of the Beneficial Ownership Data Standard 0.4, in JSON: its customers,
// its holdings, and a computed relationship for each beneficial owner who is more than a direct holder. The same
// content has the same identifiers. There is no registration number of a person in it.
func (g *Graph) Statements(by Publication, describe Describe, owners []*BeneficialOwner) ([]byte, error) {
	b := &statements{g: g, by: by, describe: describe, components: map[string]bool{}}
	var computed []relationship
	beneficial := map[string]bool{}
	for _, owner := range owners {
		beneficial[owner.CustomerID] = owner.Category != SeniorManager
		r := b.computed(owner)
		if owner.Category != SeniorManager && len(r.ComponentRecords) <= 1 { // no company is between
			continue
		}
		for _, record := range r.ComponentRecords {
			b.components[record] = true
		}
		computed = append(computed, r)
	}
	for _, id := range g.ids {
		b.customer(id)
	}
	if g.Truncated(func(id string) bool { return describe(id).Natural }) {
		b.all[target].Annotations = []map[string]string{{"statementPointerTarget": "", "motivation": "commenting",
			"description": "Not all holdings were read: beneficial owners may be missing."}}
	}
	for _, owner := range owners {
		if _, known := g.index[owner.CustomerID]; !known {
			b.customer(owner.CustomerID) // a director without shares
		}
	}
	for i := range g.holdings {
		b.holding(&g.holdings[i], beneficial)
	}
	for _, r := range computed {
		b.add("owner/"+r.InterestedParty, "relationship", r)
	}
	return b.json()
}

type statements struct {
	g          *Graph
	by         Publication
	describe   Describe
	components map[string]bool // records that are parts of a computed relationship
	all        []statement
}

// json encodes the statements, each with an identifier of its content.
func (b *statements) json() ([]byte, error) {
	for i := range b.all {
		content, err := json.Marshal(b.all[i])
		if err != nil {
			return nil, backoffice.Fault(err, "encoding a statement")
		}
		digest := sha256.Sum256(content)
		b.all[i].StatementID = hex.EncodeToString(digest[:])
	}
	content, err := json.Marshal(b.all)
	if err != nil {
		return nil, backoffice.Fault(err, "encoding statements")
	}
	return content, nil
}

func (b *statements) add(record, kind string, details any) {
	s := statement{
		Subject: customerRecord(b.g.Target()), Date: b.by.Date,
		RecordID: record, RecordType: kind, RecordDetails: details,
	}
	s.Publication.Date, s.Publication.Version, s.Publication.Publisher.Name = b.by.Date, "0.4", b.by.Publisher
	b.all = append(b.all, s)
}

func (b *statements) customer(id string) {
	party, record := b.describe(id), customerRecord(id)
	if party.Natural {
		b.add(record, "person", person{
			IsComponent: b.components[record], PersonType: "knownPerson",
			Names: []map[string]string{{"fullName": party.Name}},
		})
		return
	}
	kind := map[string]string{"type": "legalEntity"}
	e := entity{IsComponent: b.components[record], EntityType: kind, Name: party.Name}
	if party.KBONumber != "" {
		kind["type"] = "registeredEntity"
		e.Identifiers = []identifier{{
			ID: party.KBONumber, Scheme: "BE-BCE_KBO", Name: "Crossroads Bank for Enterprises",
		}}
	}
	b.add(record, "entity", e)
}

func (b *statements) holding(h *Holding, beneficial map[string]bool) {
	record, direct := relationRecord(h.RelationID), h.HeldID == b.g.Target() && beneficial[h.HolderID] && !h.Nominee
	interests := []interest{{Type: "shareholding", Share: recordedShare(h.Share)}}
	if h.Vote.known {
		interests = append(interests, interest{Type: "votingRights", Share: recordedShare(h.Vote)})
	}
	if h.Nominee {
		interests = append(interests, interest{Type: "nominee"})
	}
	for i := range interests {
		n := &interests[i]
		n.Directness, n.Beneficial, n.StartDate, n.EndDate = "direct", direct, h.StartDate, h.EndDate
	}
	b.add(record, "relationship", relationship{
		IsComponent: b.components[record], Subject: customerRecord(h.HeldID),
		InterestedParty: customerRecord(h.HolderID), Interests: interests,
	})
}

// computed is what makes somebody a beneficial owner, all chains added.
func (b *statements) computed(owner *BeneficialOwner) relationship {
	r := relationship{
		Subject: customerRecord(b.g.Target()), InterestedParty: customerRecord(owner.CustomerID),
		Interests: []interest{{Type: "seniorManagingOfficial", Directness: "direct", Beneficial: true}},
	}
	if owner.Category == SeniorManager {
		return r
	}
	var chains []*Holding
	r.ComponentRecords, chains = b.g.between(owner.CustomerID)
	r.Interests = []interest{{Type: "shareholding", Share: computedShare(owner.Share, owner.UpperBound)}}
	if slices.ContainsFunc(chains, func(h *Holding) bool { return h.Vote.known }) {
		votes := interest{Type: "votingRights"}
		if !slices.ContainsFunc(chains, func(h *Holding) bool { return !h.Vote.known }) {
			votes.Share = computedShare(owner.Vote, owner.Vote)
		}
		r.Interests = append(r.Interests, votes)
	}
	if owner.Category == Control {
		r.Interests = append(r.Interests, interest{
			Type:    "otherInfluenceOrControl",
			Details: "Controls companies with shares of the subject, or owns part of a company that controls it.",
		})
	}
	own := func(h *Holding) bool { return h.HolderID == owner.CustomerID && !h.Nominee }
	for i := range r.Interests {
		r.Interests[i].Directness, r.Interests[i].Beneficial = "indirect", slices.ContainsFunc(chains, own)
	}
	return r
}

// between are the records of all chains to an owner, in the order of reading: companies, then relations.
func (g *Graph) between(owner string) (records []string, chains []*Holding) {
	best := g.bestToward(g.index[owner], g.everyHolding())
	for i, id := range g.ids {
		if i != target && id != owner && best[i].known {
			records = append(records, customerRecord(id))
		}
	}
	for i := range g.holdings {
		if far := g.far(int32(i)); best[far].known && far != target {
			records = append(records, relationRecord(g.holdings[i].RelationID))
			chains = append(chains, &g.holdings[i])
		}
	}
	return slices.Clip(records), chains
}

func customerRecord(id string) string { return "customer/" + id }
func relationRecord(id string) string { return "relation/" + id }
