package demo

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// moments visits every moment in a record, with the names of the fields that lead to it.
func moments(value reflect.Value, at string, visit func(at string, moment backoffice.Instant)) {
	if value.Type() == reflect.TypeFor[backoffice.Instant]() {
		visit(at, backoffice.Instant(value.Int()))
		return
	}
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			moments(value.Elem(), at, visit)
		}
	case reflect.Struct:
		for i := range value.NumField() {
			moments(value.Field(i), at+"."+value.Type().Field(i).Name, visit)
		}
	case reflect.Slice:
		for i := range value.Len() {
			moments(value.Index(i), at, visit)
		}
	}
}

func TestNothingOfADemoWasInTheFuture(t *testing.T) {
	t.Parallel()
	days := []time.Time{time.Now().UTC().Truncate(24 * time.Hour)} // midnight: the day has yet to come
	for _, day := range []string{"2027-01-01", "2027-01-02", "2027-01-04", "2028-02-29", "2026-12-31"} {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		days = append(days, at)
	}
	for _, day := range days {
		t.Run(day.Format(time.DateOnly), func(t *testing.T) { t.Parallel(); nothingInTheFuture(t, day) })
	}
}

func nothingInTheFuture(t *testing.T, day time.Time) {
	t.Helper()
	d := newDemo(t, 300)
	d.Now = day
	fill(t, d)
	latest, seen := backoffice.InstantOf(d.Now), 0
	look := func(rows any) {
		moments(reflect.ValueOf(rows), fmt.Sprintf("%T", rows), func(at string, moment backoffice.Instant) {
			if seen++; moment > latest {
				t.Errorf("%s is %s", at, moment)
			}
		})
	}
	look(every(t, d.Store.Customers()))
	look(every(t, d.Store.Relations()))
	look(every(t, d.Store.Transcripts()))
	look(every(t, d.Store.Calculations()))
	look(every(t, d.Store.Labels()))
	look(every(t, d.Store.Users()))
	look(every(t, d.Store.FinancialYears()))
	look(every(t, d.Store.Documents()))
	look(every(t, d.Store.MinfinDocuments()))
	if seen < 1000 {
		t.Errorf("only %d moments were seen", seen)
	}
}
