//go:build race

package storetest

const raced = true
