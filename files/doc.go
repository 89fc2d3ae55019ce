// Package files keeps stored files behind backoffice.FileStore, in a local folder or in an S3 bucket, and serves
// downloads of them.
//
// It knows bytes and keys. It must not know records, scopes or who asks: whoever calls it has read the record and
// checked the scope. No key, path or URL of a store reaches a client.
package files
