package tracing

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

//nolint:paralleltest // the environment is the process's
func TestOnlyTheEnvironmentTurnsTracesOn(t *testing.T) {
	for _, c := range []struct {
		variables string
		on        bool
		wrong     string
	}{
		{variables: ""},
		{variables: "OTEL_SERVICE_NAME=office"},
		{variables: "OTEL_TRACES_EXPORTER=none OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"},
		{variables: "OTEL_SDK_DISABLED=true OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"},
		{variables: "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", on: true},
		{variables: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://127.0.0.1:1 OTEL_EXPORTER_OTLP_PROTOCOL=grpc", on: true},
		{variables: "OTEL_TRACES_EXPORTER=otlp", on: true},
		{variables: "OTEL_TRACES_EXPORTER=zipkin", wrong: "OTEL_TRACES_EXPORTER must be otlp or none"},
		{variables: "OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=http/json", wrong: "http/protobuf or grpc"},
	} {
		t.Run(c.variables, func(t *testing.T) {
			for _, variable := range strings.Fields(c.variables) {
				name, value, _ := strings.Cut(variable, "=")
				t.Setenv(name, value)
			}
			tracer, err := FromEnvironment(t.Context(), "v1", slog.New(slog.DiscardHandler))
			if (tracer != nil) != c.on || (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%v %v", tracer, err)
			}
			if err := tracer.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSpansThatCannotBeSentAreLoggedOnceAMinute(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	f := &failures{log: slog.New(slog.NewTextHandler(&text, nil))}
	for range 3 {
		f.Handle(errors.New("nobody is at 127.0.0.1"))
	}
	if strings.Count(text.String(), "cannot send spans") != 1 {
		t.Error(text.String())
	}
}
