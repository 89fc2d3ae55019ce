// Package changes lets callers follow the change feed as it grows: it wakes those who wait, passes each what it may see
// of the new changes, ends what may not continue, and removes expired entries. Feed is its entry point; a Reader
// follows from a number on, for an API's stream as for a webhook.
//
// It must not know how changes are sent, and no rule of who may see what: that is package backoffice's.
package changes
