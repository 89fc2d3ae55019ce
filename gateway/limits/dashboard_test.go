package limits

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

var (
	metricName  = regexp.MustCompile(`\b(?:(?:backoffice|go|process)_[a-z_]+|up\b)`)
	metricUsed  = regexp.MustCompile(`\b((?:backoffice|go|process)_[a-z_]+|up\b)(?:\{([^}]*)\})?`)
	metricLabel = regexp.MustCompile(`([a-z_]+)(?:=~|!~|!=|=)"`)
	groupedBy   = regexp.MustCompile(`by \(([^)]*)\)`)
)

// metricsOfAll are the metrics of a server with everything that has some, and the labels of each.
func metricsOfAll(t *testing.T) map[string][]string {
	t.Helper()
	o := gatewaytest.Open(t)
	c := gatewaytest.Measured(t, gatewaytest.Config(gatewaytest.Limits()))
	c.Webhooks.Off = false
	if err := c.Cache.Cache.UnmarshalText([]byte("1MiB")); err != nil {
		t.Fatal(err)
	}
	o = gatewaytest.ServeOpen(t, o.Backend, c)
	o.Ask(t, o.Credential(t, backoffice.PrivacyRead), `{ customers { totalCount } }`, nil, nil)
	metrics := map[string][]string{ // those of PostgreSQL's replicas, which store/postgres has
		"backoffice_replica_answers": {"replica"}, "backoffice_replica_lag_bytes": {"replica"},
		"backoffice_backup_age_seconds": nil, // of a store that no cache of the tests is in front of: backups_test.go
		// of a server that ships: cli/ship_test.go
		"backoffice_ship_lag_seconds": nil, "backoffice_ship_unshipped_bytes": nil, "backoffice_ship_verified_age_seconds": nil,
		"backoffice_standby_lag_seconds": nil, "backoffice_standby_position": nil, // of a stand-by: cli/standby_test.go
	}
	for line := range strings.Lines(o.Metrics(t)) {
		if used := metricUsed.FindStringSubmatch(line); used != nil && !strings.HasPrefix(line, "#") {
			metrics[used[1]] = nil
			for _, label := range metricLabel.FindAllStringSubmatch(used[2], -1) {
				metrics[used[1]] = append(metrics[used[1]], label[1])
			}
		}
	}
	return metrics
}

// unknown are the metrics and labels that an expression uses and that no server has.
func unknown(metrics map[string][]string, expression string) (found []string) {
	var labels []string
	for _, used := range metricUsed.FindAllStringSubmatch(expression, -1) {
		has, known := metrics[used[1]]
		if used[1] == "up" { // which Prometheus makes, of every job
			has, known = []string{"job"}, strings.Contains(used[2], `job="backoffice"`)
		}
		if !known {
			found = append(found, used[1])
		}
		has = append(slices.Clone(has), "instance") // which Prometheus adds
		labels = append(labels, has...)
		for _, label := range metricLabel.FindAllStringSubmatch(used[2], -1) {
			if !slices.Contains(has, label[1]) {
				found = append(found, used[1]+"{"+label[1]+"}")
			}
		}
	}
	for _, by := range groupedBy.FindAllStringSubmatch(expression, -1) {
		for label := range strings.SplitSeq(by[1], ", ") {
			if !slices.Contains(labels, label) {
				found = append(found, "by "+label)
			}
		}
	}
	if strings.Count(expression, "(") != strings.Count(expression, ")") || len(metricName.FindAllString(expression, -1)) == 0 {
		found = append(found, expression)
	}
	return found
}

func TestTheDashboardAndTheAlertsAreMadeOfMetricsThatAreThere(t *testing.T) {
	t.Parallel()
	metrics := metricsOfAll(t)
	var expressions []string
	board, err := os.ReadFile("../../deploy/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			ID      int
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(board, &dashboard); err != nil {
		t.Fatal(err)
	}
	for i, panel := range dashboard.Panels {
		if panel.Title == "" || panel.ID != i+1 {
			t.Errorf("panel %d: %+v", i, panel)
		}
		for _, target := range panel.Targets {
			expressions = append(expressions, target.Expr)
		}
	}
	rules, err := os.ReadFile("../../deploy/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	var alerts struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(rules, &alerts); err != nil {
		t.Fatal(err)
	}
	alert := map[string]string{}
	for _, rule := range alerts.Groups[0].Rules {
		alert[rule.Alert] = rule.Expr
		if rule.Alert == "" || rule.Annotations["summary"] == "" || rule.Annotations["action"] == "" || rule.Labels["severity"] != "page" && rule.Labels["severity"] != "ticket" {
			t.Errorf("%+v", rule)
		}
		expressions = append(expressions, rule.Expr)
	}
	for _, expression := range expressions {
		for _, wrong := range unknown(metrics, expression) {
			t.Errorf("%s: there is no %s", expression, wrong)
		}
	}
	if strings.Contains(alert["BackofficeDown"], "offset") || !strings.Contains(alert["BackofficeDown"], `up{job="backoffice"} == 0`) {
		t.Errorf("of several servers the loss of one is forgotten: %s", alert["BackofficeDown"])
	}
	for name, expr := range alert {
		if regexp.MustCompile(`\b(process|go)_`).MatchString(expr) && !strings.Contains(expr, "and on (instance, job) backoffice_build_info") {
			t.Errorf("%s is of every program: %s", name, expr)
		}
		if strings.Contains(expr, "/readyz") {
			t.Errorf("%s needs somebody who polls: %s", name, expr)
		}
	}
	for metric := range metrics {
		if strings.HasSuffix(metric, "_differences_total") && !strings.Contains(alert["BackofficeCacheDiffers"], metric) {
			t.Errorf("nobody learns of %s", metric)
		}
	}
	// The nouns that a pull reads in sweeps, of origins without a feed.
	for _, swept := range []backoffice.Noun{backoffice.NounRelation, backoffice.NounDocument} {
		if !regexp.MustCompile(`noun!~"[^"]*\b` + swept.APIName() + `\b[^"]*"\} > 3600 `).MatchString(alert["BackofficeMirrorOld"]) {
			t.Errorf("the alert of old mirrors is always on for every %s", swept)
		}
	}
	if len(expressions) < 40 {
		t.Errorf("only %d expressions", len(expressions))
	}
	for _, wrong := range []string{
		"rate(backoffice_http_request_total[5m])", `backoffice_http_requests_total{code="500"}`, "sum by (client) (backoffice_sockets)", "sum(backoffice_sockets", "up",
	} {
		if len(unknown(metrics, wrong)) != 1 {
			t.Errorf("%s: %q", wrong, unknown(metrics, wrong))
		}
	}
}
