// Turns of conversations that wait for the extraction of facts, and their outcomes. The texts of a
// turn are kept until its facts are stored. Independent of the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/json/json.h"
#include "memory/rows/writes.h"
#include "memory/store/traces.h"

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
  int64_t number = 0;
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

// Any thread. Writes return after their commit. Errors: kFull, kUnavailable.
class Turns {
 public:
  virtual ~Turns() = default;

  virtual base::Result<TurnAccepted> Accept(const Turn& turn, const RequestKey& key) = 0;
  virtual base::Result<std::optional<TurnState>> Find(const TraceContext& context,
                                                      const std::string& id) = 0;
  virtual bool AnyPending() const = 0;  // costs nothing
  // The longest waiting turn, which stays pending until Finish or Fail.
  virtual base::Result<std::optional<PendingTurn>> Next() = 0;
  // Removes its texts. → what is due; reported once.
  virtual base::Result<TurnsDue> Finish(const PendingTurn& turn, const base::Json& facts,
                                        int64_t reflect_tokens) = 0;
  // After `most_tries` it becomes a dead letter, up to kMaxDeadTurns.
  virtual base::Status Fail(const PendingTurn& turn, const std::string& reason,
                            int64_t most_tries = kMaxTurnTries) = 0;
  // Makes a dead letter pending again, with no failed tries. → its state before; nullopt: no such
  // turn. kUnavailable: like Accept.
  virtual base::Result<std::optional<std::string>> Retry(const TraceContext& context,
                                                         const std::string& id) = 0;
};

}  // namespace memory
