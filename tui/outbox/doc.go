// Package outbox keeps a curator's acts until the server has answered for each of them. An act is given an idempotency
// key, appended to a file and synced to disk, sent in order, repeated while the server is away, and struck off only when
// the server has accepted or refused it. Killing the program, the server or the network at any moment loses no saved act
// and, because the key makes a repeat harmless, doubles none.
//
// It knows no terminal: the workbench adds acts, waits for events, and draws what they say.
package outbox
