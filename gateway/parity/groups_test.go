package parity

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/demo"
	"example.org/backoffice/gateway/gatewaytest"
)

// counted is a group of an answer, or one that the test has counted itself.
type counted struct {
	Keys            []countedKey
	Count           int
	CompletedCount  int
	AverageProgress float64
}

type countedKey struct{ Value, Label *string }

// key is a value and its label, "" for none.
func key(value, label string) countedKey {
	none := "None"
	if value == "" {
		return countedKey{nil, &none}
	}
	return countedKey{&value, &label}
}

// countedGroups puts rows into groups and orders them as the schema says.
func countedGroups[T any](rows []T, keys func(T) []countedKey, add func(*counted, T)) []counted {
	of := map[string]*counted{}
	for _, row := range rows {
		by := keys(row)
		name := ""
		for _, k := range by {
			name += fmt.Sprintf("%q ", ordered(k.Value))
		}
		if of[name] == nil {
			of[name] = &counted{Keys: by}
		}
		of[name].Count++
		if add != nil {
			add(of[name], row)
		}
	}
	var groups []counted
	for _, group := range of {
		group.AverageProgress /= float64(group.Count)
		groups = append(groups, *group)
	}
	slices.SortFunc(groups, func(a, b counted) int {
		order := b.Count - a.Count
		for i := range a.Keys {
			order = cmp.Or(order, cmp.Compare(ordered(a.Keys[i].Value), ordered(b.Keys[i].Value)))
		}
		return order
	})
	return groups
}

// ordered is a value as it is ordered: those that are missing come last.
func ordered(value *string) string {
	if value == nil {
		return "\U0010ffff"
	}
	return *value
}

func TestGroupsAreThoseOfACountOverTheDemo(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.Serve(t, gatewaytest.Settings(t, database(t)), gatewaytest.Limits())
			made := demo.Demo{Store: o.Store, Files: o.Files, Keys: o.Keys, Customers: 200, Seed: 3, Now: time.Date(2026, 6, 15, 10, 0, 0, 0, time.UTC)}
			if err := made.Fill(t.Context()); err != nil {
				t.Fatal(err)
			}
			credential := o.Credential(t)
			customers, transcripts, users := gatewaytest.All(t, o.Store.Customers()), gatewaytest.All(t, o.Store.Transcripts()), byID(gatewaytest.All(t, o.Store.Users()))
			customer := byID(customers)
			called := func(user string) string {
				if user == "" {
					return ""
				}
				return users[user].FirstName + " " + users[user].LastName
			}
			compare := func(t *testing.T, field, arguments, more string, total int, want []counted) {
				t.Helper()
				query := fmt.Sprintf(`{ answer: %s(%s) { totalCount groupCount groups { count %s keys { value label } } } }`, field, arguments, more)
				status, body, calls := o.Ask(t, credential, query, nil, nil)
				var got struct {
					Data struct {
						Answer struct {
							TotalCount, GroupCount int
							Groups                 []counted
						}
					}
				}
				if err := json.Unmarshal(body, &got); err != nil || status != http.StatusOK {
					t.Fatalf("%d %v: %.300s", status, err, body)
				}
				answer := got.Data.Answer
				if calls != 1 || answer.TotalCount != total || answer.GroupCount != len(want) || len(answer.Groups) != min(len(want), backoffice.MaxPageSize) || len(want) < 2 {
					t.Errorf("%s: %d statements, %d rows instead of %d in %d groups instead of %d, %d shown", query, calls, answer.TotalCount, total, answer.GroupCount, len(want), len(answer.Groups))
				}
				for i, group := range answer.Groups {
					if math.Abs(group.AverageProgress-want[i].AverageProgress) < 1e-8 {
						group.AverageProgress = want[i].AverageProgress
					}
					if a, b := gatewaytest.JSON(t, group), gatewaytest.JSON(t, want[i]); a != b {
						t.Fatalf("%s: group %d is %s instead of %s", query, i, a, b)
					}
				}
			}
			compare(t, "customersAggregate", "groupBy: [CITY, TYPE]", "", len(customers), countedGroups(customers, func(c *backoffice.Customer) []countedKey {
				return []countedKey{key(string(c.Address.City), string(c.Address.City)), key(string(c.Type), c.Type.Label())}
			}, nil))
			var dutch []*backoffice.Customer
			for _, c := range customers {
				if c.Language == "dutch" {
					dutch = append(dutch, c)
				}
			}
			compare(t, "customersAggregate", `groupBy: [RESPONSIBLE, UPDATED_MONTH], filter: {language: "dutch"}`, "", len(dutch), countedGroups(dutch, func(c *backoffice.Customer) []countedKey {
				seen := c.VisibleTo(nil).UpdatedAt.String()[:7]
				return []countedKey{key(c.ResponsibleID, called(c.ResponsibleID)), key(seen, seen)}
			}, nil))
			progress := func(group *counted, row *backoffice.Transcript) {
				group.AverageProgress += row.ProgressPercentage
				if row.IsCompleted {
					group.CompletedCount++
				}
			}
			compare(t, "transcriptsAggregate", "groupBy: [STATUS, RESPONSIBLE]", "completedCount averageProgress", len(transcripts), countedGroups(transcripts, func(row *backoffice.Transcript) []countedKey {
				user := customer[row.CustomerID].ResponsibleID
				return []countedKey{key(string(row.Status), row.Status.Label()), key(user, called(user))}
			}, progress))
			lists := byID(gatewaytest.All(t, o.Store.Checklists()))
			compare(t, "transcriptsAggregate", "groupBy: CHECKLIST", "completedCount averageProgress", len(transcripts), countedGroups(transcripts, func(row *backoffice.Transcript) []countedKey {
				return []countedKey{key(row.ChecklistID, lists[row.ChecklistID].Name)}
			}, progress))
		})
	}
}

func byID[T backoffice.Entity](rows []T) map[string]T {
	of := map[string]T{}
	for _, row := range rows {
		of[row.Identity()] = row
	}
	return of
}

func TestASearchByRegistrationNumberInGroupsIsEnteredUnderWhomItFound(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	before := o.RegisterEntries(t)
	_, body, _ := o.Ask(t, o.Credential(t, backoffice.AllScopes...), `{ customersAggregate(groupBy: TYPE, filter: {registrationNumber: "85.07.30-033.28"}) { totalCount } }`, nil, nil)
	if !strings.Contains(string(body), `"totalCount":1`) {
		t.Errorf("%s", body)
	}
	entries := o.RegisterEntries(t)
	if len(entries) != len(before)+1 || !strings.HasPrefix(entries[len(entries)-1], "SEARCH ") || strings.HasPrefix(entries[len(entries)-1], "SEARCH  ") {
		t.Errorf("entered: %v", entries[len(before):])
	}
}
