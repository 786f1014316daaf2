// The clock and the rules inside SQL. What "used" means, and why a ttl does not ask for it, is in
// docs/adr/0013.
#include "memory/sqlite/tables/live.h"

#include "lib/base/json/json.h"
#include "lib/sqlite/database.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;
using sql::Statement;

namespace {

constexpr size_t kMaxUses = 65'536;

std::string_view TextAt(sqlite3_value* value) {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return {bytes ? bytes : "", static_cast<size_t>(sqlite3_value_bytes(value))};
}

}  // namespace

// One per connection, so one thread at a time: caches the policy until it changes.
struct KeptSinceFunction {
  std::shared_ptr<Liveness> liveness;
  std::shared_ptr<const RetentionPolicy> policy;
  uint64_t change = 0;

  static void Call(sqlite3_context* context, int, sqlite3_value** values) {
    auto& self = *static_cast<KeptSinceFunction*>(sqlite3_user_data(context));
    const Liveness& liveness = *self.liveness;
    if (!liveness.ends_) return sqlite3_result_int64(context, INT64_MIN);
    if (const uint64_t change = liveness.changes_; !self.policy || self.change != change) {
      self.policy = liveness.policy();
      self.change = change;
    }
    sqlite3_result_int64(context,
                         self.policy->KeptSince(sqlite3_value_int64(values[0]), TextAt(values[1]),
                                                TextAt(values[2]), liveness.NowMs()));
  }
};

Status Liveness::RegisterFunction(std::shared_ptr<Liveness> self, sqlite::Database& database) {
  int rc = sqlite3_create_function_v2(
      database.handle(), "kept_since", 3, SQLITE_UTF8, new KeptSinceFunction{std::move(self), {}},
      KeptSinceFunction::Call, nullptr, nullptr,
      [](void* function) { delete static_cast<KeptSinceFunction*>(function); });
  if (rc == SQLITE_OK) return {};
  return Error{Code::kInternal, "SQLite does not take the function kept_since"};
}

void Liveness::Set(RetentionPolicy policy) {
  const bool ends = policy.Ends();
  policy_.Set(std::make_shared<const RetentionPolicy>(std::move(policy)));
  ++changes_;
  ends_ = ends;
}

void Liveness::Use(std::span<const int64_t> ids) {
  const int64_t now_ms = clock_.NowMs();
  uses_.With([&](Uses& uses) {
    for (int64_t id : ids) {
      if (uses.size() < kMaxUses || uses.contains(id)) uses[id] = now_ms;
    }
  });
}

Liveness::Uses Liveness::TakeUses() {
  return uses_.With([](Uses& uses) { return std::exchange(uses, {}); });
}

void Liveness::GiveBack(const Uses& uses) {
  uses_.With([&](Uses& mine) { mine.insert(uses.begin(), uses.end()); });  // keeps newer ones
}

size_t Liveness::CountUses() const {
  return uses_.With([](const Uses& uses) { return uses.size(); });
}

bool Liveness::UsedSince(int64_t id, int64_t since_ms) const {
  return uses_.With([&](const Uses& uses) {
    auto use = uses.find(id);
    return use != uses.end() && use->second >= since_ms;
  });
}

Result<RetentionPolicy> LoadPolicy(sql::Database& database, RetentionRules defaults) {
  RetentionPolicy policy;
  policy.defaults = std::move(defaults);
  ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT project, rules FROM retention"));
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) -> Status {
    ASSIGN_OR_RETURN(Json rules, base::ParseJson(row.Text(1)));
    ASSIGN_OR_RETURN(policy.of_project[row.Int(0)], DecodeRetention(rules));
    return {};
  }));
  return policy;
}

}  // namespace memory
