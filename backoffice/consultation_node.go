package backoffice

func (a *Consultation) Identity() string { return a.ID }

func (a *Consultation) Position(key OrderKey) Position {
	p := Position{Key: key, ID: a.ID}
	if key == KeyAt {
		p.Number = float64(a.At.Milliseconds())
	}
	return p
}

// SubjectName is the person's name at the time, nil for a credential.
func (a *Consultation) SubjectName() *string {
	if a.Subject == nil {
		return nil
	}
	return &a.ClientName
}

// NewestFirst is the order in which a customer's consultations are listed.
var NewestFirst = Order{Key: KeyAt, Descending: true}

// ConsultationCriteria picks all entries of the register.
type ConsultationCriteria struct{}

var ConsultationTable = &Table[Consultation, ConsultationCriteria]{
	Noun: NounConsultation, requiredScope: PrivacyRead, ID: func(a *Consultation) *string { return &a.ID },
}
