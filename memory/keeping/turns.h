// What turns of conversations that wait for the extraction of facts go through, for every engine:
// limits, the order of owners, tries and dead letters, what is due afterwards. The texts of a turn
// are kept until its facts are stored.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lib/base/guarded.h"
#include "lib/base/json/json.h"
#include "lib/base/process/clock.h"
#include "memory/model/trace_context.h"
#include "memory/rows/turns.h"
#include "memory/rows/writes.h"

namespace memory {

inline constexpr int64_t kMaxPendingTurns = 10'000;     // of a tenant; kFull beyond
inline constexpr int64_t kMaxTurnTries = 5;             // then a turn is a dead letter
inline constexpr int64_t kMaxExtractorTries = 3;        // of a turn on which the extractor fails
inline constexpr int64_t kMaxDeadTurns = 1000;          // of a tenant; beyond it turns stay pending
inline constexpr int64_t kObserveTokens = 30'000;       // of a user and agent, for a note
inline constexpr int64_t kReflectTokens = 40'000;       // for a run of consolidation
inline constexpr int64_t kOftenReflectTokens = 20'000;  // the same of a conscientious agent

struct Turn {
  TraceContext context;
  std::string user, assistant;
  base::Json settings = base::Json::object();  // of the request
  api::Source source;
};

struct TurnAccepted {
  std::string id;
  bool repeated = false;    // the key is known
  bool key_reused = false;  // the key is known with another body; nothing was done
};

struct PendingTurn {
  std::string id;
  Turn turn;
  int64_t tries = 0;  // failed ones
};

// The state of a turn: pending, done or failed (a dead letter, which keeps its texts).
struct TurnState {
  std::string state;
  base::Json facts = base::Json::array();  // a decision each
  std::string reason;                      // of failed
};

// What is due for a user and agent after a turn, by counts of tokens of three characters.
struct TurnsDue {
  bool note = false;     // an observation note about the turns since the last one
  bool reflect = false;  // a run of consolidation
};

// The queue of one tenant. Any thread. Writes return after their commit. Errors: kFull,
// kUnavailable.
class Turns {
 public:
  // `clock` outlives it. `pending`: those in the rows now.
  Turns(std::unique_ptr<TurnHost> host, const base::Clock& clock, int64_t pending)
      : host_(std::move(host)), clock_(clock), pending_(pending) {}

  base::Result<TurnAccepted> Accept(const Turn& turn, const RequestKey& key);
  base::Result<std::optional<TurnState>> Find(const TraceContext& context, const std::string& id);
  bool AnyPending() const { return pending_ > 0; }  // costs nothing
  // The longest waiting turn, which stays pending until Finish or Fail. The owners take turns.
  base::Result<std::optional<PendingTurn>> Next();
  // Removes its texts. → what is due; reported once.
  base::Result<TurnsDue> Finish(const PendingTurn& turn, const base::Json& facts,
                                int64_t reflect_tokens);
  // After `most_tries` it becomes a dead letter, up to kMaxDeadTurns.
  base::Status Fail(const PendingTurn& turn, const std::string& reason,
                    int64_t most_tries = kMaxTurnTries);
  // Makes a dead letter pending again, with no failed tries. → its state before; nullopt: no such
  // turn. kUnavailable: like Accept.
  base::Result<std::optional<std::string>> Retry(const TraceContext& context,
                                                 const std::string& id);
  base::Status Sweep();  // removes turns that were done long ago

 private:
  base::Status RefuseBeyondLimit() const;
  base::Status RefuseBeyondShare(TurnRows& rows, const std::string& owner) const;
  base::Result<std::optional<std::string>> NextOwner(TurnRows& rows);
  const std::unique_ptr<TurnHost> host_;
  const base::Clock& clock_;
  std::atomic<int64_t> pending_;
  base::Guarded<std::string> last_owner_;  // whose turn was the last
};

}  // namespace memory
