package files

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/encrypt"
)

// bucketSettings are the query parameters of a bucket's URL.
var bucketSettings = []string{
	"region", "endpoint", "use_path_style", "disable_https", "profile", "anonymous", "ssetype", "kmskeyid", "prefix"}

// awsEndpoint is for Amazon's buckets; the client finds the region's endpoint from it.
const awsEndpoint = "s3.amazonaws.com"

// newBucket makes a client from a bucket's URL, without any request. Errors never repeat the URL.
func newBucket(text string) (*Bucket, error) {
	location, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("the bucket's URL is malformed; write s3://BUCKET?region=REGION")
	}
	query, err := checkBucketURL(location)
	if err != nil {
		return nil, err
	}
	flags := map[string]bool{}
	for _, name := range []string{"use_path_style", "disable_https", "anonymous"} {
		if text := query.Get(name); text != "" {
			if flags[name], err = strconv.ParseBool(text); err != nil {
				return nil, fmt.Errorf("the setting %s in the bucket's URL must be true or false", name)
			}
		}
	}
	endpoint, secure, err := parseEndpoint(query.Get("endpoint"), !flags["disable_https"])
	if err != nil {
		return nil, err
	}
	options := &minio.Options{
		Secure: secure, MaxRetries: 3,
		Region: cmp.Or(query.Get("region"), os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")),
		Creds:  credentialsOf(query.Get("profile"), flags["anonymous"]),
	}
	if flags["use_path_style"] {
		options.BucketLookup = minio.BucketLookupPath
	}
	b := &Bucket{bucket: location.Host}
	if prefix := query.Get("prefix"); prefix != "" {
		b.prefix = strings.TrimSuffix(prefix, "/") + "/"
	}
	switch query.Get("ssetype") {
	case "":
	case "AES256":
		b.encryption = encrypt.NewSSE()
	case "aws:kms":
		if b.encryption, err = encrypt.NewSSEKMS(query.Get("kmskeyid"), nil); err != nil {
			return nil, errors.New("the setting kmskeyid in the bucket's URL must be a key's identifier")
		}
	default:
		return nil, errors.New("the setting ssetype in the bucket's URL must be AES256 or aws:kms")
	}
	client, err := minio.NewCore(endpoint, options)
	if err != nil {
		return nil, errors.New("the setting endpoint in the bucket's URL must have the form https://HOST:PORT")
	}
	b.client = client
	return b, nil
}

// credentialsOf looks where Amazon's own tools do: the environment, the shared credentials file, the machine's role.
func credentialsOf(profile string, anonymous bool) *credentials.Credentials {
	switch {
	case anonymous:
		return credentials.NewStatic("", "", "", credentials.SignatureAnonymous)
	case profile != "":
		return credentials.NewFileAWSCredentials("", profile)
	}
	return credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{}})
}

// parseEndpoint reads https://HOST:PORT, or HOST:PORT alone.
func parseEndpoint(text string, secure bool) (host string, https bool, err error) {
	if text == "" {
		return awsEndpoint, secure, nil
	}
	bad := errors.New("the setting endpoint in the bucket's URL must be https://HOST:PORT, without credentials or a path")
	if !strings.Contains(text, "://") {
		text = map[bool]string{true: "https://", false: "http://"}[secure] + text
	}
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || parsed.User != nil || strings.Trim(parsed.Path, "/") != "" ||
		parsed.RawQuery != "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return "", false, bad
	}
	return parsed.Host, parsed.Scheme == "https", nil
}

func checkBucketURL(location *url.URL) (url.Values, error) {
	if location.User != nil {
		return nil, errors.New("put no credentials in a bucket's URL: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	if location.Host == "" || strings.Trim(location.Path, "/") != "" || location.Opaque != "" {
		return nil, errors.New("a bucket's URL must be s3://BUCKET; use the setting prefix for a folder in it")
	}
	query, err := url.ParseQuery(location.RawQuery)
	if err != nil {
		return nil, errors.New("the settings in the bucket's URL are malformed")
	}
	for name, values := range query {
		if !slices.Contains(bucketSettings, name) {
			return nil, fmt.Errorf("the bucket's URL has an unknown setting; the settings are %s",
				strings.Join(bucketSettings, ", "))
		}
		if len(values) > 1 {
			return nil, fmt.Errorf("the bucket's URL has the setting %s twice", name)
		}
	}
	return query, nil
}
