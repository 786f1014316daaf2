// Turns of conversations that wait for their facts to be extracted, and what became of them. The
// raw turn is kept until its facts are stored. No engine shows here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/json/json.h"
#include "memory/store/traces.h"
#include "memory/store/writes.h"

namespace memory {

inline constexpr size_t kMaxTurnText = 64 << 10;        // bytes, of each side
inline constexpr int64_t kMaxPendingTurns = 10'000;     // of a tenant; kFull beyond
inline constexpr int64_t kMaxTurnTries = 5;             // then a turn is a dead letter
inline constexpr int64_t kMaxExtractorTries = 3;        // of one that the extractor fails
inline constexpr int64_t kMaxDeadTurns = 1000;          // of a tenant; beyond turns wait on
inline constexpr int64_t kObserveTokens = 30'000;       // of a user and agent, for a note
inline constexpr int64_t kReflectTokens = 40'000;       // for a run of consolidation
inline constexpr int64_t kOftenReflectTokens = 20'000;  // of an agent that compacts more often

struct Turn {
  TraceContext context;
  std::string user, assistant;
  base::Json settings = base::Json::object();  // as the request had them
  api::Source source;
};

struct TurnAccepted {
  std::string id;
  bool repeated = false;    // the key came before
  bool key_reused = false;  // with another body; nothing was done
};

struct PendingTurn {
  int64_t number = 0;
  std::string id;
  Turn turn;
  int64_t tries = 0;  // that failed
};

// What became of a turn. `state`: pending, done or failed (a dead letter, which keeps its texts).
struct TurnState {
  std::string state;
  base::Json facts = base::Json::array();  // a decision each
  std::string reason;                      // of failed
};

// What is due of a user and agent after a turn, counted in tokens of three characters.
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
  // The turn that waits longest; it waits on until Finish or Fail.
  virtual base::Result<std::optional<PendingTurn>> Next() = 0;
  // Its texts go. → what is due; it is due once.
  virtual base::Result<TurnsDue> Finish(const PendingTurn& turn, const base::Json& facts,
                                        int64_t reflect_tokens) = 0;
  // After so many tries it is a dead letter, while there is room for dead letters.
  virtual base::Status Fail(const PendingTurn& turn, const std::string& reason,
                            int64_t most_tries = kMaxTurnTries) = 0;
  // A dead letter waits again, as if it had never been tried. → its state before; nullopt: there is
  // no such turn. kUnavailable: as Accept.
  virtual base::Result<std::optional<std::string>> Retry(const TraceContext& context,
                                                         const std::string& id) = 0;
};

}  // namespace memory
