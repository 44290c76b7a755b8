package wiki

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// MaxMetadataDepth bounds how deep metadata may nest: deeper than any document needs, far less than PostgreSQL's stack.
const MaxMetadataDepth = 32

// Bounds of how a number in metadata may be written. Doubles run from 5e-324 to 1.8e308.
const (
	maxNumberBytes = 1000
	maxExponent    = 400
)

// Keys of metadata that the wiki reads (facts §1.3) or writes.
const (
	MetaAgentID         = "agent_id"
	MetaMemoryType      = "memory_type"
	MetaVisibility      = "visibility"
	MetaProposalNovelty = "proposal_novelty" // what the gate found when it made the article a draft
)

// MemoryTypes is the allow-list of metadata.memory_type (facts §1.3).
var MemoryTypes = []string{"observation", "finding", "summary", "decision", "question", "task"}

// visibilityNames maps metadata.visibility to what it means; "owner" is another word for private.
var visibilityNames = map[string]Visibility{"shared": VisibilityShared, "private": VisibilityPrivate, "owner": VisibilityPrivate}

// CleanMetadata reads metadata as submitted: a JSON object within the limits, its texts as CleanText leaves them, the
// agent-memory conventions kept. Absent or null is an empty object. The error is CodeInvalid on "metadata".
func CleanMetadata(raw json.RawMessage) (map[string]any, error) {
	if len(raw) > MaxMetadataBytes {
		return nil, Invalid("metadata", "metadata has %d bytes; at most %d are allowed", len(raw), MaxMetadataBytes)
	}
	if len(bytes.TrimSpace(raw)) == 0 || string(bytes.TrimSpace(raw)) == "null" {
		return map[string]any{}, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber() // an id of 17 digits survives
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		return nil, Invalid("metadata", "metadata is not well-formed JSON")
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return nil, Invalid("metadata", "metadata must be a JSON object")
	}
	clean, err := cleanValue(object, 1)
	if err != nil {
		return nil, err
	}
	metadata := clean.(map[string]any)
	return metadata, checkConventions(metadata)
}

func cleanValue(value any, depth int) (any, error) {
	if depth > MaxMetadataDepth {
		return nil, Invalid("metadata", "metadata nests deeper than %d levels", MaxMetadataDepth)
	}
	switch v := value.(type) {
	case string:
		return CleanText("metadata", v)
	case json.Number:
		if !inRange(v) {
			return nil, Invalid("metadata", "metadata holds the number %s, which is out of range", clip(v.String()))
		}
	case []any:
		for i := range v {
			clean, err := cleanValue(v[i], depth+1)
			if err != nil {
				return nil, err
			}
			v[i] = clean
		}
	case map[string]any:
		return cleanObject(v, depth)
	}
	return value, nil
}

// inRange says whether a number can be kept and read back: no larger and no closer to zero than a double, and short.
// PostgreSQL writes an exponent out in digits, of which its numbers take 16,383 behind the point.
func inRange(n json.Number) bool {
	f, err := n.Float64()
	if err != nil || len(n) > maxNumberBytes {
		return false
	}
	digits, exponent, scaled := strings.Cut(strings.ToLower(n.String()), "e")
	if f == 0 && strings.Trim(digits, "-0.") != "" {
		return false
	}
	e, err := strconv.Atoi(exponent)
	return !scaled || err == nil && e >= -maxExponent && e <= maxExponent
}

func cleanObject(object map[string]any, depth int) (any, error) {
	clean := make(map[string]any, len(object))
	for key, value := range object {
		key, err := CleanText("metadata", key)
		if err != nil {
			return nil, err
		}
		if _, twice := clean[key]; twice { // two names that differ in their Unicode form alone: one would be lost
			return nil, Invalid("metadata", "metadata holds the name %s twice", clip(key))
		}
		if clean[key], err = cleanValue(value, depth+1); err != nil {
			return nil, err
		}
	}
	return clean, nil
}

// checkConventions keeps what memory and visibility rely on. A visibility that is not known is refused even without an
// agent_id: a misspelt "private" must not publish.
func checkConventions(metadata map[string]any) error {
	if raw, present := metadata[MetaVisibility]; present {
		name, _ := raw.(string)
		if _, known := visibilityNames[name]; !known {
			return Invalid("metadata", "metadata.visibility must be shared, private or owner")
		}
	}
	raw, present := metadata[MetaAgentID]
	if !present {
		return nil
	}
	agent, ok := raw.(string)
	if !ok || strings.TrimSpace(agent) == "" || len(agent) > MaxAgentIDBytes {
		return Invalid("metadata", "metadata.agent_id must be text of 1 to %d bytes", MaxAgentIDBytes)
	}
	if raw, present := metadata[MetaMemoryType]; present {
		if kind, _ := raw.(string); !slices.Contains(MemoryTypes, kind) {
			return Invalid("metadata", "metadata.memory_type must be one of %s", strings.Join(MemoryTypes, ", "))
		}
	}
	return nil
}

// VisibilityOf reads who may see an article from its metadata: everyone in the tenant, or the owner, which is
// metadata.agent_id and else the principal that created it. The owner of a shared article is "".
func VisibilityOf(metadata map[string]any, creator string) (visibility Visibility, owner string) {
	name, _ := metadata[MetaVisibility].(string)
	if visibilityNames[name] != VisibilityPrivate {
		return VisibilityShared, ""
	}
	if agent, _ := metadata[MetaAgentID].(string); agent != "" {
		return VisibilityPrivate, agent
	}
	return VisibilityPrivate, creator
}

// CheckOwner refuses a private article whose owner would be somebody else than the writer: below user, the writer could
// not see what it wrote, and would write into another's private space. System canon is nobody's own.
func CheckOwner(actor Actor, owner string) error {
	if owner != "" && actor.KeepsCanon() {
		return Invalid("metadata", "system canon is read by every tenant; leave metadata.visibility out")
	}
	if owner == "" || actor.Role >= RoleUser || owner == actor.Principal() || owner == actor.Key.String() {
		return nil
	}
	e := Invalid("metadata", "a private article belongs to the agent that writes it; metadata.agent_id names another")
	e.Remedy = "leave agent_id out, or set it to your own agent id"
	return e
}

// SameMetadata compares two metadata objects by what they say as JSON.
func SameMetadata(a, b map[string]any) bool {
	x, err1 := json.Marshal(a) // keys come out sorted
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}
