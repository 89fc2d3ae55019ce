package limits

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestNoLimitIsNegativeAndNoneOfZeroRefusesEverything(t *testing.T) {
	t.Parallel()
	if err := Defaults().Check(); err != nil {
		t.Error(err)
	}
	// Those of which there may be none; all others would leave nothing that is answered.
	none := "Aliases Directives ListValues Generated IntrospectionDepth IntrospectionCost Waiting Wait Budget Documents"
	of := reflect.TypeFor[Settings]()
	for i := range of.NumField() {
		field := of.Field(i)
		for _, value := range []int64{-1, 0} {
			s := Defaults()
			reflect.ValueOf(&s).Elem().Field(i).SetInt(value)
			name := "--limit-" + strings.ReplaceAll(strings.ToLower(field.Tag.Get("env")), "_", "-") + " must be "
			err := s.Check()
			if allowed := value == 0 && strings.Contains(" "+none+" ", " "+field.Name+" "); allowed != (err == nil) || err != nil && !strings.HasPrefix(err.Error(), name) {
				t.Errorf("%s of %d gives %v", field.Name, value, err)
			}
			if field.Type == reflect.TypeFor[time.Duration]() && err != nil && !strings.Contains(err.Error(), "must be a time such as 10s, and ") {
				t.Errorf("%s of %d gives %v", field.Name, value, err)
			}
		}
	}
}

func TestABudgetHasABound(t *testing.T) {
	t.Parallel()
	s := Defaults()
	s.Budget = mostBudget + 1
	if err := s.Check(); err == nil {
		t.Error("it has none")
	}
}
