// Package pdf makes the documents of an accounting office: the document of a completed transcript, the proposal of a
// calculation, and letters. They are tagged, so that a screen reader follows headings, lists and tables. They embed
// their fonts, and parts of an office's own fonts for scripts that these lack. The same input gives the same bytes.
//
// It writes the file itself. fpdf, which cuts the fonts, writes no structure tree and lets nobody add one, and reads a
// font anew for every document (5.9 ms and 10 MB each, against 1.7 ms and 2 MB here).
//
// It must not know a store, a request or a file: it takes a document's content and writes it. It prints no national
// registration number, whatever the content holds.
package pdf
