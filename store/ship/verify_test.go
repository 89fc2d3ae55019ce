package ship

import "testing"

func TestAVerificationPassesOverFilesThatTheServerItselfHasLost(t *testing.T) {
	t.Parallel()
	inEachPlace(t, func(t *testing.T, o *office) {
		customer := o.customer(t, "Zonnebloem")
		lost, other := o.document(t, customer, "lost"), o.document(t, customer, "other")
		if err := o.Files.Delete(t.Context(), lost); err != nil {
			t.Fatal(err)
		}
		s, stop := o.ships(t)
		o.away(t, s)
		stop()
		found, err := o.from(t).Verify(t.Context(), t.TempDir(), o.Files)
		if err != nil || found.Files != 2 {
			t.Errorf("a verification finds %v (%v)", found, err)
		}
		if err := o.objects(t).Delete(t.Context(), shipped+"/"+other); err != nil {
			t.Fatal(err)
		}
		_, err = o.from(t).Verify(t.Context(), t.TempDir(), o.Files)
		if err == nil || err.Error() != "1 of 2 stored files were not shipped" {
			t.Errorf("without the other one it ends with %v", err)
		}
	})
}
