// Package mirror keeps the store in step with a running backoffice of the same specification, through its REST
// interface. Pull is the entry point. It walks through each noun page by page, or follows the origin's change log if
// it has one, and loads what it reads like an import.
//
// It must never delete a record that the origin has. Any answer may be cut short, empty or from another moment, so one
// list without a record is no reason to delete it. The rules for records belong to the domain and package importexport.
package mirror
