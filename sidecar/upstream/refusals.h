// Tracks refused rows of the outbox: the backoff of each lane, the suspension of all lanes, and
// rows that are at fault themselves. Decisions over the answers so far; one thread, and time is a
// parameter.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "lib/base/limits/backoff.h"
#include "sidecar/upstream/delivery_outcome.h"

namespace sidecar {

class Refusals {
 public:
  enum class Verdict { kLaneWaits, kAllWait, kRowIsDead };
  enum class Turn { kSend, kWait, kStepOver };
  // Lanes of one pass over the outbox.
  struct Pass {
    int64_t begin_ms = 0;
    std::set<std::string> seen, waiting, stepped;
  };

  Refusals(int64_t first_ms, int64_t longest_ms, uint64_t seed)
      : first_ms_(first_ms),
        longest_ms_(longest_ms),
        all_(first_ms, longest_ms, seed),
        seeds_(seed) {}

  bool all_wait() const { return all_wait_; }
  // Whether the row is sent in this pass. While all lanes wait, the lanes take turns as the probe,
  // so that no single row decides over the others.
  Turn TurnOf(const std::string& lane, int64_t sequence, Pass& pass);

  Verdict OnServerFault(const OutboxRow& row, const DeliveryOutcome& fault, int64_t now_ms);
  Verdict OnConflict(const OutboxRow& row, int64_t now_ms);  // kLaneWaits or kRowIsDead
  void OnSettled(const OutboxRow& row,
                 int64_t now_ms);   // the server accepted or finally refused the row
  void OnWell();                    // the server works
  void Drop(const OutboxRow& row);  // the row is settled without the server

  int64_t PauseOfAll() { return std::max<int64_t>(all_.NextMs(), 1); }
  // After a whole pass. → milliseconds until a lane is due, at most `longest_ms`.
  int64_t WaitAfter(Pass& pass, int64_t now_ms, int64_t longest_ms);
  void Clear() { lanes_.clear(); }

 private:
  struct Refused {
    base::Backoff backoff;
    int64_t sequence = 0;      // of the lane's first row
    int tries = 0, alone = 0;  // all refusals; those while the server accepted other rows
    uint64_t taken = 0;        // taken_ at the last refusal
    // step_over: after many refusals the next row is tried; stepped_over: the server accepted it.
    bool step_over = false, stepped_over = false;
    int64_t due_ms = 0;
    uint64_t probed = 0;  // the round of probes in which the lane was probed
  };
  Refused& Of(const OutboxRow& row);
  void Postpone(Refused& refused, int64_t now_ms);

  const int64_t first_ms_, longest_ms_;
  base::Backoff all_;
  uint64_t seeds_;
  std::map<std::string, Refused> lanes_;
  bool all_wait_ = false;
  uint64_t taken_ = 0;   // rows that the server accepted or finally refused
  uint64_t probes_ = 1;  // rounds of probes
  std::string doubted_;  // lane of the last possible fault of a row; empty: none
};

}  // namespace sidecar
