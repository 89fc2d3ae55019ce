package store

import "example.org/backoffice/backoffice"

// customVariable picks transcripts by a member of their answers. It skips any with a NUL: PostgreSQL can't parse them.
var customVariable = []criterion[backoffice.TranscriptCriteria]{variableEquals, variableWithin}

var variableEquals = criterion[backoffice.TranscriptCriteria]{
	when: func(c backoffice.TranscriptCriteria) bool { return c.Variable.Set },
	text: func(d *Dialect) string {
		if d.bulk {
			const object = "t.custom_variables::json"
			return "CASE WHEN t.custom_variables IS NULL OR strpos(t.custom_variables, '\\u0000') > 0 THEN false" +
				" WHEN json_typeof(" + object + " -> ?::text) = 'number' THEN COALESCE((" + object +
				" ->> ?::text)::double precision = ?::double precision, false)" +
				" WHEN json_typeof(" + object + " -> ?::text) IN ('string', 'boolean') THEN " + object +
				" ->> ?::text = ?::text ELSE false END"
		}
		// Only a text that has the key, or an escape, is parsed.
		return "CASE WHEN instr(t.custom_variables, ?) > 0 OR instr(t.custom_variables, '\\') > 0 THEN EXISTS (SELECT" +
			" 1 FROM json_each(CASE WHEN instr(t.custom_variables, '\\u0000') = 0 THEN t.custom_variables END) j" +
			" WHERE j.key = ? AND CASE j.type WHEN 'text' THEN j.value = ?" +
			" WHEN 'integer' THEN CAST(j.value AS REAL) = ? WHEN 'real' THEN j.value = ?" +
			" WHEN 'true' THEN ? = 'true' WHEN 'false' THEN ? = 'false' END) ELSE 0 END"
	},
	args: func(c backoffice.TranscriptCriteria, d *Dialect, args []any) []any {
		key, text := storable(c.Variable.Key), storable(c.Variable.Text)
		var number any
		if c.Variable.IsNumber {
			number = c.Variable.Number
		}
		if d.bulk {
			return append(args, key, key, number, key, key, text)
		}
		return append(args, `"`+key+`":`, key, text, number, number, text, text)
	},
}

var variableWithin = criterion[backoffice.TranscriptCriteria]{
	when: func(c backoffice.TranscriptCriteria) bool { return c.VariableRange.Set },
	text: func(d *Dialect) string {
		if d.bulk {
			const member = "t.custom_variables::json -> ?::text"
			return "CASE WHEN t.custom_variables IS NULL OR strpos(t.custom_variables, '\\u0000') > 0 THEN false" +
				" WHEN json_typeof(" + member + ") = 'number' THEN (" + member + ")::text::double precision" +
				" BETWEEN ?::double precision AND ?::double precision ELSE false END"
		}
		return "CASE WHEN instr(t.custom_variables, ?) > 0 OR instr(t.custom_variables, '\\') > 0 THEN EXISTS (SELECT" +
			" 1 FROM json_each(CASE WHEN instr(t.custom_variables, '\\u0000') = 0 THEN t.custom_variables END) j" +
			" WHERE j.key = ? AND j.type IN ('integer', 'real') AND CAST(j.value AS REAL) BETWEEN ? AND ?) ELSE 0 END"
	},
	args: func(c backoffice.TranscriptCriteria, d *Dialect, args []any) []any {
		v := c.VariableRange
		key := storable(v.Key)
		if d.bulk {
			return append(args, key, key, v.Least, v.Most)
		}
		return append(args, `"`+key+`":`, key, v.Least, v.Most)
	},
}
