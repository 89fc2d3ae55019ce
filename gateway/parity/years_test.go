package parity

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestTheLoserOfTwoWhoStartTheSameYearIsToldTheSameByBothEngines(t *testing.T) {
	t.Parallel()
	for engine, url := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, url(t))
			for year := 2027; year < 2031; year++ {
				var both sync.WaitGroup
				var refused [4]error
				for i := range refused {
					both.Go(func() {
						_, refused[i] = o.Service().StartYear(context.Background(), backoffice.YearStart{Year: strconv.Itoa(year)})
					})
				}
				both.Wait()
				started := 0
				for _, err := range refused {
					var known *backoffice.Error
					switch {
					case err == nil:
						started++
					case !errors.As(err, &known) || known.UserErrors[0].Message != "the new year must be later than the current one":
						t.Errorf("%d: a loser is told %v", year, err)
					}
				}
				if started != 1 {
					t.Errorf("%d is started %d times", year, started)
				}
			}
		})
	}
}
