package pdf

// masked stands where a registration number was: a document is for readers who may not see them.
const masked = "••.••.••-•••.••"
