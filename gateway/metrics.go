package gateway

import (
	"strconv"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// measure adds what the packages count to the metrics, each with the description that /metrics shows.
func (s server) measure(throttle *auth.Throttle, admission *limits.Admission) {
	srv, vault := s.http, s.backend.Vault
	srv.Gauge("backoffice_build_info", "1, labelled with the build of the program.", func() int64 { return 1 },
		"version", s.build.Version, "commit", s.build.Commit, "schema", strconv.FormatInt(SchemaVersion(), 10))
	srv.Count("backoffice_sign_ins_failed_total", "Requests without a valid credential.", throttle.FailedSignIns)
	srv.Gauge("backoffice_credentials_ending", "Credentials that end within 14 days.", s.authenticator.Ending)
	srv.Count("backoffice_consultations_total", "Entries written to the register of consultations.", vault.Entered)
	srv.Count("backoffice_consultations_failed_total",
		"Answers withheld because their entry in the register could not be written.", vault.Failures)
	srv.Gauge("backoffice_register_alarms",
		"Signs of tampering with the register of consultations seen by this process; normally 0.",
		func() int64 { return int64(len(vault.Alarms())) })
	srv.Gauge("backoffice_change_streams", "Streams and waiting requests on the change feed.", s.feed.Streams)
	srv.Gauge("backoffice_sockets", "Signed-in WebSockets.", s.feed.Connections)
	srv.Gauge("backoffice_admission_running", "Cost of the running operations.", func() int64 {
		running, _ := admission.Stats()
		return running
	})
	srv.Gauge("backoffice_admission_waiting", "Cost of the operations waiting to run.", func() int64 {
		_, waiting := admission.Stats()
		return waiting
	})
	gauges := s.answers.Gauges()
	if store, ok := s.store.(interface{ Gauges() []backoffice.Gauge }); ok {
		gauges = append(gauges, store.Gauges()...)
	}
	for _, gauge := range gauges {
		srv.Gauge("backoffice_"+gauge.Name, gauge.Help, gauge.Read, gauge.Labels...)
	}
}
