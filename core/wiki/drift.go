package wiki

// SubmittedBody is the body field of a proposal as it arrived. An absent field and a present one that is not a string are
// two things: the first is not drift, the second is (seed, invariant 1).
type SubmittedBody struct {
	Present bool
	IsText  bool
	Text    string
}

// Drift tells whether a submission that made no row says something else than the stored article that stood in its place.
// Texts are compared in canonical form. A title that equals the stored previous_title is no drift: the nightly retitle
// moved the stored side, not the writer. An absent title is none either.
func Drift(title string, body SubmittedBody, stored Article) (content, titleDrift bool) {
	if body.Present {
		content = !body.IsText || Canonical(body.Text) != Canonical(stored.Body)
	}
	submitted := Canonical(title)
	titleDrift = submitted != "" && submitted != Canonical(stored.Title) &&
		(stored.PreviousTitle == "" || submitted != Canonical(stored.PreviousTitle))
	return content, titleDrift
}
