package drafts

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/google/uuid"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/diff"
	"wiki/tui/outbox"
	"wiki/tui/screen"
	"wiki/tui/text"
)

// unsaved is what was written for a draft and is not on the server: a merge with marks left, or an edit that was refused.
type unsaved struct {
	text    string
	version int // of the draft that it was written over
}

// Edited is a message: the curator's editor has ended.
type Edited struct {
	id      uuid.UUID
	version int
	before  api.ArticleVersion
	text    string
	err     error
}

// edit opens the draft in the curator's editor, merged with its neighbour when asked; what was written before and not sent goes
// first.
func (s *Screen) edit(merge bool) tea.Cmd {
	o := s.one
	version, written := o.draft.Version, document(o.draft)
	if merge {
		written = "# " + o.draft.Title + "\n\n" + diff.Merge(body(*o.near), body(o.draft), "published: "+text.InertLine(o.near.Title), "draft")
	}
	if kept, ok := s.unsaved[o.article.ID]; ok {
		written = kept.text
	}
	id, before := o.article.ID, o.draft
	return s.env.Edit(written, func(saved string, err error) tea.Msg {
		return Edited{id: id, version: version, before: before, text: saved, err: err}
	})
}

// edited hands what was saved to the outbox, unless there is nothing to send.
func (s *Screen) edited(msg Edited) tea.Cmd {
	title, written := parted(msg.text, msg.before.Title)
	switch {
	case msg.err != nil:
		return screen.Notify(text.InertLine(msg.err.Error()), true)
	case diff.Unmerged(msg.text):
		s.unsaved[msg.id] = unsaved{text: msg.text, version: msg.version}
		return screen.Notify("marks of the merge are left in the text, so the draft is as it was; e goes on where you were", true)
	case strings.TrimSpace(written) == "":
		return screen.Notify("the text was empty, so the draft is as it was; d discards it", true)
	case title == msg.before.Title && written == body(msg.before):
		delete(s.unsaved, msg.id)
		return screen.Notify("nothing was changed", false)
	}
	s.unsaved[msg.id] = unsaved{text: msg.text, version: msg.version}
	patch := api.ArticlePatch{Body: &written, Reason: "edited in review"}
	if title != msg.before.Title {
		patch.Title = &title
	}
	return func() tea.Msg {
		return screen.Deed{Act: outbox.Act{
			Kind: outbox.Edit, Subject: &msg.id, Version: msg.version, Patch: &patch, What: "edit “" + text.InertLine(msg.before.Title) + "”",
		}}
	}
}

// document is a draft as it is edited and compared: its title as the first heading.
func document(v api.ArticleVersion) string { return "# " + v.Title + "\n\n" + body(v) }

func body(v api.ArticleVersion) string {
	if v.Body == nil {
		return ""
	}
	return *v.Body
}

// parted gives title and body of an edited document; one without a first heading keeps its title.
func parted(document, title string) (string, string) {
	document = strings.ReplaceAll(document, "\r\n", "\n")
	first, rest, _ := strings.Cut(document, "\n")
	if named, ok := strings.CutPrefix(first, "# "); ok && strings.TrimSpace(named) != "" {
		return strings.TrimSpace(named), strings.TrimPrefix(rest, "\n")
	}
	return title, document
}

func gone(err error) bool { return wiki.ErrorCode(err) == wiki.CodeNotFound }
