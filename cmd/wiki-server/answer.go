package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"wiki/core/wiki"
)

// codeStopped is the commands' own code: a signal ended the work before its end.
const codeStopped wiki.Code = "stopped"

// document is what a script that asked for JSON gets on the standard output: one, whatever becomes of the command. The
// answer is held until the command has ended, so that an error can be a member of it: a report of half the work then says
// what stopped the other half.
type document struct {
	raw     []byte // of the answer, empty = the command has none
	printed bool
}

// answer takes what a script gets. Call it once.
func (a *app) answer(v any) (err error) {
	a.document.raw, err = encodeJSON(v)
	return err
}

// answerNow is answer for a command that goes on for long after it: a script waits for this. An error that comes later goes
// to the standard error.
func (a *app) answerNow(v any) error {
	if err := a.answer(v); err != nil {
		return err
	}
	return a.printDocument(nil)
}

// conclude prints the document of a command that has ended, with its error when there is one.
func (a *app) conclude(e *failure) error {
	if a.document.printed {
		if e == nil {
			return nil
		}
		raw, err := encodeJSON(map[string]*failure{"error": e})
		if err != nil {
			return err
		}
		return indented(a.err, raw)
	}
	return a.printDocument(e)
}

func (a *app) printDocument(e *failure) error {
	a.document.printed = true
	raw := a.document.raw
	if len(raw) == 0 {
		raw = []byte("{}") // done, and there is nothing to say
	}
	if e != nil {
		var err error
		if raw, err = withError(raw, e); err != nil {
			return err
		}
	}
	return indented(a.out, raw)
}

// withError adds the error to an answer that is an object. A list has no place for it: the error then stands alone.
func withError(raw []byte, e *failure) ([]byte, error) {
	member, err := encodeJSON(map[string]*failure{"error": e})
	if err != nil || raw[0] != '{' || string(raw) == "{}" {
		return member, err
	}
	return slices.Concat(bytes.TrimSuffix(raw, []byte("}")), []byte(","), bytes.TrimPrefix(member, []byte("{"))), nil
}

func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

func indented(w io.Writer, raw []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

// failure is an error as --json prints it.
type failure struct {
	Code        wiki.Code `json:"code"`
	Message     string    `json:"message"`
	Field       string    `json:"field"`
	Remediation string    `json:"remediation"`
}

// fail prints an error for people, or as JSON, and gives the exit code.
func (a *app) fail(ctx context.Context, err error) int {
	e := coded(err)
	f := &failure{e.Code, e.Message, e.Field, e.Remedy}
	switch stopped := ctx.Err() != nil && errors.Is(err, context.Canceled); {
	case stopped && e.Code == wiki.CodeInternal:
		f.Code, f.Message = codeStopped, "stopped before its end"
	case stopped:
		f.Code = codeStopped
	case e.Err != nil:
		f.Message += " (" + e.Err.Error() + ")"
	}
	if a.json {
		if err := a.conclude(f); err != nil {
			fmt.Fprintf(a.err, "wiki-server: %v\n", err)
		}
		return exitCode(e.Code)
	}
	fmt.Fprintf(a.err, "wiki-server: %s\n", f.Message)
	if f.Remediation != "" {
		fmt.Fprintf(a.err, "  what to do: %s\n", f.Remediation)
	}
	return exitCode(e.Code)
}

// coded gives an error with its code.
func coded(err error) *wiki.Error {
	var e *wiki.Error
	var usage usageError
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &usage):
		return &wiki.Error{Code: wiki.CodeInvalid, Message: err.Error(), Remedy: "wiki-server help shows the commands and flags"}
	default:
		return &wiki.Error{Code: wiki.CodeInternal, Message: err.Error()}
	}
}

func exitCode(code wiki.Code) int {
	switch code {
	case wiki.CodeInvalid:
		return exitUsage
	case wiki.CodeUnavailable, wiki.CodeStorageFull:
		return exitBlocked
	default:
		return exitFailed
	}
}
