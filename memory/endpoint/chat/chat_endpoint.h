// A chat model behind HTTP, with a token budget. It may be unavailable, late or wrong: callers must
// work without it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "lib/base/process/clock.h"
#include "lib/redaction/redaction.h"
#include "lib/telemetry/metrics.h"
#include "memory/endpoint/chat/token_budget.h"
#include "memory/endpoint/endpoint_client.h"
#include "memory/endpoint/endpoint_pause.h"

namespace memory {

struct ChatOptions : EndpointAddress {
  int64_t deadline_ms = 20'000;
  int64_t tokens_per_day = 200'000;
  std::string tokens_file;  // persists today's use
};

// Validates the settings (kInvalid) without a connection.
base::Status CheckChat(const ChatOptions& options);

// Any thread.
class ChatEndpoint {
 public:
  // `clock` and `metrics` outlive it. kInvalid as CheckChat, a CA file that is none, a key file
  // that cannot be read.
  static base::Result<std::unique_ptr<ChatEndpoint>> Make(ChatOptions options,
                                                          const base::Clock& clock,
                                                          telemetry::Metrics& metrics);
  const std::string& model() const { return options_.model; }
  // Removes secrets, code and injected memories from a text for a model.
  std::string Shown(const std::string& text) const;
  // Passes the model's text to `use`, which returns kInvalid for an unusable one. Blocks at most
  // for the deadline. kInvalid: of `use`; kUnavailable, with the reason: no text (the endpoint is
  // unavailable, late or paused, the budget is spent, `stop`).
  using Use = std::function<base::Status(const std::string& text)>;
  base::Status Query(const std::string& request, const Use& use, const std::stop_token& stop);

 private:
  struct Reply {
    bool used = false;                    // `use` accepted the text
    std::optional<base::Error> unusable;  // `use` refused the text
    std::string trouble;                  // of the endpoint; empty: none
    const char* outcome = "ok";
    int64_t wait_ms = 0;  // of Retry-After
    int64_t tokens = -1;  // used; -1: the reserved number
    bool pause = true;    // the trouble affects further requests
  };
  ChatEndpoint(ChatOptions options, const base::Clock& clock, telemetry::Metrics& metrics,
               redaction::Redactor redactor);
  Reply QueryWithin(const std::string& request, const Use& use, const std::stop_token& stop);
  Reply Exchange(const std::string& request, const Use& use, const std::stop_token& stop);
  std::optional<TokenBudget::Reservation> Reserve(const std::string& request);
  void Note(const Reply& reply);

  const ChatOptions options_;
  std::string path_;
  const base::Clock& clock_;
  telemetry::Metrics& metrics_;
  const redaction::Redactor redactor_;
  std::unique_ptr<http::Client> client_;
  TokenBudget budget_;
  std::mutex mutex_;
  EndpointPause pause_;        // under mutex_, with what follows
  int unusable_in_a_row_ = 0;  // answers
  bool troubled_ = false;      // logged
  int64_t spent_day_ = -1;     // logged as spent
};

}  // namespace memory
