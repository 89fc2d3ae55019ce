package backoffice

// Node is any record that GraphQL can fetch by identifier.
type Node interface{ IsNode() }
