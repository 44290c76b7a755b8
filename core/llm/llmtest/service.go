// Package llmtest is a chat service on a local port, for tests of what asks one.
package llmtest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Key is what the service takes; its failures quote it, as some services do.
const Key = "sk-hunter2"

// Question is a request as it came.
type Question struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	MaxTokens int  `json:"max_tokens"`
	Stream    bool `json:"stream"`
}

// Service is the chat service. Each question takes the next of the faults; a nil one, and none, is an answer.
type Service struct {
	*httptest.Server
	tb testing.TB

	mu     sync.Mutex
	faults []http.HandlerFunc
	answer func(Question) string
	asked  []Question
}

// New starts a service that ends with the test.
func New(tb testing.TB, answer func(Question) string, faults ...http.HandlerFunc) *Service {
	s := &Service{tb: tb, answer: answer, faults: faults}
	s.Server = httptest.NewServer(s)
	tb.Cleanup(s.Close)
	return s
}

// ServeHTTP answers one question.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q Question
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer "+Key {
		s.tb.Errorf("not a chat request: %s %v %v", r.URL.Path, r.Header, err)
	}
	s.mu.Lock()
	s.asked = append(s.asked, q)
	var fault http.HandlerFunc
	if len(s.faults) > 0 {
		fault = s.faults[0]
		s.faults = s.faults[1:]
	}
	s.mu.Unlock()
	if fault != nil {
		fault(w, r)
		return
	}
	Say(s.answer(q), "stop")(w, r)
}

// Asked are the questions so far.
func (s *Service) Asked() []Question {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Question(nil), s.asked...)
}

// Say answers with a text and the reason that it ended for.
func Say(text, finish string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{
			"index": 0, "finish_reason": finish, "message": map[string]any{"role": "assistant", "content": text, "refusal": nil},
		}}})
	}
}

// Raw answers 200 with a body as it is.
func Raw(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

// Status answers with a status, headers as name and value in turn, and a body that quotes the key.
func Status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = w.Write([]byte(`{"error":{"message":"wrong key ` + Key + `"}}`))
	}
}

// Hang answers nothing until the caller is gone.
func Hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
