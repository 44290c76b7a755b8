package main

import (
	"os"
	"path/filepath"
	"time"

	"wiki/core/llm"
	"wiki/core/nightly"
	"wiki/core/postgres"
	"wiki/core/postgres/embedded"
	"wiki/core/wiki"
	"wiki/server"
)

// settings is everything that can be set, with its default (defaultSettings), unit and explanation. Each field is a flag
// --name, an environment variable (WIKI_NAME unless env says otherwise) and a line of the settings file; that is their
// order, first one wins. A secret field is never printed.
type settings struct {
	StateDir    string `name:"state-dir" env:"WIKI_HOME" doc:"where the private database, keys and logs live"`
	Listen      string `name:"listen" doc:"address and port to serve on; keep it on the loopback unless something in front speaks TLS"`
	Internal    string `name:"internal-listen" doc:"address and port of metrics, health and readiness, for operators; no key is asked for, so keep it off open networks; off = none"`
	DatabaseURL string `name:"database-url" env:"DATABASE_URL" secret:"true" doc:"PostgreSQL to use (owner login); empty = a private one in the state directory"`
	PgBin       string `name:"pg-bin" doc:"directory of the PostgreSQL programs for the private database; empty = look in the usual places"`
	PgUser      string `name:"pg-user" doc:"system user that the private database runs as when started by root; empty = postgres, else nobody"`

	DBConns          int           `name:"db-conns" doc:"database connections for requests"`
	DBHeavyConns     int           `name:"db-heavy-conns" doc:"database connections for heavy reads, beside those"`
	StatementTimeout time.Duration `name:"statement-timeout" doc:"longest run of one SQL statement"`
	HeavyTimeout     time.Duration `name:"heavy-timeout" doc:"longest run of one heavy read"`
	HeavyPerTenant   int           `name:"heavy-per-tenant" doc:"heavy reads that one tenant may have in flight"`

	EmbeddingsURL   string  `name:"embeddings-url" doc:"base URL of an OpenAI-compatible embeddings endpoint; empty = the built-in model"`
	EmbeddingsModel string  `name:"embeddings-model" doc:"model to ask that endpoint for"`
	EmbeddingsKey   string  `name:"embeddings-key" secret:"true" doc:"key for that endpoint"`
	EmbeddingsDims  int     `name:"embeddings-dims" doc:"dimensions of that model's vectors; 0 = as the model's registry entry says"`
	DuplicateAt     float64 `name:"embeddings-duplicate-at" doc:"cosine from which that model's vectors mean one text; 0 = as its registry entry says"`
	LowNoveltyAt    float64 `name:"embeddings-low-novelty-at" doc:"cosine from which they mean little that is new; 0 = as its registry entry says"`
	ConflictAt      float64 `name:"embeddings-conflict-at" doc:"cosine from which two published articles are put before a curator; 0 = as its registry entry says"`

	LLMURL       string        `name:"llm-url" doc:"base URL of an OpenAI-compatible chat endpoint, which writes merged drafts; empty = none, and they are put together by their sections"`
	LLMModel     string        `name:"llm-model" doc:"model to ask that endpoint for"`
	LLMKey       string        `name:"llm-key" secret:"true" doc:"key for that endpoint"`
	LLMTimeout   time.Duration `name:"llm-timeout" doc:"longest wait for one answer, repeated tries included"`
	LLMMaxInput  int           `name:"llm-max-input" doc:"bytes of two pages that are sent at most; longer ones are put together by their sections"`
	LLMMaxOutput int           `name:"llm-max-output" doc:"tokens of an answer at most"`

	Fusion string `name:"search-fusion" doc:"how lanes are made into one order: absolute_score, or reciprocal_rank, which measured worse"`

	RequestTimeout time.Duration `name:"request-timeout" doc:"longest run of one request"`
	DrainTimeout   time.Duration `name:"drain-timeout" doc:"how long a stopping server waits for requests in flight"`
	RatePerKey     int           `name:"rate-per-key" doc:"requests a minute and key; negative = no limit"`
	RateTenantKeys int           `name:"rate-tenant-keys" doc:"requests a minute and tenant, in multiples of rate-per-key"`

	NightlyHour    int           `name:"nightly-hour" doc:"hour of the day, UTC, at which the nightly pass begins; -1 = this server runs none"`
	NightlyTime    time.Duration `name:"nightly-time" doc:"work that one tenant's pass may take, the reserve for its report included"`
	NightlyTenants int           `name:"nightly-tenants" doc:"tenants whose passes this server works on at once"`
	NightlyBudgets string        `name:"nightly-budgets" doc:"budgets of the pass's consumers, such as verdicts=500/2m: acts, and time of work; 0/0s pauses one; what is not named keeps its own"`

	LogLevel  string `name:"log-level" doc:"debug, info, warn or error; debug has one line per request"`
	LogFormat string `name:"log-format" doc:"text or json"`

	SlowStatement time.Duration `name:"slow-statement" doc:"log each SQL statement that takes this long or longer, without its values; 0 = none"`
}

// defaultListen is on the loopback: nobody else on the network reaches a server that was only tried out.
const defaultListen = "127.0.0.1:7171"

// The listener for operators: off by this word, else by default at the port that the seed names, on the loopback too.
const (
	internalOff     = "off"
	defaultInternal = "127.0.0.1:9568"
)

func defaultSettings() settings {
	return settings{
		StateDir: defaultStateDir(), Listen: defaultListen, Internal: defaultInternal,
		DBConns: postgres.DefaultMaxConns, DBHeavyConns: postgres.DefaultHeavyMaxConns,
		StatementTimeout: postgres.DefaultStatementTimeout, HeavyTimeout: postgres.DefaultHeavyTimeout,
		HeavyPerTenant: postgres.DefaultHeavyPerTenant,
		LLMTimeout:     llm.DefaultTimeout, LLMMaxInput: llm.DefaultMaxInput, LLMMaxOutput: llm.DefaultMaxOutput,
		Fusion:         string(wiki.DefaultFusionMethod),
		RequestTimeout: server.DefaultRequestTimeout, DrainTimeout: server.DefaultDrainTimeout,
		RatePerKey: server.DefaultRatePerKey, RateTenantKeys: server.DefaultRateTenantKeys,
		NightlyHour: nightly.DefaultHour, NightlyTime: nightly.DefaultTime, NightlyTenants: nightly.DefaultTenants,
		LogLevel: "info", LogFormat: "text", SlowStatement: postgres.DefaultSlowStatement,
	}
}

// defaultStateDir is a place that lasts. The error case has no home directory: the setting then has to be given.
func defaultStateDir() string {
	home, err := embedded.Home()
	if err != nil {
		return filepath.Join(os.TempDir(), "wiki")
	}
	return home
}
