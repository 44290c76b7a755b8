package wiki

import (
	"errors"
	"fmt"
	"time"
)

// Code names a kind of failure. It is stable: clients branch on it, and the server maps each one to one HTTP status.
type Code string

// The codes that core rooms return. What the caller should do is said beside each.
const (
	CodeInternal         Code = "internal"                  // nothing: report the error id
	CodeInvalid          Code = "invalid"                   // correct the field named in the error
	CodeInvalidParameter Code = "invalid_parameter"         // correct the query parameter named in the error
	CodeUnknownField     Code = "unknown_field"             // remove the field named in the error, or correct its spelling
	CodeMalformed        Code = "malformed_request"         // send well-formed JSON, UTF-8, one object
	CodeMediaType        Code = "unsupported_media_type"    // send Content-Type: application/json
	CodeMethodNotAllowed Code = "method_not_allowed"        // use a method that the Allow header lists
	CodeRequestTimeout   Code = "request_timeout"           // send the body faster
	CodeNotFound         Code = "not_found"                 // the thing does not exist, or the caller may not see it
	CodeKeyMissing       Code = "key_missing"               // send Authorization: Bearer <key>
	CodeUnauthorized     Code = "unauthorized"              // send a valid key: this one is unknown or revoked
	CodeForbidden        Code = "forbidden"                 // use a key of a higher role
	CodeKeyExpired       Code = "key_expired"               // ask for a new key
	CodeTenantSuspended  Code = "tenant_suspended"          // ask the operator
	CodeParentExpired    Code = "parent_dispatch_expired"   // mint the dispatch with a live key
	CodeTitleConflict    Code = "title_conflict"            // read details.existing_article_id, then update it or retitle
	CodeTransition       Code = "invalid_transition"        // the status does not allow this act
	CodeVersionMismatch  Code = "version_mismatch"          // read again, then repeat the change on the new version
	CodeGateUnavailable  Code = "gate_unavailable"          // retry later, or allow creation without comparison
	CodeSelfAsserted     Code = "self_asserted_conflict"    // another principal has to judge this pair
	CodeAlreadyExecuted  Code = "already_executed"          // the verdict has been applied: revert it instead
	CodeClaimed          Code = "claimed"                   // another curator holds the pair: take another, or wait
	CodeStale            Code = "stale"                     // the pair changed since it was read: read it again
	CodeSemanticDown     Code = "semantic_lane_unavailable" // search by keyword, or retry later
	CodeOverloaded       Code = "heavy_read_overloaded"     // retry after the given seconds
	CodeTimeout          Code = "db_statement_timeout"      // narrow the request, or retry
	CodeRateLimited      Code = "rate_limited"              // retry after the given seconds
	CodeTooLarge         Code = "request_too_large"         // send less
	CodeKeyReused        Code = "idempotency_key_reused"    // the key was used for another request: make a new one
	CodeReservedTag      Code = "reserved_tag"              // idem-<family>-<12 or 40 hex digits>, or another tag
	CodeSystemScope      Code = "system_scope_forbidden"    // only a superadmin writes system canon
	CodeStorageFull      Code = "storage_full"              // free disk space on the server
	CodeUnavailable      Code = "unavailable"               // the server is starting, stopping or has lost its database
)

// The codes of set-based acts and of what they leave (SPEC §4).
const (
	CodeConfirmRemoved  Code = "confirm_removed"            // make a dry run, then replay what it answers
	CodeDryRunRequired  Code = "dry_run_required"           // make a dry run, then replay what it answers
	CodeTokenUnknown    Code = "proposal_token_unknown"     // make a dry run with a key of this tenant
	CodeTokenExpired    Code = "proposal_token_expired"     // make a new dry run
	CodeTokenSpent      Code = "proposal_token_spent"       // make a new dry run, if anything is left to do
	CodeTokenOp         Code = "proposal_op_mismatch"       // send the credential with the act that it was minted for
	CodeTokenSelector   Code = "proposal_selector_mismatch" // send the credential with the selector that it was minted for
	CodeSetChanged      Code = "proposal_set_changed"       // look at the set again in a new dry run
	CodeSelfApproval    Code = "self_approval"              // another principal of role user has to settle it
	CodeProposalSettled Code = "proposal_settled"           // nothing: it was decided
	CodeProposalExpired Code = "proposal_expired"           // mint it again
	CodeDeleted         Code = "deleted"                    // nothing: what this is a copy of was deleted for good
)

// Error is the one error type that crosses a room's wall with a meaning. Anything else is CodeInternal, and its text is
// for the log only.
type Error struct {
	Code       Code
	Message    string         // one sentence for the caller
	Field      string         // the input field at fault, when there is one
	Remedy     string         // what the caller can do about it
	Details    map[string]any // machine-readable facts, such as existing_article_id
	RetryAfter time.Duration  // how long to wait before trying again; 0 = not known
	Err        error          // the cause, for the log
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an *Error with a formatted message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid makes the error for a bad input field.
func Invalid(field, format string, args ...any) *Error {
	return &Error{Code: CodeInvalid, Field: field, Message: fmt.Sprintf(format, args...)}
}

// NotFound is the one answer for what does not exist and for what the caller may not see (SPEC §1).
func NotFound() *Error { return &Error{Code: CodeNotFound, Message: "not found"} }

// SystemScope is the answer to whoever may read system canon and would write it (SPEC §1).
func SystemScope() *Error {
	e := Errorf(CodeSystemScope, "this is system canon, which only a superadmin writes")
	e.Remedy = "write an article of your own tenant; it goes before canon on the same topic"
	return e
}

// ErrorCode gives the code that an error carries, or CodeInternal.
func ErrorCode(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// OfField gives an error that names an input by the name that the caller knows it under.
func OfField(err error, field string) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	named := *e
	named.Field = field
	return &named
}
