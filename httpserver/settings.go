package httpserver

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"time"
)

// Settings configure a server. A program embeds them among its flags.
type Settings struct {
	Metrics     string        `default:"127.0.0.1:9464" env:"BACKOFFICE_METRICS" placeholder:"ADDRESS" help:"The address of /metrics for Prometheus: a loopback address, or empty for none (${default})."`
	Origins     []string      `name:"cors-origin" env:"BACKOFFICE_CORS_ORIGIN" placeholder:"ORIGIN" help:"An origin whose pages may send requests, such as https://office.example. Can be repeated. Default none."`
	Certificate string        `name:"tls-certificate" env:"BACKOFFICE_TLS_CERTIFICATE" placeholder:"PATH" predictor:"path" help:"The certificate chain (PEM), to serve HTTPS. Reloaded when the file changes."`
	Key         string        `name:"tls-key" env:"BACKOFFICE_TLS_KEY" placeholder:"PATH" predictor:"path" help:"The certificate's private key (PEM)."`
	LogLevel    string        `default:"info" enum:"debug,info,warn,error" env:"BACKOFFICE_LOG_LEVEL" placeholder:"LEVEL" help:"The minimum level to log: debug, info, warn or error (${default})."`
	LogFormat   string        `default:"auto" enum:"auto,text,json" env:"BACKOFFICE_LOG_FORMAT" placeholder:"FORMAT" help:"The format of the log: text or json; auto is text on a terminal, else json (${default})."`
	Slow        time.Duration `placeholder:"TIME" default:"0" env:"BACKOFFICE_SLOW" help:"Log GraphQL operations that take at least this long, such as 500ms, with the time of each level; 0 for none (${default})."`
	NoPartial   bool          `name:"no-partial-success-status" env:"BACKOFFICE_NO_PARTIAL_SUCCESS_STATUS" help:"Send GraphQL data with errors with status 200 instead of 294."`
	StopDelay   time.Duration `default:"1s" env:"BACKOFFICE_STOP_DELAY" help:"How long to accept requests after a stop is requested and readiness is off (${default})."`
	StopTime    time.Duration `default:"18s" env:"BACKOFFICE_STOP_TIME" help:"The maximum duration of a stop, even with requests in flight (${default})."`
}

// Check reports what is wrong with the settings, before anything is started.
func (s Settings) Check() error {
	if (s.Certificate == "") != (s.Key == "") {
		return errors.New("--tls-certificate and --tls-key belong together; pass both or neither")
	}
	if s.Metrics != "" {
		host, _, err := net.SplitHostPort(s.Metrics)
		if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return errors.New("--metrics must be a loopback address such as 127.0.0.1:9464, or empty")
		}
	}
	for _, origin := range s.Origins {
		parsed, err := url.Parse(origin)
		if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" ||
			origin != parsed.Scheme+"://"+parsed.Host || strings.Contains(origin, "*") {
			return errors.New("--cors-origin must be a scheme and a host, such as https://office.example, without a path or a star")
		}
	}
	if s.Slow < 0 {
		return errors.New("--slow must be a time such as 500ms, or 0 for none")
	}
	if s.StopDelay < 0 || s.StopTime <= 0 || s.StopDelay > s.StopTime {
		return errors.New("--stop-time must be longer than --stop-delay, and neither may be negative")
	}
	return nil
}
