// Flags of retention.
#include "memory/retention_settings.h"

#include "lib/base/json/yaml.h"

namespace memory {

using base::Setting;

namespace {

constexpr int64_t kTenYearsMs = 3650 * 24 * 3'600'000LL;

base::Result<RetentionRules> DefaultRules(const std::string& text) {
  base::Result<base::Json> list = base::ParseYaml(text);
  if (!list) return base::Wrap("retention", list.error());
  return DecodeRetention(*list);
}

}  // namespace

std::vector<Setting> RetentionFlags() {
  using Kind = Setting::Kind;
  return {
      {"retention", Kind::kString, "[]",
       "how long and how many observations are kept, of projects without rules of their own: "
       "[{type: '*', scope: project, ttl: 720h, maxRows: 10000}]"},
      {"retention-keeps-used", Kind::kDuration, "168h",
       "maxRows takes nothing that was read or found since, and nothing hidden that was is removed",
       0, kTenYearsMs},
      {"retention-interval", Kind::kDuration, "1m",
       "how often rows above maxRows are hidden, and hidden ones removed", 10, 24 * 3'600'000LL},
      {"deleted-retention", Kind::kDuration, "720h",
       "deleted and hidden rows stay in the file so long", 0, kTenYearsMs},
  };
}

RetentionSettings ReadRetentionSettings(const base::Settings& settings, StoreOptions& store) {
  store.keep_used_ms = settings.Milliseconds("retention-keeps-used");
  store.deleted_ms = settings.Milliseconds("deleted-retention");
  RetentionSettings read{settings.Text("retention"), settings.Milliseconds("retention-interval")};
  if (auto rules = DefaultRules(read.rules)) store.retention = std::move(*rules);
  return read;
}

base::Status CheckRetentionSettings(const RetentionSettings& settings) {
  auto rules = DefaultRules(settings.rules);
  return rules ? base::Status() : base::Status(rules.error());
}

}  // namespace memory
