// Package webhooks posts changes to addresses as they come, by Standard Webhooks 1.0: in order, at least once, each
// message until it is received. Sender is its door for a server; the functions beside it are for the operator's
// commands.
//
// It must hold no rule of who may be told what, nor of when a webhook stops: that is package backoffice's.
package webhooks
