// Package evidence makes and checks packs: zips with what an office has of one customer, for an inspector who need not
// trust the office's servers. A manifest has the digest of every entry and is signed (Ed25519). A Draft gathers a pack
// and sends it; Verify checks one, as the page in it does.
//
// It must know neither a store nor what belongs into a pack, and hold no more of it than its list of entries.
package evidence
