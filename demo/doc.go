// Package demo makes the data of a realistic Belgian accounting office: people and companies with names, addresses and
// numbers that fit together, their relations, five financial years of checklists and transcripts, calculations, and
// documents that are real files. The same seed, number of customers and day make the same records.
//
// It streams, a thousand customers at a time, so a million of them need no more memory than a thousand. The people are
// invented, but a number may by chance be somebody's.
package demo
