// Package webhooks posts changes to addresses as they come, by Standard Webhooks 1.0: in order, at least once, each
// message until it is received. Sender is a server's entry point; the other functions are for the operator's commands.
//
// It must hold no rule of what a webhook may get, nor of when it stops: that is package backoffice's.
package webhooks
