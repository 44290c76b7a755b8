package wiki_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
)

func clockAt(minute int) time.Time { return time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC) }

func stamp(principal string, lineage ...uuid.UUID) wiki.Stamp {
	return wiki.Stamp{Principal: principal, Key: uuid.New(), Role: "agent", Lineage: lineage}
}

func systemFlag(minute int) wiki.Flag {
	return wiki.Flag{ID: uuid.New(), System: true, By: stamp("gate"), FlaggedAt: clockAt(minute)}
}

func assertion(by wiki.Stamp, minute int) wiki.Flag {
	return wiki.Flag{ID: uuid.New(), Evidence: "x", By: by, FlaggedAt: clockAt(minute)}
}

func verdict(d wiki.Disposition, c wiki.Confidence, minute int) wiki.Verdict {
	v := wiki.Verdict{ID: uuid.New(), Disposition: d, Confidence: c, By: stamp("judge"), JudgedAt: clockAt(minute)}
	if d == wiki.Dismiss {
		v.ExecutedAt = &v.JudgedAt
	}
	return v
}

func TestPairIsSortedAndReadBack(t *testing.T) {
	t.Parallel()
	a, b := uuid.MustParse("00000000-0000-0000-0000-00000000000a"), uuid.MustParse("00000000-0000-0000-0000-00000000000b")
	p, err := wiki.NewPair(b, a)
	require.NoError(t, err)
	require.Equal(t, wiki.Pair{First: a, Second: b}, p)
	back, err := wiki.ParsePair(p.String())
	require.NoError(t, err)
	require.Equal(t, p, back)
	_, err = wiki.NewPair(a, a)
	require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err))
	for _, bad := range []string{"", a.String(), b.String() + "." + a.String(), a.String() + "." + a.String(), p.String() + ".", "{" + a.String() + "}." + b.String()} {
		_, err := wiki.ParsePair(bad)
		require.Equal(t, wiki.CodeNotFound, wiki.ErrorCode(err), bad)
	}
}

func TestPairLeavesTheQueueOnlyForAVerdictThatWillBeAppliedAndPostdatesTheFlag(t *testing.T) {
	t.Parallel()
	withdrawn := verdict(wiki.Dismiss, wiki.ConfidenceMedium, 5)
	withdrawn.WithdrawnAt = &withdrawn.JudgedAt
	refused := verdict(wiki.Supersede, wiki.ConfidenceHigh, 5)
	refused.RefusedAt = &refused.JudgedAt
	replaced := verdict(wiki.Merge, wiki.ConfidenceHigh, 5)
	replaced.ReplacedBy = &refused.ID
	for _, c := range []struct {
		name     string
		verdicts []wiki.Verdict
		want     wiki.ConflictState
	}{
		{"none", nil, wiki.ConflictOpen},
		{"dismissed", []wiki.Verdict{verdict(wiki.Dismiss, wiki.ConfidenceLow, 5)}, wiki.ConflictSettled},
		{"before the flag", []wiki.Verdict{verdict(wiki.Dismiss, wiki.ConfidenceHigh, 1)}, wiki.ConflictOpen},
		{"at the flag's own moment", []wiki.Verdict{verdict(wiki.Dismiss, wiki.ConfidenceHigh, 2)}, wiki.ConflictOpen},
		{"capped", []wiki.Verdict{verdict(wiki.Supersede, wiki.ConfidenceMedium, 5)}, wiki.ConflictOpen},
		{"granted", []wiki.Verdict{verdict(wiki.Supersede, wiki.ConfidenceHigh, 5)}, wiki.ConflictJudged},
		{"merge is never capped", []wiki.Verdict{verdict(wiki.Merge, wiki.ConfidenceLow, 5)}, wiki.ConflictJudged},
		{"an opinion after it", []wiki.Verdict{verdict(wiki.Merge, wiki.ConfidenceLow, 5), verdict(wiki.Supersede, wiki.ConfidenceMedium, 6)}, wiki.ConflictJudged},
		{"taken back", []wiki.Verdict{withdrawn, refused, replaced}, wiki.ConflictOpen},
	} {
		conflict := wiki.Conflict{Flags: []wiki.Flag{systemFlag(2)}, Verdicts: c.verdicts}
		require.Equal(t, c.want, conflict.State(), c.name)
	}
}

func TestSystemFlagWinsATieWhileItIsLive(t *testing.T) {
	t.Parallel()
	asserter := stamp("asserter")
	both := wiki.Conflict{Flags: []wiki.Flag{systemFlag(1), assertion(asserter, 2)}}
	require.True(t, both.Flag().System)
	require.NoError(t, both.CheckSeparation(asserter))

	// The system's flag was dismissed before the assertion came: the pair is here for the assertion alone.
	dismissed := wiki.Conflict{Flags: []wiki.Flag{systemFlag(1), assertion(asserter, 3)}, Verdicts: []wiki.Verdict{verdict(wiki.Dismiss, wiki.ConfidenceMedium, 2)}}
	require.False(t, dismissed.Flag().System)
	require.Equal(t, wiki.CodeSelfAsserted, wiki.ErrorCode(dismissed.CheckSeparation(asserter)))
	require.NoError(t, dismissed.CheckSeparation(stamp("another")))
}

func TestSeparationIsByPrincipalAndLine(t *testing.T) {
	t.Parallel()
	root, left, right, leaf := uuid.New(), uuid.New(), uuid.New(), uuid.New()
	asserter := stamp("asserter", root, left)
	c := wiki.Conflict{Flags: []wiki.Flag{assertion(asserter, 1)}}
	sameKey := stamp("renamed")
	sameKey.Key = asserter.Key
	founder := stamp("founder")
	founder.Key = root
	for name, who := range map[string]wiki.Stamp{
		"itself": asserter, "one of its name": stamp("asserter"), "its key": sameKey, "its parent": stamp("p", root), "its child": stamp("c", root, left, leaf),
		"the key that its line began with": founder, "nobody": stamp(""), "the zero key": stamp(uuid.Nil.String()),
	} {
		require.Equal(t, wiki.CodeSelfAsserted, wiki.ErrorCode(c.CheckSeparation(who)), name)
	}
	require.NoError(t, c.CheckSeparation(stamp("sibling", root, right)))
	require.NoError(t, c.CheckSeparation(stamp("stranger")))
	unknown := wiki.Conflict{Flags: []wiki.Flag{assertion(wiki.Stamp{}, 1)}}
	require.Equal(t, wiki.CodeSelfAsserted, wiki.ErrorCode(unknown.CheckSeparation(stamp("stranger"))), "an unknown recorder is nobody's other")
	require.Equal(t, wiki.CodeSelfAsserted, wiki.ErrorCode(wiki.Conflict{Flags: []wiki.Flag{systemFlag(1)}}.CheckSeparation(wiki.Stamp{})))
}

func TestRankHoldsUntilANewFlag(t *testing.T) {
	t.Parallel()
	v := verdict(wiki.Dismiss, wiki.ConfidenceMedium, 2)
	v.By.Role = "user"
	c := wiki.Conflict{Flags: []wiki.Flag{systemFlag(1)}, Verdicts: []wiki.Verdict{v}}
	require.Equal(t, wiki.CodeForbidden, wiki.ErrorCode(c.CheckRank(wiki.RoleAgent)))
	require.NoError(t, c.CheckRank(wiki.RoleUser))
	c.Flags = append(c.Flags, assertion(stamp("asserter"), 3))
	require.NoError(t, c.CheckRank(wiki.RoleAgent))
}

func TestGrantConfidence(t *testing.T) {
	t.Parallel()
	for _, role := range []wiki.Role{wiki.RoleAgent, wiki.RoleOrchestrator} {
		granted, err := wiki.GrantConfidence(role, wiki.Supersede, wiki.ConfidenceHigh, "")
		require.NoError(t, err)
		require.Equal(t, wiki.ConfidenceMedium, granted)
		granted, err = wiki.GrantConfidence(role, wiki.Merge, wiki.ConfidenceHigh, "")
		require.NoError(t, err)
		require.Equal(t, wiki.ConfidenceHigh, granted)
	}
	_, err := wiki.GrantConfidence(wiki.RoleUser, wiki.Supersede, wiki.ConfidenceHigh, " ")
	require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err))
	granted, err := wiki.GrantConfidence(wiki.RoleUser, wiki.Supersede, wiki.ConfidenceHigh, "compared")
	require.NoError(t, err)
	require.Equal(t, wiki.ConfidenceHigh, granted)
}
