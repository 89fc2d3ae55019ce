package privacy

import (
	"cmp"
	"context"
	"time"

	"example.org/backoffice/backoffice"
)

// EnterRestore records in the register of a restored store that the entries since its newest one are lost.
func (k *Keyset) EnterRestore(ctx context.Context, store backoffice.ConsultationStore) error {
	found, err := k.Verify(ctx, store, "", func(Problem) {})
	if err != nil {
		return err
	}
	return newRegister(k, store).append(ctx, []*backoffice.Consultation{
		backoffice.NewRegisterRestored(cmp.Or(found.Newest, backoffice.InstantAt(0)), backoffice.InstantOf(time.Now())),
	})
}
