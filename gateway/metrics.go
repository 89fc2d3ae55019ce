package gateway

import (
	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/limits"
	"example.org/backoffice/privacy"
)

// measure adds what the rooms tell of themselves to the metrics. All of them are in docs/operating.md.
func (s server) measure(throttle *auth.Throttle, vault *privacy.Vault, admission *limits.Admission) {
	p := s.process
	p.Count("backoffice_sign_ins_failed_total", "Requests without a valid credential pair.", throttle.FailedSignIns)
	p.Count("backoffice_consultations_total", "Entries made in the register of consultations.", vault.Entered)
	p.Count("backoffice_consultations_failed_total", "Answers held back because their entry in the register could not be made.", vault.Failures)
	p.Gauge("backoffice_admission_running", "Cost of the operations that run.", func() int64 {
		running, _ := admission.Stats()
		return running
	})
	p.Gauge("backoffice_admission_waiting", "Cost of the operations that wait for room.", func() int64 {
		_, waiting := admission.Stats()
		return waiting
	})
	store, ok := s.backend.Store.(interface{ Gauges() []backoffice.Gauge })
	if !ok {
		return
	}
	for _, gauge := range store.Gauges() {
		p.Gauge("backoffice_"+gauge.Name, gauge.Help, gauge.Read, gauge.Labels...)
	}
}
