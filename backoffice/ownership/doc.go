// Package ownership computes who stands behind a company, and what a customer holds, from shareholdings.
//
// It asks for holdings through a function, level by level, and knows no store, request or transport. A result is of
// the recorded holdings only: what nobody recorded, it cannot know, and Complete reports it.
package ownership
