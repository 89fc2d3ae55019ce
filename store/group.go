package store

import (
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

// dimension is a value by which rows are grouped.
type dimension struct {
	value   string // as SQL, where the row is t; NULL for rows without one
	month   bool   // value is an instant, whose month counts
	join    string // joins the table that has it
	by      string // the column of few values that decides value, worked out once a group; value has ? for it
	more    string // joins the table that has value to by, which is its ?
	several bool   // a row may have several values
	secret  bool   // the value only tells groups apart: it is not read
	called  string // a query for the name of the record with the identifier ?
}

func byColumn(column string) dimension { return dimension{value: "t." + column} }

func byMonth(column string) dimension { return dimension{value: "t." + column, month: true} }

func byFlag(column string) dimension {
	return dimension{value: "CASE WHEN t." + column + " THEN 'true' ELSE 'false' END"}
}

// byLabel groups by each label of a customer's responsible user; join leads to the customer.
func byLabel(customer, join string) dimension {
	return dimension{value: "b.label_id", join: join, by: customer + ".responsible_id",
		more: " LEFT JOIN user_labels b ON b.user_id = ?", several: true, called: calledLabel}
}

const (
	calledLabel = "SELECT n.name FROM labels n WHERE n.id = ?"
	calledUser  = "SELECT u.first_name || ' ' || u.last_name FROM users u WHERE u.id = ?"
	calledYear  = "SELECT CASE WHEN y.end_date = y.start_date THEN y.start_date" +
		" ELSE y.start_date || '–' || y.end_date END FROM financial_years y WHERE y.id = ?"
)

// measure is what a group reports in addition to its number of rows.
type measure struct {
	column string // that text is about
	text   string
	read   func(*backoffice.Group, *Row, int)
}

func (r *reader[T, C]) Groups(b *backoffice.Batch, q backoffice.GroupQuery[C],
	into *backoffice.Aggregate) backoffice.Queued {
	if !r.table.finds(q.Criteria) {
		*into = backoffice.Aggregate{}
		return b.Queue(failed(nil))
	}
	by := q.Dimensions()
	s := shape{kind: aggregateStatement, criteria: r.table.mask(backoffice.Root, q.Criteria),
		varying: r.table.varyingText(q.Criteria, r.dialect), similar: r.table.trigrams(q.Criteria) != nil}
	between := [2]string{momentColumns[q.Turnaround.From], momentColumns[q.Turnaround.To]}
	text, ok := r.textFor(s, nil).aggregate(grouping{by, max(q.First, 1), q.Duplicates, between})
	if !ok {
		return b.Queue(failed(backoffice.Errorf(backoffice.BadInput, "unknown dimension")))
	}
	var found backoffice.Aggregate
	groups := make([]*backoffice.Group, 0, q.First)
	each := func(row *Row) error {
		found.TotalCount, found.GroupCount = int(row.Int(0)), int(row.Int(1))
		if len(groups) == q.First {
			return nil
		}
		group := &backoffice.Group{Count: int(row.Int(2)), Keys: make([]*backoffice.GroupKey, len(by))}
		at := 3
		for i := range r.table.measures {
			r.table.measures[i].read(group, row, at)
			at++
		}
		for i, dimension := range by {
			group.Keys[i] = backoffice.NewGroupKey(dimension, row.Text(at), row.Text(at+1))
			at += 2
		}
		switch {
		case q.Duplicates:
			group.Members = split[string](row.Text(at))
		case q.Turnaround != backoffice.TurnaroundBetween{} && row.Int(at) > 0:
			group.Turnaround = &backoffice.Turnaround{Count: int(row.Int(at)), Sum: row.Int(at + 1),
				Lower: row.Int(at + 2), Middle: row.Int(at + 3), Upper: row.Int(at + 4)}
		}
		groups = append(groups, group)
		return nil
	}
	read := queryOf(text, r.arguments(s, q.Criteria, nil), each)
	read.done = func() { found.Groups = groups; *into = found }
	return b.Queue(read)
}

// grouping is what the text of an aggregate depends on, in addition to the shape.
type grouping struct {
	by         []backoffice.Dimension
	first      int // 1 or more: the totals are in each group
	duplicates bool
	between    [2]string // columns of times, for turnarounds; "" for none
}

// aggregate counts all groups, and names the first ones. ok is false for a dimension that the noun does not have.
func (b *textOf[T, C]) aggregate(q grouping) (text string, ok bool) {
	inner, outer := "COUNT(*) AS n", "g.total, g.parts, g.n"
	merged, mergedBy, expanded, merges := "CAST(SUM(j.n) AS BIGINT) AS n", "", "", false
	for i := range b.table.measures {
		name := "m" + strconv.Itoa(i)
		inner += ", " + b.table.measures[i].text + " AS " + name
		outer += ", g." + name
		merged += ", CAST(SUM(j." + name + ") AS BIGINT) AS " + name
	}
	total, joins, orderBy, groupBy := "CAST(SUM(i.n) OVER () AS BIGINT)", "", " ORDER BY g.n DESC", ""
	customers := " " + b.dialect.stored + "customers r" + b.dialect.seen
	var members, values []string
	for i, name := range q.by {
		of, has := b.table.dimensions[name]
		if !has {
			return "", false
		}
		if of.month {
			of.value = strings.ReplaceAll(b.dialect.month, "?", of.value)
		}
		if of.several {
			total = "(SELECT COUNT(*)" + b.from() + ")"
		}
		key := "k" + strconv.Itoa(i)
		if q.duplicates {
			members = append(members, of.value+" = g."+key)
			b.conditions = append(b.conditions, of.value+" IS NOT NULL")
		}
		values = append(values, strings.ReplaceAll(of.value, "?", of.by))
		value := "j." + key
		if of.by != "" {
			expanded += strings.ReplaceAll(of.more, "?", value)
			value, of.value, merges = strings.ReplaceAll(of.value, "?", value), of.by, true
		}
		merged, mergedBy = merged+", "+value+" AS "+key, mergedBy+", "+strconv.Itoa(2+len(b.table.measures)+i)
		called := "NULL"
		if of.called != "" {
			called = "(" + strings.ReplaceAll(of.called, "?", "g."+key) + ")"
		}
		inner += ", " + of.value + " AS " + key
		if strings.HasPrefix(of.value, "t.") {
			of.value = b.dialect.plain + of.value // no row is looked up just for its order
		}
		read := "g." + key
		if of.secret {
			read = "''"
		}
		outer += ", " + read + ", " + called
		orderBy += ", g." + key + " IS NULL, g." + key
		if of.join == "" {
			groupBy += ", " + of.value
		} else { // rows next to each other share it: fewer are compared to the end
			groupBy = ", " + of.value + groupBy
		}
		if join := strings.Replace(of.join, " customers r", customers, 1); !strings.Contains(joins, join) {
			joins += join
		}
		if q.between[0] != "" {
			joins += strings.ReplaceAll(of.more, "?", of.by)
		}
	}
	from := b.joined(joins)
	if on, ok := strings.CutPrefix(joins, " JOIN"+customers); ok && b.dialect.seen != "" && len(b.conditions) == 0 {
		// It looks each customer up once, not once a row.
		from = " FROM" + customers + " CROSS JOIN " + b.base + " t" + on
	}
	grouped := "SELECT " + inner + from + " GROUP BY " + groupBy[2:]
	switch {
	case q.duplicates:
		grouped += " HAVING COUNT(*) > 1"
		outer += ", (" + b.members(members) + ")"
	case q.between[0] != "":
		grouped = b.turnarounds(values, from, q.between)
		outer += turnaroundColumns
	case merges:
		grouped = "SELECT " + merged + " FROM (" + grouped + ") j" + expanded + " GROUP BY " + mergedBy[2:]
	}
	counted := "SELECT i.*, " + total + " AS total, COUNT(*) OVER () AS parts FROM (" + grouped + ") i"
	kept := "SELECT g.* FROM (" + counted + ") g" + orderBy + " LIMIT " + strconv.Itoa(q.first)
	return "SELECT " + naming(b.table.name, "groups") + outer + " FROM (" + kept + ") g" + orderBy, true
}
