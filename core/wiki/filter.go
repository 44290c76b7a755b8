package wiki

import "github.com/google/uuid"

// Filter narrows a read to articles of a kind. An empty field narrows nothing.
type Filter struct {
	Category Category
	Tags     []string // any of them
	Project  *uuid.UUID
}

// Empty says whether the filter lets everything through.
func (f Filter) Empty() bool { return f.Category == "" && len(f.Tags) == 0 && f.Project == nil }
