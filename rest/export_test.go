package rest

// ShowCustomer serves the benchmark.
var ShowCustomer = showCustomer
