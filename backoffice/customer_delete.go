package backoffice

import "context"

// CustomerDeletion counts what is deleted with customers: the records of each noun, and the stored files.
type CustomerDeletion struct{ Relations, Transcripts, Calculations, Documents, MinfinDocuments, Files int }

type CustomerToDelete struct {
	ID       string
	Expected Versions
}

// DeleteCustomer deletes a customer with its relations, transcripts (also of archived years), calculations, documents
// and stored files; it needs customers.write. The files are removed after the rest is durable. All of it can be
// restored within Service.Trash. Refused with NOT_FOUND (id) and STALE_VERSION.
func (s *Service) DeleteCustomer(
	ctx context.Context, by *Principal, id string, expected Versions,
) (CustomerDeletion, error) {
	if err := requireDelete(by, CustomersWrite); err != nil {
		return CustomerDeletion{}, err
	}
	if there, err := s.writesThere(ctx, NounCustomer); err != nil {
		return CustomerDeletion{}, err
	} else if there {
		return s.deleteCustomerThere(ctx, by, id, expected)
	}
	found, gone, err := s.deleteCustomers(ctx, by, alone, []CustomerToDelete{{id, expected}}, Atomic)
	if err == nil {
		err = (&checker{found: found[0]}).refusal()
	}
	return gone, err
}

// DeleteCustomers deletes the customer of each input, as DeleteCustomer does. A second input for the same customer is
// NOT_FOUND. The deletion counts the records of all of them, each once. Refused as a whole with INVALID (inputs).
func (s *Service) DeleteCustomers(
	ctx context.Context, by *Principal, inputs []CustomerToDelete, mode BatchMode,
) (*BatchOutcome[string], CustomerDeletion, error) {
	found, gone, err := s.deleteCustomers(ctx, by, "deleteCustomers", inputs, mode)
	if err != nil {
		return nil, gone, err
	}
	outcome := &BatchOutcome[string]{Results: make([]BatchResult[string], len(inputs))}
	for i := range inputs {
		if len(found[i]) > 0 {
			outcome.refuse(i, found[i])
			continue
		}
		outcome.Results[i].Object = &inputs[i].ID
		outcome.Written++
	}
	if !outcome.stands(mode) {
		outcome.withdraw()
	}
	return outcome, gone, nil
}

const alone = "deleteCustomer" // the action of a deletion that is no batch

// deleteCustomers returns the faults of each input.
func (s *Service) deleteCustomers(
	ctx context.Context, by *Principal, action string, inputs []CustomerToDelete, mode BatchMode,
) (wrong [][]*UserError, gone CustomerDeletion, err error) {
	if err := requireDelete(by, CustomersWrite); err != nil {
		return nil, gone, err
	}
	var check checker
	checkInputs(len(inputs), &check)
	if err := check.refusal(); err != nil {
		return nil, gone, err
	}
	ids := sound(Map(inputs, func(in CustomerToDelete) string { return in.ID })...)
	var keys, kept []string // of files to remove, and of all
	barred := map[int][]*UserError{}
	attempt := func(ctx context.Context, tx Tx) (raced bool, err error) {
		keys, kept, gone = nil, nil, CustomerDeletion{}
		var stored map[string]*Customer
		var from int
		if len(ids) > 0 {
			err = tx.Together(ctx, func(ctx context.Context) (err error) {
				stored, err = ReadByID(ctx, tx.Customers(), ids, 0)
				return err
			}, versionsFrom(tx, &from))
			if err != nil {
				return false, err
			}
		}
		var going []string
		var claimed []*Customer
		refused := false
		wrong = make([][]*UserError, len(inputs))
		for i, in := range inputs {
			c := stored[in.ID]
			if wrong[i] = barred[i]; c == nil {
				wrong[i] = userErrorsOf(NoSuch(NounCustomer, "id"))
			} else if wrong[i] == nil {
				wrong[i] = userErrorsOf(checkVersion(in.Expected, c.VisibleTo(by).Version))
			}
			if len(wrong[i]) > 0 {
				refused = true
				continue
			}
			delete(stored, in.ID)
			going = append(going, in.ID)
			if in.Expected != nil { // of several writers of this version only the first succeeds
				c.Version = NextVersion(c.Version, from)
				claimed = append(claimed, c)
			}
		}
		if refused && mode != Each {
			return false, errUndone
		}
		if len(going) == 0 {
			return false, nil
		}
		now := InstantOf(s.now())
		s.keepDeleted(tx, by, now, "")
		err = tx.Together(ctx, func(ctx context.Context) error {
			err := tx.Customers().Update(ctx, claimed...)
			raced = lost(err)
			return err
		}, func(ctx context.Context) (err error) {
			if s.Trash > 0 || s.dry { // else they are known once forgotten
				kept, err = tx.FileKeysOf(ctx, going...)
			}
			return err
		}, func(ctx context.Context) error {
			deleted, err := tx.Customers().Delete(ctx, going...)
			if err == nil && len(deleted) < len(going) { // another transaction was faster
				raced, err = true, NoSuch(NounCustomer, "id")
			}
			if err != nil {
				return err
			}
			n := tx.DeletedRows()
			gone = CustomerDeletion{
				n[NounRelation], n[NounTranscript], n[NounCalculation], n[NounDocument], n[NounMinfin], 0,
			}
			change := func(id string) *Change { return changeBy(by, now, action, NounCustomer, id) }
			return tx.LogChanges(ctx, Map(going, change)...)
		})
		keys = tx.ForgottenWith()
		gone.Files = max(len(keys), len(kept)) // restricted dry runs know both
		if !by.Has(MinfinRead) {
			gone.Files, gone.MinfinDocuments = gone.Files-gone.MinfinDocuments, 0 // each has one file
		}
		return raced, err
	}
	err = s.write(ctx, attempt)
	if action != alone && refusedBy(err, CodeNotAllowed) { // some have records that the caller does not see
		for i := range inputs {
			_, _, err := s.DryRun().deleteCustomers(ctx, by, alone, inputs[i:i+1], mode)
			barred[i] = userErrorsOf(err)
		}
		err = s.write(ctx, attempt)
	}
	if err != nil {
		return nil, CustomerDeletion{}, err
	}
	s.removeFiles(ctx, keys)
	return wrong, gone, nil
}

// removeVersion is remove of an object that has one of the expected versions. Refused also with STALE_VERSION.
func removeVersion[T any, C comparable](
	ctx context.Context, tx Tx, of *Table[T, C], change *Change, expected Versions,
) (raced bool, err error) {
	rows := of.Writer(tx)
	if expected == nil {
		return false, remove(ctx, tx, rows, change)
	}
	row, ok, from := new(T), false, 0
	err = tx.Together(ctx, finding(of.Reader(tx), change.ObjectID, &row, &ok), versionsFrom(tx, &from))
	if err != nil {
		return false, err
	}
	if !ok {
		return false, NoSuch(change.Noun, "id")
	}
	version := of.Version(row)
	if err := checkVersion(expected, *version); err != nil {
		return false, err
	}
	*version = NextVersion(*version, from)
	err = tx.Together(ctx, func(ctx context.Context) error {
		err := rows.Update(ctx, row) // of several writers of this version only the first succeeds
		raced = lost(err)
		return err
	}, func(ctx context.Context) error { return remove(ctx, tx, rows, change) })
	return raced, err
}

// remove deletes the object of a change and logs the change. Refused with NOT_FOUND (id).
func remove[T any, C comparable](ctx context.Context, tx Tx, rows Writer[T, C], change *Change) error {
	gone, err := rows.Delete(ctx, change.ObjectID)
	if err != nil {
		return err
	}
	if len(gone) == 0 { // another transaction was faster
		return NoSuch(change.Noun, "id")
	}
	return tx.LogChanges(ctx, change)
}
