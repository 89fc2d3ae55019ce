package mirror

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"example.org/backoffice/backoffice"
)

const (
	answerTime  = 60 * time.Second // for an answer other than a file
	fileTime    = 15 * time.Minute
	maxAnswer   = 64 << 20 // bytes of an answer other than a file
	headersSize = 64 << 10
	busyTries   = 12 // of a request answered with 429 or 503
	faultTries  = 4  // of one that fails otherwise
	longestWait = 5 * time.Minute
)

// errAway is an origin that does not answer, after all attempts.
type errAway struct {
	why      string
	answered bool // the origin was reached, and may answer other requests well
}

func (e *errAway) Error() string { return "the origin cannot be read: " + e.why }

// errCredential is an origin that does not accept the credential.
var errCredential = errors.New("the origin rejects the credential: --client-id and its secret must be valid there")

// origin is the backoffice that is mirrored.
type origin struct {
	base       *url.URL
	id, secret string
	purpose    *string
	http       *http.Client
	throttle   *throttle
	pause      time.Duration // between the first two attempts; doubled for each further one
	requests   atomic.Int64
	leftOut    atomic.Int64 // failed requests, while the origin answers others
}

// tries is how often a failing request is sent: only once when the origin has failed many.
func (o *origin) tries() int {
	if o.leftOut.Load() >= mostNamed {
		return 1
	}
	return faultTries
}

// newOrigin parses the origin's address. An invalid one is BadInput.
func (p *Pull) newOrigin() (*origin, error) {
	base, err := url.Parse(strings.TrimRight(p.From, "/"))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil ||
		base.RawQuery != "" || base.Fragment != "" {
		return nil, backoffice.Errorf(backoffice.BadInput,
			"the origin's URL must look like https://backoffice.example, without a query")
	}
	dialer := &net.Dialer{Timeout: 15 * time.Second, KeepAlive: 15 * time.Second}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, TLSHandshakeTimeout: 15 * time.Second,
		MaxResponseHeaderBytes: headersSize, ResponseHeaderTimeout: answerTime,
		MaxIdleConnsPerHost: mostAtOnce, IdleConnTimeout: 90 * time.Second,
		// A connection on which nothing is answered any more would be used again.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 5 * time.Second, PingTimeout: 5 * time.Second},
	}
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &origin{
		base: base, id: p.ClientID, secret: p.Secret, purpose: p.Purpose, throttle: newThrottle(),
		pause: cmp.Or(p.pause, 500*time.Millisecond),
		http:  &http.Client{Transport: transport, CheckRedirect: noRedirect},
	}, nil
}

type reader = func(*http.Response) error

// get requests a path, again where that may help, and passes an answer with status 200 to read. It returns the statuses
// that are no error of the origin or the network: 400, 403, 404, 405, 410, 422. Errors: *errAway, errCredential, its.
func (o *origin) get(ctx context.Context, path string, query url.Values, most time.Duration, read reader) (int, error) {
	return o.ask(ctx, http.MethodGet, path, query, most, read)
}

func (o *origin) ask(
	ctx context.Context, method, path string, query url.Values, limit time.Duration, read reader,
) (int, error) {
	faults, busy := 0, 0
	for {
		if err := o.throttle.closed(); err != nil {
			return 0, err
		}
		status, wait, failed := o.once(ctx, method, path, query, limit, read)
		switch {
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case failed == nil && status == http.StatusUnauthorized:
			return 0, errCredential
		case failed == nil && status == http.StatusOK, status == http.StatusBadRequest, status == http.StatusForbidden,
			status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status == http.StatusGone,
			status == http.StatusUnprocessableEntity:
			return status, failed
		case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
			if wait > longestWait {
				continue // closed
			}
			if busy++; busy >= busyTries {
				return 0, &errAway{why: fmt.Sprintf("it answered %d, %d times in a row", status, busy)}
			}
		case failed == nil && status >= 300 && status < 400:
			why := fmt.Sprintf("it answered %d; redirects are not followed: pass the final URL with --from", status)
			return 0, &errAway{why: why}
		default:
			if faults++; faults >= o.tries() {
				if failed != nil {
					return 0, &errAway{failureOf(failed), status != 0 || errors.Is(failed, context.DeadlineExceeded)}
				}
				return 0, &errAway{fmt.Sprintf("it answered %d", status), true}
			}
		}
		pause := o.pause << min(faults+busy-1, 6)
		if err := backoffice.Sleep(ctx, max(wait, pause/2+rand.N(pause/2+1))); err != nil {
			return 0, err
		}
	}
}

// once asks once. wait is how long the origin asks to wait.
func (o *origin) once(
	ctx context.Context, method, path string, query url.Values, limit time.Duration, read reader,
) (status int, wait time.Duration, err error) {
	if err := o.throttle.enter(ctx); err != nil {
		return 0, 0, err
	}
	busy := false
	defer func() { o.throttle.leave(busy, wait) }()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	request, err := o.request(ctx, method, path, query, http.NoBody)
	if err != nil {
		return 0, 0, err
	}
	o.requests.Add(1)
	response, err := o.http.Do(request)
	if err != nil {
		return 0, 0, err
	}
	defer func() {
		_, _ = io.CopyN(io.Discard, response.Body, 64<<10) // to reuse the connection
		_ = response.Body.Close()
	}()
	switch response.StatusCode {
	case http.StatusOK:
		return http.StatusOK, 0, read(response)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		busy, wait = true, retryAfter(response.Header.Get("Retry-After"), time.Now())
	}
	return response.StatusCode, wait, nil
}

func (o *origin) request(
	ctx context.Context, method, path string, query url.Values, body io.Reader,
) (*http.Request, error) {
	address := *o.base
	address.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, method, address.JoinPath(path).String(), body)
	if err != nil {
		return nil, errors.New("cannot build a URL of the origin")
	}
	request.Header = http.Header{"X-Client-Id": {o.id}, "X-Client-Secret": {o.secret},
		"User-Agent": {"Backoffice-Pull/1"}}
	if o.purpose != nil {
		request.Header.Set("X-Access-Purpose", *o.purpose)
	}
	return request, nil
}

// retryAfter parses a Retry-After header: seconds, or a date.
func retryAfter(text string, now time.Time) (wait time.Duration) {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = max(at.Sub(now), 0)
	}
	return wait
}

// errMalformed is an unusable answer; the request is sent again.
var errMalformed = errors.New("its answer does not conform to the specification")

// failureOf returns why no answer came, without the error's own text: it names addresses.
func failureOf(err error) string {
	var refused *net.OpError
	switch {
	case errors.Is(err, errMalformed):
		return err.Error()
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return "its certificate is not trusted, or is for another name; " +
			"set SSL_CERT_FILE to the trusted certificates"
	case errors.As(err, new(*net.DNSError)):
		return "its host name does not resolve"
	case errors.Is(err, context.DeadlineExceeded):
		return "it did not answer in time"
	case errors.As(err, &refused) && refused.Op == "dial":
		return "cannot connect"
	}
	return "the connection failed"
}

// eachPage visits the pages of a list until visit returns false, and returns the status of the last one. The status is
// 0 when a page does not have the records that its total counts.
func (p *pulling) eachPage(
	ctx context.Context, path string, query url.Values, visit func(page []record) (more bool),
) (status int, err error) {
	query = maps.Clone(query)
	query.Set("pageSize", strconv.Itoa(usualPage))
	for number, whole := 1, true; ; number++ {
		query.Set("page", strconv.Itoa(number))
		got, status, err := p.origin.list(ctx, path, query)
		if err != nil || status != http.StatusOK {
			return status, err
		}
		whole = whole && len(got.Data) == max(0, min(usualPage, *got.Total-(number-1)*usualPage))
		switch {
		case !visit(got.Data), whole && number*usualPage >= *got.Total:
			return status, nil
		case len(got.Data) == 0 || number*usualPage >= *got.Total:
			return 0, nil
		}
	}
}

// readEach reads several things, as many at a time as the origin may get requests, and returns the first error.
func readEach[T, R any](each []T, read func(T) (R, error)) ([]R, error) {
	found, failed := make([]R, len(each)), make([]error, len(each))
	var reading errgroup.Group
	reading.SetLimit(mostAtOnce)
	for i, one := range each {
		reading.Go(func() error {
			found[i], failed[i] = read(one)
			return nil
		})
	}
	_ = reading.Wait() // each has its own
	return found, cmp.Or(failed...)
}
