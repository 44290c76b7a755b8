package wiki

// Cosine is the cosine of the angle between two texts' vectors of one model, from -1 to 1. It has its own type so that a
// gate can read nothing else: a fused or a keyword score does not fit where a Cosine is asked for (SPEC §3).
type Cosine float64
