// Package changes lets callers follow the change feed as it grows: it wakes those who wait, hands each of them what it
// may see of what came, ends what may not go on, and removes entries whose time is over. Feed is its door; a Reader
// follows from a number on, for an API's stream as for a webhook.
//
// It must not know how changes are sent, and no rule of who may see what: that is package backoffice's.
package changes
