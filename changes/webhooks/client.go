package webhooks

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
)

// Settings configure where messages may go.
type Settings struct {
	Networks []Network `name:"webhook-network" env:"BACKOFFICE_WEBHOOK_NETWORK" placeholder:"NETWORK" help:"A private network to which webhooks may be sent, such as 10.1.0.0/16. Can be repeated. Without it, only to public addresses."`
}

const (
	attemptTime = 15 * time.Second // of one attempt
	answerTime  = time.Second      // for an answer's body, which decides nothing
	answerSize  = 64 << 10         // bytes of a body to read, so that the connection can be reused
	headersSize = 64 << 10
)

type client struct {
	keys  *privacy.Keyset
	http  http.Client
	limit time.Duration // of an attempt
}

// newClient makes a client. Close it.
func newClient(s Settings, keys *privacy.Keyset) *client { return newClientOf(s, keys, nil) }

// newClientOf makes one with a resolver of names, nil for the system's.
func newClientOf(s Settings, keys *privacy.Keyset, names *net.Resolver) *client {
	dialer := &net.Dialer{Timeout: attemptTime, Resolver: names, Control: guard(s.Networks)}
	return &client{keys: keys, limit: attemptTime, http: http.Client{
		// No proxy: one would connect to addresses that this program must not reach. No HTTP/2 either, which keeps a
		// connection on which nothing is answered any more.
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
			DisableCompression: true, MaxResponseHeaderBytes: headersSize,
			MaxIdleConnsPerHost: 2, IdleConnTimeout: 90 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

type Answer struct {
	Status  int    // of HTTP, 0 when there was no answer
	Failure string // why the message was not received, without anything of the answer; "" when it was
	Took    time.Duration
	Body    []byte // the beginning of the answer's

	retryAfter time.Duration // requested by the receiver
	cause      string        // for the log
}

func (a *Answer) Received() bool { return a.Failure == "" }

// gone reports whether the receiver wants no more.
func (a *Answer) gone() bool { return a.Status == http.StatusGone }

// post sends a message once, signed with the given time. A failure of the receiver is no error.
func (c *client) post(ctx context.Context, hook *backoffice.Webhook, id string, body []byte,
	now time.Time) (Answer, error) {
	signature, err := c.sign(hook, id, body, now)
	if err != nil {
		return Answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, hook.URL, bytes.NewReader(body))
	if err != nil {
		return Answer{}, backoffice.Fault(errors.New("a webhook's URL is malformed"), "sending to a webhook")
	}
	request.Header = http.Header{
		"Content-Type": {"application/json"}, "User-Agent": {"Backoffice-Webhooks/1"},
		standardwebhooks.HeaderWebhookID: {id}, standardwebhooks.HeaderWebhookSignature: {signature},
		standardwebhooks.HeaderWebhookTimestamp: {strconv.FormatInt(now.Unix(), 10)},
	}
	began := time.Now()
	response, err := c.http.Do(request)
	if err != nil {
		cause := errors.Unwrap(err).Error() // without the address, which may be a secret of the receiver
		return Answer{Failure: failureOf(err), Took: time.Since(began), cause: backoffice.MaskDigits(cause)}, nil
	}
	defer response.Body.Close()
	answer := Answer{Status: response.StatusCode, Took: time.Since(began)}
	defer time.AfterFunc(answerTime, cancel).Stop()
	answer.Body, _ = io.ReadAll(io.LimitReader(response.Body, answerSize)) // if truncated, received all the same
	switch {
	case response.StatusCode >= 300 && response.StatusCode < 400:
		answer.Failure = fmt.Sprintf("it answered %d; redirects are not followed: set the webhook's final URL",
			response.StatusCode)
	case response.StatusCode < 200 || response.StatusCode >= 300:
		answer.Failure = fmt.Sprintf("it answered %d", response.StatusCode)
	}
	if response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable {
		answer.retryAfter = retryAfter(response.Header.Get("Retry-After"), now)
	}
	return answer, nil
}

// sign returns the signatures of all secrets that are valid now.
func (c *client) sign(hook *backoffice.Webhook, id string, body []byte, now time.Time) (string, error) {
	var signatures []string
	for _, sealed := range hook.Signing(backoffice.InstantOf(now)) {
		secret, err := c.keys.OpenSecret(backoffice.WebhookSecretName(hook.ID), sealed)
		if err != nil {
			return "", err
		}
		by, err := standardwebhooks.NewWebhookRaw(secret)
		if err != nil {
			return "", backoffice.Fault(err, "signing a webhook's message")
		}
		signature, err := by.Sign(id, now, body)
		if err != nil {
			return "", backoffice.Fault(err, "signing a webhook's message")
		}
		signatures = append(signatures, signature)
	}
	return strings.Join(signatures, " "), nil
}

// retryAfter parses the header of that name: seconds, or a date.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// failureOf describes why there was no answer, without the error's own text, which has addresses.
func failureOf(err error) string {
	var name *net.DNSError
	switch {
	case errors.Is(err, errPrivate):
		return "its address is in a private network; allow it with serve --webhook-network NETWORK"
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return "its certificate is not trusted, or is for another name; set SSL_CERT_FILE to the trusted certificates"
	case errors.As(err, &name) && name.IsNotFound:
		return "its host name does not resolve"
	case errors.Is(err, context.DeadlineExceeded):
		return "it did not answer within 15 seconds"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "it refused the connection"
	case errors.As(err, &name):
		return "its host name cannot be resolved now"
	}
	return "the connection failed"
}
