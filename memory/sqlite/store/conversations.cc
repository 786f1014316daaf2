// The conversations of one caller in the tenant's file. Keys begin with the caller's account.
#include <utility>

#include "lib/conversation/sqlite/rows.h"
#include "memory/sqlite/store/state.h"

namespace memory {
namespace {

using base::Json;
using base::Result;
using base::Status;

// No account contains it, so that no two callers share a key.
constexpr char kBehindCaller = '\n';

constexpr int64_t kMostBytesOfMessages = 256 << 20;

class CallersConversations : public conversation::Host {
 public:
  CallersConversations(StoreState& state, const std::string& caller)
      : state_(state), prefix_(caller + kBehindCaller) {}

  Result<Json> Read(const Work& use) override {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_.readers));
    conversation::SqliteRows rows(snapshot.database());
    Result<Json> answer = use(rows);
    TellDamage(snapshot.database().TakeUnsoundRows());
    return answer;
  }
  Result<Json> Write(const Work& work, Space space) override {
    using WriterSpace = sql::Writer::Space;
    if (space == Space::kConsumes) RETURN_IF_ERROR(state_.AdmitGrowth());
    return state_.writer->Run<Json>(
        [&](sql::Database& database) {
          conversation::SqliteRows rows(database);
          Result<Json> answer = work(rows);
          TellDamage(database.TakeUnsoundRows());
          return answer;
        },
        space == Space::kFrees ? WriterSpace::kFrees : WriterSpace::kConsumes);
  }
  int64_t NowMs() const override { return state_.options.clock->NowMs(); }
  conversation::FieldLife& Fields() override { return *state_.fields; }
  int64_t CheckpointsKept() const override { return state_.options.checkpoints_kept; }
  std::string Key(const std::string& id) const override { return prefix_ + id; }
  std::string IdOf(const std::string& key) const override { return key.substr(prefix_.size()); }
  base::Status AdmitMessages(conversation::Rows& rows, const std::string& key) override {
    ASSIGN_OR_RETURN(const int64_t bytes, rows.BytesOf(key));
    if (bytes < kMostBytesOfMessages) return {};
    return base::Error{base::Code::kFull, "this conversation has " + std::to_string(bytes) +
                                              " bytes, the limit is " +
                                              std::to_string(kMostBytesOfMessages)};
  }
  // Redacts texts of sidecars; other clients are responsible for their texts.
  base::Status Redact(Json&, Text) const override { return {}; }

 private:
  void TellDamage(const std::vector<sql::UnsoundRow>& rows) const {
    if (rows.empty() || !state_.options.on_damage) return;
    state_.options.on_damage(
        state_.path, {base::Code::kInternal, "row " + std::to_string(rows.front().rowid) + " of " +
                                                 rows.front().table + " is not what was written"});
  }
  StoreState& state_;
  const std::string prefix_;
};

}  // namespace

conversation::FieldLife::Write StoreState::WritingFields() {
  return [this](const auto& work) {
    return writer->RunAny(conversation::OnRows(work), sql::Writer::Space::kFrees);
  };
}

Status StoreState::KeepFields() { return fields->Keep(WritingFields()); }

Result<int64_t> StoreState::SweepFields(const std::stop_token& stop) {
  return fields->Sweep(WritingFields(), [&stop] { return stop.stop_requested(); });
}

std::unique_ptr<conversation::Host> Store::Conversations(const std::string& caller) {
  return std::make_unique<CallersConversations>(*state_, caller);
}

}  // namespace memory
