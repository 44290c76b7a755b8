package action

// IDs of the proposals screen.
const (
	ProposalOpen    ID = "proposals.open"
	ProposalStates  ID = "proposals.state"
	ProposalApprove ID = "proposal.approve"
	ProposalReject  ID = "proposal.reject"
	ProposalRecall  ID = "proposal.withdraw"
	ProposalExclude ID = "proposal.exclude"
	ProposalRange   ID = "proposal.range"
	ProposalMeant   ID = "proposal.reconfirm"
	ProposalImpact  ID = "proposal.impact"
	ProposalArticle ID = "proposal.article"
)

// ProposalActions are those of the proposals screen.
var ProposalActions = []Action{
	{ID: ProposalOpen, Keys: []string{"enter"}, Label: "open", Help: "Show the proposal: its articles, what it would cost, and why it was made.", Contexts: []Context{Proposals}, Footer: 1, Enabled: chosen},
	{ID: ProposalStates, Keys: []string{"tab"}, Label: "other states", Help: "Change which proposals are listed: pending, running, executed, rejected, withdrawn, expired.", Contexts: []Context{Proposals}, Footer: 2},
	{ID: ProposalApprove, Keys: []string{"a"}, Label: "approve", Help: "Carry the proposal out, less what is excluded. Asks first: there is no undo for a whole set.", Contexts: []Context{Proposal}, Footer: 1, Enabled: approvable},
	{ID: ProposalReject, Keys: []string{"r"}, Label: "reject", Help: "Decide against the proposal and say why; its articles stay as they are.", Contexts: []Context{Proposal}, Footer: 2, Enabled: unsettled},
	{ID: ProposalExclude, Keys: []string{"space"}, Label: "exclude", Help: "Leave the selected article, or the range, out of what is approved; or take it in again.", Contexts: []Context{Proposal}, Footer: 3, Enabled: narrowable},
	{ID: ProposalRange, Keys: []string{"v"}, Label: "range", Help: "Start a range at the selected article, or end it; space acts on the range.", Contexts: []Context{Proposal}, Footer: 6, Enabled: narrowable},
	{ID: ProposalMeant, Keys: []string{"c"}, Label: "still meant", Help: "Include an article that changed since the proposal was made, as it is now; or leave it out again.", Contexts: []Context{Proposal}, Footer: 7, Enabled: reconfirmable},
	{ID: ProposalImpact, Keys: []string{"i"}, Label: "impact", Help: "List the links that would break, the curated answers and the golden questions that would be lost.", Contexts: []Context{Proposal}, Footer: 4},
	{ID: ProposalArticle, Keys: []string{"enter", "o"}, Label: "read article", Help: "Read the selected article in the reader.", Contexts: []Context{Proposal}, Footer: 5, Enabled: chosen},
	{ID: ProposalRecall, Keys: []string{"W"}, Label: "withdraw", Help: "Take back a proposal of your own.", Contexts: []Context{Proposal}, Enabled: recallable},
}

func approvable(s State) string {
	switch {
	case s.Unsettled != "":
		return s.Unsettled
	case s.SetUnread:
		return "the articles have not arrived yet"
	case s.SetEmpty:
		return "nothing is left of the set: reject the proposal instead"
	}
	return ""
}

func unsettled(s State) string { return s.Unsettled }

func recallable(s State) string { return s.NotMine }

func narrowable(s State) string {
	if s.Frozen != "" {
		return s.Frozen
	}
	return chosen(s)
}

func reconfirmable(s State) string {
	switch {
	case narrowable(s) != "":
		return narrowable(s)
	case !s.ItemChange:
		return "this article is what it was when the proposal was made"
	}
	return ""
}
