package backoffice

import "context"

// updating describes a change of one record that has a version.
type updating[T, I any, C comparable] struct {
	by       *Principal
	action   string
	input    *input[T, I, C]
	id       string
	in       *I
	expected Versions
	look     func(ctx context.Context, tx Tx) error // reads what check needs; nil for nothing
	check    func(before, after *T, check *checker) // checks what other records decide; nil for nothing
}

// update changes a record and returns it. An update without any change leaves the version alone and is not logged.
// Refused with NOT_FOUND (id) and STALE_VERSION.
func update[T, I any, C comparable](ctx context.Context, s *Service, u updating[T, I, C]) (updated *T, err error) {
	table := u.input.table
	err = s.write(ctx, func(ctx context.Context, tx Tx) (bool, error) {
		var before *T
		var ok bool
		var from int
		rows := table.Writer(tx)
		read := []func(context.Context) error{finding(rows, u.id, &before, &ok), versionsFrom(tx, &from)}
		if u.look != nil {
			read = append(read, func(ctx context.Context) error { return u.look(ctx, tx) })
		}
		if err := tx.Together(ctx, read...); err != nil {
			return false, err
		}
		if !ok {
			return false, NoSuch(table.Noun, "id")
		}
		if err := checkVersion(u.expected, *table.Version(before)); err != nil {
			return false, err
		}
		after := *before
		var check checker
		u.input.apply(u.in, &after, &check)
		if u.check != nil {
			u.check(before, &after, &check)
		}
		check.found = append(check.found, table.Check(&after)...)
		if err := check.refusal(); err != nil {
			return false, err
		}
		changed := u.input.values(before).changed(u.input.values(&after))
		if updated = before; len(changed) == 0 {
			return false, nil
		}
		version := table.Version(&after)
		*version = NextVersion(*version, from)
		updated = &after
		if err := rows.Update(ctx, &after); err != nil {
			for _, day := range table.Period { // no update changes what is unique in it
				if _, moved := changed[day]; moved && refusedBy(err, CodeTaken) {
					err = refused(CodeTaken, "the same "+string(table.Noun)+" exists in an overlapping period", day)
				}
			}
			return lost(err), err
		}
		return false, tx.LogChanges(ctx,
			changeBy(u.by, InstantOf(s.now()), u.action, table.Noun, u.id, changed.names()...))
	})
	if err != nil {
		return nil, err
	}
	return updated, nil
}
