// Package feed tests that clients of the change feed miss no change, over pages, streams, sockets and webhooks.
package feed
