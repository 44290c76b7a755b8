package eval

import (
	"wiki/core/search"
	"wiki/core/wiki"
)

// CollectionArms are what a public collection is measured in: each lane by itself, both fused in each way, and the words
// alone as on a day without an embedder. A collection says nothing of age or category, so its documents are all alike to
// the priors.
func CollectionArms(s search.Settings) []Arm {
	fused := func(name string, method wiki.FusionMethod) Arm {
		with := s
		if s.Fusion.Method != method {
			with.Fusion = wiki.DefaultFusion(method)
		}
		return Arm{Name: name, Mode: search.ModeCombined, Settings: with, Depth: deepDepth}
	}
	return []Arm{
		{Name: "keyword", Mode: search.ModeKeyword, Settings: s, Depth: deepDepth},
		{Name: "semantic", Mode: search.ModeSemantic, Settings: s, Depth: deepDepth},
		fused("fused by rank", wiki.FuseByRank),
		fused("fused by score", wiki.FuseByScore),
		{Name: "embedder down", Mode: search.ModeCombined, Settings: s, Depth: deepDepth, Down: true},
	}
}
