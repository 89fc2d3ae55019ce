package numbers

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/privacy"
)

var disclosureKills = flag.Int("disclosure-kills", 2, "how often a gateway is killed in the moment of disclosure, on each engine")

// entersLate has the tests' program be a broken copy, which enters disclosures in the register after it has answered.
const entersLate = "TEST_BACKOFFICE_ENTERS_LATE"

// lateRegister says that entries are durable, and makes them so afterwards.
type lateRegister struct {
	backoffice.ConsultationStore
	due chan func()
}

func newLateRegister(of backoffice.ConsultationStore) *lateRegister {
	r := &lateRegister{of, make(chan func(), 10_000)}
	go func() {
		for enter := range r.due {
			time.Sleep(20 * time.Millisecond)
			enter()
		}
	}()
	return r
}

func (r *lateRegister) AppendConsultations(ctx context.Context, from, to backoffice.ConsultationHead, entries []*backoffice.Consultation) error {
	ctx = context.WithoutCancel(ctx)
	r.due <- func() { _ = r.ConsultationStore.AppendConsultations(ctx, from, to, entries) }
	return nil
}

// enterLate breaks a backend, when it is asked to.
func enterLate(b *gateway.Backend) {
	if os.Getenv(entersLate) != "" {
		b.Vault = privacy.NewVault(b.Keys, newLateRegister(b.Store))
	}
}

// disclosed is what a client has received: whose number, for which stated purpose.
type disclosed struct{ purpose, customer string }

var numberReceived = regexp.MustCompile(`"id":"([^"]+)","registrationNumber":"\d{11}"`)

const disclosedCustomers = 200

// numberReader reads numbers from a gateway that is killed, each time for another purpose, and notes what it has got,
// of answers that were cut off as well.
type numberReader struct {
	gatewaytest.Follower
	name    int
	told    chan<- struct{}
	numbers map[disclosed]bool
	answers int
	cut     int // answers of which a part with numbers came
}

func (r *numberReader) read(ctx context.Context, round int) {
	purpose := fmt.Sprintf("reader %d, question %d", r.name, round)
	body := `{"query":"{ customers(first: 200) { nodes { id registrationNumber } } }"}`
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.Address+"/graphql", strings.NewReader(body))
	if err != nil {
		return
	}
	request.Header = http.Header{
		"Content-Type": {"application/json"}, auth.ClientIDHeader: {r.Credential[0]}, auth.ClientSecretHeader: {r.Credential[1]}, privacy.PurposeHeader: {purpose},
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		time.Sleep(5 * time.Millisecond) // it is being started again
		return
	}
	defer response.Body.Close()
	var got bytes.Buffer
	_, err = io.Copy(&got, response.Body)
	found := numberReceived.FindAllSubmatch(got.Bytes(), -1)
	for _, match := range found {
		r.numbers[disclosed{purpose, string(match[1])}] = true
	}
	switch {
	case len(found) == 0:
		return
	case err != nil:
		r.cut++
	default:
		r.answers++
	}
	select {
	case r.told <- struct{}{}:
	default:
	}
}

// killedWhileDisclosing kills a gateway so often while clients read numbers from it, and returns how many numbers
// they got and how many of those have no entry in the register.
func killedWhileDisclosing(t *testing.T, database string, kills int) (numbers, without int) {
	t.Helper()
	settings := gatewaytest.Settings(t, database)
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	issued, secret, err := auth.Issue(t.Context(), b.Store, "reader", backoffice.AllScopes, 0)
	if err != nil {
		t.Fatal(err)
	}
	service := b.Service()
	for i := range disclosedCustomers {
		number := backoffice.NationalNumber(time.Date(1980, 1, 1+i, 0, 0, 0, 0, time.UTC), 1+i)
		makeCustomerWithNumber(t, b, service, issued.Principal(""), number)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	p := gatewaytest.StartProcess(t, settings)
	defer func() { p.Kill() }()

	told := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var all sync.WaitGroup
	var asked atomic.Int64
	readers := make([]*numberReader, 4)
	for i := range readers {
		readers[i] = &numberReader{Follower: gatewaytest.Follower{Address: "http://" + p.Address, Credential: [2]string{issued.ID, secret}}, name: i, told: told, numbers: map[disclosed]bool{}}
		all.Go(func() {
			for ctx.Err() == nil {
				readers[i].read(ctx, int(asked.Add(1)))
			}
		})
	}
	for range kills {
		for range 1 + rand.IntN(8) { // in the middle of what they are told, or right behind it
			<-told
		}
		time.Sleep(time.Duration(rand.IntN(3_000)) * time.Microsecond)
		p.Kill()
		p.Start(t)
	}
	stop()
	all.Wait()
	p.Kill()

	if b, err = settings.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	entered := entriesOf(t, b)
	answers, cut := 0, 0
	for _, r := range readers {
		answers, cut, numbers = answers+r.answers, cut+r.cut, numbers+len(r.numbers)
		for one := range r.numbers {
			if !entered[one] {
				without++
			}
		}
	}
	t.Logf("killed %d times: %d numbers received in %d answers and %d that were cut off; %d of them without an entry, of %d entries", kills, numbers, answers, cut, without, len(entered))
	return numbers, without
}

func makeCustomerWithNumber(t *testing.T, b *gateway.Backend, service *backoffice.Service, by *backoffice.Principal, number string) {
	t.Helper()
	draft := backoffice.CustomerFields{Type: backoffice.Value(backoffice.PrivatePerson), FirstName: backoffice.Value("Ada"), RegistrationNumber: backoffice.Value(number)}
	ctx := b.Vault.WithLedger(t.Context(), by, nil)
	if _, err := service.CreateCustomer(ctx, by, draft, backoffice.Optional[string]{}); err != nil {
		t.Fatal(err)
	}
}

// entriesOf are the disclosures of which the register tells, which has to be whole.
func entriesOf(t *testing.T, b *gateway.Backend) map[disclosed]bool {
	t.Helper()
	verified, err := b.Keys.Verify(t.Context(), b.Store, "", func(p privacy.Problem) { t.Errorf("the register: %v", p) })
	if err != nil || verified.Problems > 0 {
		t.Fatalf("the register is not whole: %v", err)
	}
	entered := map[disclosed]bool{}
	var after backoffice.ConsultationPosition
	for {
		page, err := b.Store.ListConsultations(t.Context(), after, 500)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return entered
		}
		for _, entry := range page {
			after = backoffice.ConsultationPosition{Chain: entry.Chain, Number: entry.Number}
			if entry.CustomerID != nil && entry.Purpose != nil {
				entered[disclosed{*entry.Purpose, *entry.CustomerID}] = true
			}
		}
	}
}

func TestNoNumberIsReceivedWithoutItsEntryThoughTheGatewayIsKilled(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			if numbers, without := killedWhileDisclosing(t, database(t), *disclosureKills); numbers < disclosedCustomers || without > 0 {
				t.Errorf("%d numbers were received, %d of them without an entry", numbers, without)
			}
		})
	}
}

func TestACopyThatEntersWhatItHasDisclosedAfterwardsIsFound(t *testing.T) {
	t.Setenv(entersLate, "1")
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			if numbers, without := killedWhileDisclosing(t, database(t), 1); numbers < disclosedCustomers || without == 0 {
				t.Errorf("%d numbers were received, and it is not found that the last of them have no entry", numbers)
			}
		})
	}
}
