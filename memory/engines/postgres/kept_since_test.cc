// kept_since is RetentionPolicy::KeptSince, with and without the short way of `enter`.
#include <climits>
#include <random>

#include "memory/engines/postgres/schema_fixture.h"
#include "memory/model/retention.h"

namespace memory {
namespace {

constexpr int64_t kNowMs = 1'700'000'000'000, kNever = -(int64_t{1} << 62);

class KeptSinceTest : public PostgresSchemaTest {
 protected:
  int64_t Pick(int64_t below) {
    return std::uniform_int_distribution<int64_t>(0, below - 1)(random_);
  }
  RetentionRules SomeRules() {
    RetentionRules rules;
    for (const char* scope : {"project", "global"}) {
      for (const char* type : {"*", "note", "log"}) {
        constexpr int64_t kTtls[] = {0, 1, 1500, 7000, 180'000, 7'200'000};
        if (Pick(3) == 0) rules.push_back({type, scope, kTtls[Pick(6)], Pick(2) * 100});
      }
    }
    return rules;
  }
  static std::string TextOf(const RetentionRules& rules) {
    return base::DumpJson(EncodeRetention(rules));
  }
  static void Store(postgres::Database& database, int64_t project, const RetentionRules& rules) {
    if (rules.empty())
      Run(database,
          "DELETE FROM agent_memory.retention WHERE project = " + std::to_string(project));
    else
      Run(database, "INSERT INTO agent_memory.retention(project, rules) VALUES(" +
                        std::to_string(project) + ", '" + TextOf(rules) +
                        "') ON CONFLICT(tenant, project) DO UPDATE SET rules = excluded.rules");
  }
  static void Compare(postgres::Database& database, const RetentionPolicy& policy) {
    for (int64_t project = 0; project < 4; ++project) {
      for (const char* scope : {"project", "global", "other"}) {
        for (const char* type : {"note", "log", "else"}) {
          const int64_t since = policy.KeptSince(project, scope, type, kNowMs);
          EXPECT_EQ(Number(database, "SELECT kept_since(" + std::to_string(project) + ", '" +
                                         scope + "', '" + type + "')"),
                    since == INT64_MIN ? kNever : since)
              << project << " " << scope << " " << type << " of " << TextOf(policy.For(project));
        }
      }
    }
  }
  std::mt19937 random_{7};
};

TEST_F(KeptSinceTest, IsThatOfThePolicyForAnyRules) {
  postgres::Database database = Own();
  const std::string tenant = std::to_string(MakeTenant(database, "a"));
  int ending = 0;
  for (int round = 0; round < 20 && !HasFailure(); ++round) {
    RetentionPolicy policy;
    if (Pick(2) == 0) policy.defaults = SomeRules();
    std::string script = "BEGIN; SELECT agent_memory.enter(" + tenant + ", 0, '[]', true)";
    Run(database, script);
    for (int64_t project = 0; project < 4; ++project) {
      RetentionRules rules = Pick(2) == 0 ? SomeRules() : RetentionRules();
      Store(database, project, rules);
      if (!rules.empty()) policy.of_project[project] = std::move(rules);
    }
    Run(database, "COMMIT");
    ending += policy.Ends() ? 1 : 0;
    const std::string now = std::to_string(kNowMs), defaults = TextOf(policy.defaults);
    {  // As a writer begins: whether some rule ends is known for the transaction.
      database.Use({.lock = "SELECT agent_memory.enter($1::bigint, $2::bigint, $3, true)",
                    .lock_values = {tenant, now, defaults}});
      auto transaction = sql::Transaction::Begin(database);
      Compare(database, policy);
      EXPECT_EQ(Number(database,
                       "SELECT CASE current_setting('agent_memory.ends') WHEN 'true' "
                       "THEN 1 ELSE 0 END"),
                policy.Ends());
    }
    // Only with the clock and the rules.
    database.Use({.settings = {{"agent_memory.tenant", tenant},
                               {"agent_memory.now_ms", now},
                               {"agent_memory.defaults", defaults}}});
    Compare(database, policy);
  }
  EXPECT_GT(ending, 5);
  EXPECT_LT(ending, 20);
}

}  // namespace
}  // namespace memory
