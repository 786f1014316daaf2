// Facts of turns from a chat model. Where it is away, late or its budget is spent, patterns find
// them: no turn waits for it longer than for one deadline.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/limits/lru.h"
#include "lib/base/process/clock.h"
#include "lib/redaction/redaction.h"
#include "lib/telemetry/metrics.h"
#include "memory/endpoint/endpoint_client.h"
#include "memory/endpoint/endpoint_pause.h"
#include "memory/endpoint/facts/token_budget.h"
#include "memory/extract/extractor.h"

namespace memory {

struct ExtractionOptions : EndpointAddress {
  int64_t deadline_ms = 20'000;
  int64_t tokens_per_day = 200'000;
  std::string tokens_file;  // keeps what was used today
};

// kInvalid: what the settings say cannot be asked. Opens nothing.
base::Status CheckExtraction(const ExtractionOptions& options);

class EndpointExtractor final : public Extractor {
 public:
  // `clock` and `metrics` outlive it. kInvalid as CheckExtraction, a CA file that is none, a key
  // file that cannot be read.
  static base::Result<std::unique_ptr<EndpointExtractor>> Make(ExtractionOptions options,
                                                               const base::Clock& clock,
                                                               telemetry::Metrics& metrics);
  base::Result<std::vector<FactCandidate>> FactsOf(const std::string& user,
                                                   const std::string& assistant,
                                                   const std::stop_token& stop) override;

 private:
  using Facts = std::vector<FactCandidate>;
  struct Reply {
    std::optional<Facts> facts;  // none: patterns are to find them
    std::optional<base::Error> unusable;
    std::string trouble;  // of the endpoint; empty: it is fine
    const char* outcome = "ok";
    int64_t wait_ms = 0;  // that it asks for
    int64_t tokens = -1;  // used; -1: as many as were taken for it
    bool pause = true;    // a trouble that says something of the next turn too
  };
  EndpointExtractor(ExtractionOptions options, const base::Clock& clock,
                    telemetry::Metrics& metrics, redaction::Redactor redactor);
  std::string Shown(const std::string& text) const;
  Reply Ask(const std::string& request, Speaker said_by, const std::stop_token& stop);
  Reply Exchange(const std::string& request, Speaker said_by, const std::stop_token& stop);
  std::optional<TokenBudget::Taken> Take(const std::string& request);
  void Count(const char* outcome);
  void Note(const Reply& reply);

  const ExtractionOptions options_;
  std::string path_;
  const base::Clock& clock_;
  telemetry::Metrics& metrics_;
  const redaction::Redactor redactor_;
  std::unique_ptr<http::Client> client_;
  TokenBudget budget_;
  std::mutex mutex_;
  EndpointPause pause_;        // under mutex_, with what follows
  int unusable_in_a_row_ = 0;  // answers
  bool troubled_ = false;      // and the log says so
  int64_t spent_day_ = -1;     // that the log says so of
  base::LruMap<Facts> known_;  // by the digest of the request: a turn that its store did not take
};

}  // namespace memory
