package action

// State is what decides whether an action is available. Screens and the root fill it in before each key and each frame.
type State struct {
	Role       string // of the key: agent, orchestrator, user, superadmin
	Linked     bool   // the server answered last time it was asked
	Undo       string // what the next undo would take back; "" = nothing
	UndoWhyNot string // why the newest act cannot be taken back, when there is one that cannot
	Redo       string // what the next redo would do again; "" = nothing
	Waiting    int    // verdicts that wait for execution

	Rows     int    // in the list on screen
	Selected bool   // a row is selected
	Skipped  int    // pairs that were skipped
	Open     bool   // the selected or shown pair waits for a verdict
	HeldBy   string // another curator's claim on it
	Pair     bool   // a pair is shown
	Loading  bool   // its text has not arrived yet
	Failed   string // why its text could not be read
	Changes  int    // differences between its two texts
	Note     bool   // a note was written for it
	Listed   string // which pairs are listed: open, judged or settled
	Marked   int    // pairs that the next act is on together

	Results  int  // search results on screen
	Reading  bool // an article is shown
	Versions int  // of that article, while they are listed

	Screens map[ID]bool // which screens this program has, beside Conflicts and Pair

	Listing   bool // the links or the versions of the article are listed
	Comparing bool // two texts are compared, in the reader or on the drift screen

	Chosen bool   // a row of the list on screen is selected
	About  bool   // it is about an article
	Closed string // why nothing can be decided about the selected submission; "" = it is open
	NoText string // why there is nothing to adopt in it

	Unsettled  string // why the bulk proposal shown cannot be approved or rejected; "" = it can
	NotMine    string // why it cannot be withdrawn; "" = it can
	Frozen     string // why its set cannot be narrowed; "" = it can
	SetUnread  bool   // its set, or the list of saved views, has not arrived yet
	SetEmpty   bool   // nothing of its set is left to do
	ItemChange bool   // the selected article of the set is another one than was frozen
}

// UserRole says whether the key may do what needs the role user.
func (s State) UserRole() bool { return s.Role == "user" || s.Role == "superadmin" }

func rows(s State) string {
	if s.Rows == 0 {
		return "the list is empty"
	}
	return ""
}

func openable(s State) string {
	if !s.Selected && s.Skipped == 0 {
		return "no pair is selected"
	}
	return ""
}

// judgeable is the condition of every verdict.
func judgeable(s State) string {
	switch {
	case !s.Selected && !s.Pair:
		return "no pair is selected"
	case s.HeldBy != "":
		return "held by " + s.HeldBy + " just now: take another pair, or wait until the claim ends"
	case !s.Open:
		return "this pair already has a verdict; take it back first if it is yours"
	}
	return ""
}

// judgeableSeen is the condition of a verdict that has to be made with both texts on screen.
func judgeableSeen(s State) string {
	switch {
	case s.Failed != "":
		return "the texts could not be read: " + s.Failed
	case s.Loading:
		return "the texts have not arrived yet"
	}
	return judgeable(s)
}

func shown(s State) string {
	if !s.Pair {
		return "open a pair first"
	}
	return ""
}

func changes(s State) string {
	if s.Changes == 0 {
		return "the two texts do not differ"
	}
	return ""
}

func results(s State) string {
	if s.Results == 0 {
		return "there are no results"
	}
	return ""
}

func reading(s State) string {
	if !s.Reading {
		return "open an article first"
	}
	return ""
}

func undoable(s State) string {
	switch {
	case s.Undo != "":
		return ""
	case s.UndoWhyNot != "":
		return s.UndoWhyNot
	}
	return "nothing of yours can be taken back"
}

func redoable(s State) string {
	if s.Redo == "" {
		return "nothing was taken back that could be done again"
	}
	return ""
}

func executable(s State) string {
	switch {
	case !s.UserRole():
		return "executing verdicts needs a key of role user; this one is " + s.Role
	case s.Waiting == 0:
		return "no verdict waits for execution"
	case !s.Linked:
		return "the server does not answer just now"
	}
	return ""
}

// here gives the condition of entering a screen: that this program has it.
func here(id ID, name string) func(State) string {
	return func(s State) string {
		if s.Screens[id] {
			return ""
		}
		return "the " + name + " screen is not part of this version"
	}
}
