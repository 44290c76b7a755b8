// Package llm asks a language model, where one is configured: any chat service that speaks OpenAI's /chat/completions. The
// wiki does without one (SPEC §8), so that every caller has another way when no answer comes; and an answer is a stranger's
// text, which its caller checks before anything is made of it.
package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"wiki/core/remote"
	"wiki/core/wiki"
)

// Reasons of a remote.Error beside those of remote: the service works, and there is no answer all the same.
const (
	Truncated remote.Reason = "truncated" // the answer ended at the bound on its length
	Declined  remote.Reason = "declined"  // the model would not, or a filter withheld it
	Empty     remote.Reason = "empty"     // the answer has no text
	TooLong   remote.Reason = "too_long"  // the question is longer than the model takes; it was not sent
)

// Config says which model is asked, and how. Zero fields take the defaults.
type Config struct {
	BaseURL string // up to and without /chat/completions, such as https://api.openai.com/v1
	Model   string // as the service names it
	Key     string // sent as a bearer token; empty for a service without keys. Never in an error or a log

	Timeout   time.Duration // of one question, tries and pauses included; default 20 s
	MaxInput  int           // bytes of a question; default 48,000
	MaxOutput int           // tokens of an answer; default 16,000
	Attempts  int           // tries of one question, when the failure may pass; default remote.DefaultAttempts

	Breaker remote.BreakerConfig
	Now     func() time.Time                                 // default time.Now
	Sleep   func(ctx context.Context, d time.Duration) error // default: a timer
}

// Defaults of Config.
const (
	DefaultTimeout   = 20 * time.Second
	DefaultMaxInput  = 48_000
	DefaultMaxOutput = 16_000
)

// maxAnswer bounds what is read of an answer, bytes: far more than MaxOutput tokens are, escaped as JSON.
const maxAnswer = 4 << 20

const serviceName = "the language model"

var hints = map[int]string{
	http.StatusRequestEntityTooLarge: "set a smaller llm-max-input",
	0:                                "check the model's name, llm-max-input and llm-max-output",
}

// Chat is a model behind a chat service. It is safe for use by several goroutines.
type Chat struct {
	cfg     Config
	service *remote.Client
	breaker *remote.Breaker
}

// New checks the configuration; it doesn't call the service. The error is CodeInvalid on the setting at fault.
func New(cfg Config) (*Chat, error) {
	cfg.BaseURL = strings.TrimRight(cfg.BaseURL, "/")
	if !strings.HasPrefix(cfg.BaseURL, "http://") && !strings.HasPrefix(cfg.BaseURL, "https://") {
		return nil, wiki.Invalid("llm-url", "the language model's address must begin with http:// or https://")
	}
	if cfg.Model == "" {
		return nil, wiki.Invalid("llm-model", "llm-url needs llm-model: the model to ask for there")
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultTimeout)
	cfg.MaxInput = cmp.Or(cfg.MaxInput, DefaultMaxInput)
	cfg.MaxOutput = cmp.Or(cfg.MaxOutput, DefaultMaxOutput)
	if cfg.MaxInput < 0 || cfg.MaxOutput < 0 {
		return nil, wiki.Invalid("llm-max-input", "llm-max-input and llm-max-output must be more than 0")
	}
	cfg.Breaker.Name, cfg.Breaker.Now = serviceName, cfg.Now
	return &Chat{
		cfg: cfg, breaker: remote.NewBreaker(cfg.Breaker),
		service: remote.New(remote.Config{
			Name: serviceName, URL: cfg.BaseURL + "/chat/completions", Key: cfg.Key, Attempts: cfg.Attempts, MaxAnswer: maxAnswer, Hints: hints,
			MaxWait: cfg.Timeout, Now: cfg.Now, Sleep: cfg.Sleep,
		}),
	}, nil
}

// Model is the model's name.
func (c *Chat) Model() string { return c.cfg.Model }

// Timeout bounds one Ask.
func (c *Chat) Timeout() time.Duration { return c.cfg.Timeout }

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type question struct {
	Model     string    `json:"model"`
	Messages  []message `json:"messages"`
	MaxTokens int       `json:"max_tokens"`
	Stream    bool      `json:"stream"`
}

type answer struct {
	Choices []struct {
		Message struct {
			Content *string `json:"content"`
			Refusal *string `json:"refusal"`
		} `json:"message"`
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
}

// Ask puts a question, with the instructions that it is to be answered by, and gives the whole text of the answer, which is
// valid UTF-8 and has more than blanks. The error is a *remote.Error, or the context's own.
func (c *Chat) Ask(ctx context.Context, instructions, text string) (string, error) {
	if n := len(instructions) + len(text); n > c.cfg.MaxInput {
		return "", remote.Errorf(TooLong, nil, "the question has %d bytes; %s takes %d", n, serviceName, c.cfg.MaxInput)
	}
	return remote.Guard(ctx, c.breaker, c.cfg.Timeout, aboutThisQuestion, func(ctx context.Context) (string, error) {
		raw, err := c.service.Post(ctx, question{
			Model: c.cfg.Model, MaxTokens: c.cfg.MaxOutput, Messages: []message{{"system", instructions}, {"user", text}},
		})
		if err != nil {
			return "", err
		}
		return read(raw)
	})
}

// aboutThisQuestion tells an answer that another question may well get from a service that is at fault.
func aboutThisQuestion(err error) bool {
	var e *remote.Error
	return errors.As(err, &e) && slices.Contains([]remote.Reason{Truncated, Declined, Empty}, e.Reason)
}

// read takes the text out of an answer.
func read(raw []byte) (string, error) {
	if !utf8.Valid(raw) { // the decoder would put other characters in
		return "", remote.Errorf(remote.BadAnswer, nil, "the answer of %s is not UTF-8", serviceName)
	}
	var a answer
	if err := json.Unmarshal(raw, &a); err != nil || len(a.Choices) == 0 { // the decoder's text may quote the answer
		return "", remote.Errorf(remote.BadAnswer, nil, "the answer of %s is not that of a chat", serviceName)
	}
	choice := a.Choices[0]
	if refusal := choice.Message.Refusal; refusal != nil && *refusal != "" {
		return "", remote.Errorf(Declined, nil, "%s declined", serviceName)
	}
	if end := choice.FinishReason; end != nil {
		switch *end {
		case "", "stop":
		case "length":
			return "", remote.Errorf(Truncated, nil, "the answer of %s was cut off at its longest", serviceName)
		case "content_filter":
			return "", remote.Errorf(Declined, nil, "the answer of %s was withheld by its filter", serviceName)
		default:
			return "", remote.Errorf(remote.BadAnswer, nil, "%s did not answer with a text", serviceName)
		}
	}
	if choice.Message.Content == nil {
		return "", remote.Errorf(Empty, nil, "the answer of %s is empty", serviceName)
	}
	text := withoutThoughts(*choice.Message.Content)
	if strings.TrimSpace(text) == "" {
		return "", remote.Errorf(Empty, nil, "the answer of %s is empty", serviceName)
	}
	return text, nil
}

// withoutThoughts drops what some models think aloud before they answer.
func withoutThoughts(text string) string {
	const begin, end = "<think>", "</think>"
	if rest, thinks := strings.CutPrefix(strings.TrimLeft(text, " \n"), begin); thinks {
		if _, after, ends := strings.Cut(rest, end); ends {
			return after
		}
		return "" // it thought to the end
	}
	return text
}
