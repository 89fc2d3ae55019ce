package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"
)

// attack asks, one after the other, for what takes much of a server.
func (a *attackers) attack(number int, end time.Time) {
	as := a.hostile[number%len(a.hostile)]
	random := rand.New(rand.NewPCG(uint64(number), 1))
	for turn := 0; time.Now().Before(end); turn++ {
		began := time.Now()
		var status int
		var err error
		switch random.IntN(12) {
		case 0:
			a.readSlowly(as, end)
			continue
		case 1: // REST, the largest page
			path := []string{"/customers", "/transcripts", "/users"}[random.IntN(3)]
			request, _ := http.NewRequest(http.MethodGet, fmt.Sprintf("http://%s%s?pageSize=500&page=%d", a.address, path, 1+random.IntN(400)), nil)
			status, _, err = a.send(as, request)
		case 2: // another document each time, in a long body
			status, _, err = a.post(as, fmt.Sprintf(`{ customer(id: "%s") { id %s } } # %d-%d`, a.ids[turn%len(a.ids)], strings.Repeat("name ", 80), number, turn), map[string]string{"x": strings.Repeat("a", 200_000)})
		case 3: // text that is dear to fold
			status, _, err = a.post(as, searches, map[string]string{"s": strings.Repeat("ﷺ", 22)})
		case 4:
			status, _, err = a.post(as, searches, map[string]string{"s": strings.Repeat("0", 200)})
		case 5:
			status, _, err = a.post(as, identifiers, map[string]any{"ids": a.ids})
		default:
			query := heavy[random.IntN(len(heavy))]
			status, _, err = a.post(as, query, nil)
		}
		if err == nil {
			a.note(status, time.Since(began))
		}
	}
}

// twenty writes a root field twenty times.
func twenty(field string) string {
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, "a%d: %s ", i, field)
	}
	return b.String()
}

var (
	searches    = `query($s: String!) {` + twenty(`customers(first: 1, filter: {search: $s}) { nodes { id } }`) + `}`
	identifiers = `query($ids: [ID!]) {` + twenty(`customers(first: 500, filter: {ids: $ids}) { nodes { id name email } }`) + `}`
	// heavy are operations near the limit of cost, and some that are dear for theirs.
	heavy = []string{
		`{ customers(first: 500) { nodes { id name transcripts(first: 30) { nodes { id customVariables checklist { name } financialYear { startDate } } } } } }`,
		`{ customers(last: 500) { nodes { id relations(first: 20) { edges { node { kind } otherCustomer { id displayName responsible { id email } } } } } } }`,
		`{ financialYears(first: 3) { nodes { transcripts(first: 500) { nodes { id status customVariables customer { id name } financialYear { transcripts(first: 20) { nodes { id updatedAt } } } } } } } }`,
		`{` + twenty(`transcripts(filter: {isCompleted: true}, first: 500) { totalCount statusCounts { status count } nodes { id status customVariables } }`) + `}`,
		`{` + twenty(`customers(filter: {language: "dutch"}, first: 1) { totalCount }`) + `}`,
		`{ customers(page: 390, pageSize: 500) { nodes { id email registrationNumber } } }`,
		`{ transcripts(orderBy: {field: PROGRESS_PERCENTAGE}, first: 500) { nodes { id customer { id transcripts(first: 40) { nodes { id } } } } } }`,
		`{ customers(orderBy: {field: NAME}, first: 500, filter: {updatedSince: "2000-01-01T00:00:00.000Z"}) { edges { cursor node { id displayName address { street city country } } } } }`,
		`{ __schema { types { name description fields { name description args { name description type { name kind ofType { name kind } } } type { name kind ofType { name kind ofType { name } } } } } } }`,
		// found by outside testing
		`{ transcriptsAggregate(groupBy: [CHECKLIST, RESPONSIBLE, UPDATED_MONTH]) { totalCount groups { count } } }`,
		`{ users(first: 500) { nodes { transcripts(first: 0, filter: {updatedSince: "2000-01-01T00:00:00.000Z"}) { totalCount statusCounts { status count } } } } }`,
		`{ users(first: 100) { nodes { transcripts(first: 0, filter: {updatedTo: "2030-01-01T00:00:00.000Z", isCompleted: true}) { totalCount } } } }`,
		`{ transcripts(first: 0, filter: {customVariable: {key: "a", equals: "b"}}) { totalCount } }`,
		`{` + twenty(`customers(page: 90, pageSize: 500, orderBy: {field: CREATED_AT}, filter: {updatedSince: "2000-01-01T00:00:00.000Z"}) { nodes { id } }`) + `}`,
		`{ customers(first: 1, filter: {any: [` + strings.Repeat(`{transcripts: {some: {isCompleted: true}}} `, 24) + `]}) { nodes { id } } }`,
		`{transcripts(first:100){nodes{financialYear{transcripts(first:248){nodes{financialYear{transcripts(first:500){nodes{id status}}}}}}}}}`,
	}
)

// readSlowly asks for a long answer and hardly takes it.
func (a *attackers) readSlowly(as credential, end time.Time) {
	connection, err := net.Dial("tcp", a.address)
	if err != nil {
		return
	}
	defer connection.Close()
	body := `{"query":"{ customers(first: 500) { nodes { id name email transcripts(first: 20) { nodes { id customVariables } } } } }"}`
	fmt.Fprintf(connection, "POST /graphql HTTP/1.1\r\nHost: a\r\nX-Client-Id: %s\r\nX-Client-Secret: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		as.ClientID, as.ClientSecret, len(body), body)
	for range 20 {
		if time.Now().After(end) {
			return
		}
		_ = connection.SetReadDeadline(time.Now().Add(time.Second))
		if _, err := io.CopyN(io.Discard, connection, 1<<10); err != nil && !isTimeout(err) {
			return
		}
		time.Sleep(time.Second)
	}
}

func isTimeout(err error) bool {
	failed, ok := err.(net.Error)
	return ok && failed.Timeout()
}
