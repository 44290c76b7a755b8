package wiki

import "github.com/google/uuid"

// Filter narrows a read to articles of a kind. An empty field narrows nothing.
type Filter struct {
	Category Category
	Tags     []string // any of them
	Project  *uuid.UUID
	Status   Status // empty = published; another one is for users (facts §3.4)

	// What the conventions of agents' memory say in the metadata (facts §1.3).
	Agents       []string // any of them
	MemoryTypes  []string // any of them
	Conversation string
}

// Empty says whether the filter lets everything through.
func (f Filter) Empty() bool {
	return f.Category == "" && len(f.Tags) == 0 && f.Project == nil && f.Status == "" &&
		len(f.Agents) == 0 && len(f.MemoryTypes) == 0 && f.Conversation == ""
}
