// Package files stores files for backoffice.FileStore, in a local folder or in an S3 bucket, and serves downloads.
//
// It knows bytes and keys. It must not know records, scopes or principals: its caller has read the record and checked
// the scope. No key, path or URL of a store reaches a client.
package files
