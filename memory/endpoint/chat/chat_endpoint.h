// A chat model that is asked over HTTP. It is away, late or wrong at times, and its tokens are
// bounded: a caller does without it then.
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
  std::string tokens_file;  // keeps what was used today
};

// kInvalid: what the settings say cannot be asked. Opens nothing.
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
  // What is left of a text for a model: no secrets, no code, no memories that a recall injected.
  std::string Shown(const std::string& text) const;
  // Hands the model's text to `use`, which says kInvalid when it is not what was asked for. Blocks
  // for the deadline at most. kInvalid: of `use`; kUnavailable: there is no text (the endpoint is
  // away, late or left alone, the budget is spent, `stop`), and the message says why.
  using Use = std::function<base::Status(const std::string& text)>;
  base::Status Ask(const std::string& request, const Use& use, const std::stop_token& stop);

 private:
  struct Reply {
    bool used = false;                    // the text was taken
    std::optional<base::Error> unusable;  // it was not
    std::string trouble;                  // of the endpoint; empty: it is fine
    const char* outcome = "ok";
    int64_t wait_ms = 0;  // that it asks for
    int64_t tokens = -1;  // used; -1: as many as were taken for it
    bool pause = true;    // a trouble that says something of the next request too
  };
  ChatEndpoint(ChatOptions options, const base::Clock& clock, telemetry::Metrics& metrics,
               redaction::Redactor redactor);
  Reply AskWithin(const std::string& request, const Use& use, const std::stop_token& stop);
  Reply Exchange(const std::string& request, const Use& use, const std::stop_token& stop);
  std::optional<TokenBudget::Taken> Take(const std::string& request);
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
  bool troubled_ = false;      // and the log says so
  int64_t spent_day_ = -1;     // that the log says so of
};

}  // namespace memory
