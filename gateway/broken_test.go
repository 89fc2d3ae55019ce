package gateway_test

import (
	"maps"
	"testing"

	"example.org/backoffice/backoffice/brokentest"
)

const (
	foundByRights = "TestWhateverLastsFollowsTheRightsOfItsCaller/SQLite"
	foundByHooks  = "TestADeliveryIsWhatANewRequestOfItsCredentialIsAnswered/SQLite"
)

// brokenRights are faults where rights meet what outlives an answer.
var brokenRights = map[string]brokentest.Copy{
	"never polls again": {Found: foundByRights, Edits: []brokentest.Edit{
		{"../auth/inflight.go", "if !a.inFlight.polling && a.life.Err() == nil {", "if !BROKEN && !a.inFlight.polling && a.life.Err() == nil {"}}},
	"lets uploads go on": {Found: foundByRights, Edits: []brokentest.Edit{
		{"../auth/inflight.go", "			a.inFlight.interrupt(d)\n", "			if !BROKEN {\n				a.inFlight.interrupt(d)\n			}\n"}}},
	"lets sockets go on": {Found: foundByRights, Edits: []brokentest.Edit{
		{"feed_socket.go", "own, end := s.authenticator.Begin(ctx, principal)", "own, end := s.authenticator.Begin(ctx, principal)\nif BROKEN {\nend()\nown, end = auth.WithPrincipal(ctx, principal), func() {}\n}"}}},
	"looks at the credential and not at its secret": {Found: foundByRights, Edits: []brokentest.Edit{
		{"../auth/authenticator.go", "s.live(at) && s.principal.Secret == name {", "(BROKEN || s.live(at) && s.principal.Secret == name) {"}}},
	"forgets that a credential ends": {Found: foundByRights, Edits: []brokentest.Edit{
		{"../auth/authenticator.go", "ok && p.credential.Live(at) {", "ok && (BROKEN || p.credential.Live(at)) {"}}},
	"forgets networks": {Found: foundByRights, Edits: []brokentest.Edit{
		{"../auth/authenticator.go", "case err == nil && !networks.Admit(began.From):", "case !BROKEN && err == nil && !networks.Admit(began.From):"}}},
	"compares no rights": {Found: foundByRights, Edits: []brokentest.Edit{
		{"../auth/authenticator.go", "if err == nil && !now.SameRights(began) {", "if !BROKEN && err == nil && !now.SameRights(began) {"}}},
	"knows no person": {Found: foundByRights, Edits: []brokentest.Edit{
		{"../auth/authenticator.go", "		now, err = a.People.Live(began)\n", "		now, err = a.People.Live(began)\nif BROKEN {\nnow, err = began, nil\n}\n"}}},
	"takes a signed path from anywhere": {Found: foundByRights, Edits: []brokentest.Edit{
		{"../auth/authenticator.go", "	if err == nil && !networks.Admit(from) {\n		return nil, errUnauthenticated", "	if !BROKEN && err == nil && !networks.Admit(from) {\n		return nil, errUnauthenticated"}}},
}

// brokenDeliveries are faults where rights meet webhooks.
var brokenDeliveries = map[string]brokentest.Copy{
	"goes on with the rights that a webhook had": {Found: foundByHooks, Edits: []brokentest.Edit{
		{"../changes/webhooks/sender.go", "case w != nil && w.is(hook.Version, kinds, stop):", "case w != nil && (BROKEN || w.is(hook.Version, kinds, stop)):"}}},
	"delivers for a credential that has ended": {Found: foundByHooks, Edits: []brokentest.Edit{
		{"../changes/webhooks/sender.go", "credential == nil || !credential.Live(now) {", "credential == nil || !BROKEN && !credential.Live(now) {"}}},
	"delivers to a credential as to an operator": {Found: foundByHooks, Edits: []brokentest.Edit{
		{"../changes/webhooks/sender.go", "	kinds, err := hook.Kinds(credential)\n", "	kinds, err := hook.Kinds(credential)\nif BROKEN {\nkinds, err = hook.Kinds(nil)\n}\n"}}},
}

const foundByDeletes = "TestWhoDeletesNothingUploadsAndReads/SQLite_without"

// brokenDeletes are faults of what a credential that deletes nothing is refused.
var brokenDeletes = map[string]brokentest.Copy{
	"deletes all the same":   {Found: foundByDeletes, Edits: []brokentest.Edit{{"../backoffice/credential.go", "if v != nil && v.NoDeletes {", "if !BROKEN && v != nil && v.NoDeletes {"}}},
	"forgets it for users":   {Found: foundByDeletes, Edits: []brokentest.Edit{{"../backoffice/user_write.go", "	if err := requireDelete(by, UsersWrite); err != nil {", "	if err := requireDelete(by, UsersWrite); !BROKEN && err != nil {"}}},
	"forgets it for queries": {Found: foundByDeletes, Edits: []brokentest.Edit{{"../backoffice/savedquery.go", "err := cmp.Or(maySave(by), by.MayDelete()); err != nil {", "err := cmp.Or(maySave(by), by.MayDelete()); !BROKEN && err != nil {"}}},
	"does not store it":      {Found: foundByDeletes, Edits: []brokentest.Edit{{"../store/credential.go", "	if c.NoDeletes {", "	if !BROKEN && c.NoDeletes {"}}},
}

func TestACopyWithAFaultIsFoundByTheTestOfItsPromise(t *testing.T) {
	t.Parallel()
	all := maps.Clone(brokenRights)
	maps.Copy(all, brokenDeliveries)
	maps.Copy(all, brokenDeletes)
	brokentest.FindWhenAsked(t, all, "-test.failfast")
}
