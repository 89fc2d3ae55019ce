// Package ownership computes who owns a company, and what a customer holds, from shareholdings.
//
// It reads holdings through a function, level by level, and knows no engine or transport. A result is of
// the recorded holdings only: what nobody recorded, it cannot know, and Complete reports it.
package ownership
