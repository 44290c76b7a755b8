// Package wiki holds the nouns of the wiki and its pure rules: articles, actors, roles, verdicts, transitions, drift,
// evidence, fusion, provenance. It does no I/O, takes no context and reads no clock, so that every rule can be tested
// by calling it. Every other room may import it; it imports none of them.
package wiki
