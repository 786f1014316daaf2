// The sidecar's implementation of the routes that the memory server serves, too: on state.db, with
// redaction by the policy.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/conversation/routes/host.h"
#include "lib/conversation/sqlite/rows.h"
#include "lib/http/message/router.h"
#include "sidecar/outbox/outbox.h"
#include "sidecar/policy/policy_watch.h"
#include "sidecar/service/working_memory.h"
#include "sidecar/state/state.h"

namespace sidecar {

class ConversationHost : public conversation::Host {
 public:
  // All arguments outlive it. `wake` tells the delivery that there are new rows.
  ConversationHost(State& state, const WorkingMemory& memory, const PolicyWatch& policies,
                   const base::Clock& clock, OutboxLimits limits, int64_t checkpoints_kept,
                   std::function<void()> wake)
      : state_(state),
        memory_(memory),
        policies_(policies),
        clock_(clock),
        limits_(limits),
        checkpoints_kept_(checkpoints_kept),
        wake_(std::move(wake)),
        fields_(clock, SavedFieldClock(state)) {}

  base::Result<base::Json> Read(const Work& use) override;
  base::Result<base::Json> Write(const Work& work, Space space) override;
  int64_t NowMs() const override { return clock_.NowMs(); }
  conversation::FieldLife& Fields() override { return fields_; }
  int64_t CheckpointsKept() const override { return checkpoints_kept_; }
  std::string Key(const std::string& id) const override { return id; }
  std::string IdOf(const std::string& key) const override { return key; }
  base::Status Redact(base::Json& value, Text text) const override;
  bool IsShown(const conversation::Conversation& one) const override {
    return memory_.IsShown(one);
  }
  base::Status RedactMessages(base::Json& body, Length length) const override;
  // Opens the conversation with a memory session.
  base::Result<conversation::Conversation> Open(conversation::Rows& rows,
                                                const std::string& key) override;
  base::Result<Ending> PrepareEnd(const std::string& key) override;
  void Changed() override { wake_(); }

  // Run FieldLife's sweep (in a round of the upkeep) and its save (at a stop).
  base::Result<int64_t> SweepFields(const std::function<bool()>& stopping);
  base::Status KeepFields();

  // Their handlers refer to this object.
  std::vector<http::Route> Routes();

 private:
  static int64_t SavedFieldClock(State& state) {
    return state.Read([](sqlite::Database& db) { return conversation::SqliteRows(db).LoadClock(); })
        .value_or(int64_t{0});
  }
  conversation::FieldLife::Write WritingFields();
  State& state_;
  const WorkingMemory& memory_;
  const PolicyWatch& policies_;
  const base::Clock& clock_;
  const OutboxLimits limits_;
  const int64_t checkpoints_kept_;
  const std::function<void()> wake_;
  conversation::FieldLife fields_;
};

}  // namespace sidecar
