package wiki

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// CleanText is the form in which text is stored: valid UTF-8, normalised to NFC. A NUL, which PostgreSQL cannot keep, and
// bytes that are not UTF-8 are refused with CodeInvalid on the field (SPEC §2); everything else stays as it was given, line
// ends too.
func CleanText(field, text string) (string, error) {
	if at := strings.IndexByte(text, 0); at >= 0 {
		return "", Invalid(field, "%s holds a NUL character at byte %d; remove it", field, at)
	}
	if !utf8.ValidString(text) {
		return "", Invalid(field, "%s is not valid UTF-8; send it as UTF-8", field)
	}
	return norm.NFC.String(text), nil
}

// CleanTitle is CleanText for a title: blanks around it carry no meaning and are dropped, so that one title cannot stand
// twice under two spellings (case 7). It must have 1 to MaxTitleRunes characters.
func CleanTitle(title string) (string, error) {
	title, err := CleanText("title", title)
	if err != nil {
		return "", err
	}
	title = strings.TrimSpace(title)
	switch length := utf8.RuneCountInString(title); {
	case length == 0:
		return "", Invalid("title", "a title is required")
	case length > MaxTitleRunes:
		return "", Invalid("title", "the title has %d characters; at most %d are allowed", length, MaxTitleRunes)
	}
	return title, nil
}

// CleanBody is CleanText for a body: more than blanks, and at most MaxBodyBytes.
func CleanBody(body string) (string, error) {
	if len(body) > 4*MaxBodyBytes { // NFC never shrinks a text to a quarter: refuse before the work
		return "", tooLong(len(body))
	}
	body, err := CleanText("body", body)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(body) == "" {
		return "", Invalid("body", "a body is required")
	}
	if len(body) > MaxBodyBytes {
		return "", tooLong(len(body))
	}
	return body, nil
}

func tooLong(bytes int) error {
	e := Invalid("body", "the body has %d bytes; at most %d are allowed", bytes, MaxBodyBytes)
	e.Remedy = "split it into several articles"
	return e
}

// CleanTags is the form in which a request's tags are stored: NFC, each once, in the order given. The faults are CheckTags'.
func CleanTags(tags []string) ([]string, error) {
	if len(tags) > MaxTags {
		return nil, CheckTags(tags)
	}
	clean := make([]string, 0, len(tags))
	for _, tag := range tags {
		tag, err := CleanText("tags", tag)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(clean, tag) {
			clean = append(clean, tag)
		}
	}
	return clean, CheckTags(clean)
}

// CleanReason is CleanText for the reason of an act, trimmed: at most MaxReasonRunes characters, and not empty when required.
func CleanReason(reason string, required bool) (string, error) {
	reason, err := CleanText("reason", reason)
	if err != nil {
		return "", err
	}
	reason = strings.TrimSpace(reason)
	if required && reason == "" {
		return "", Invalid("reason", "a reason is required")
	}
	if length := utf8.RuneCountInString(reason); length > MaxReasonRunes {
		return "", Invalid("reason", "the reason has %d characters; at most %d are allowed", length, MaxReasonRunes)
	}
	return reason, nil
}
