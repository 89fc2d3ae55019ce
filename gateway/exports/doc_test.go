// Package exports tests that an export, a download or an upload is complete or says that it is not.
package exports
