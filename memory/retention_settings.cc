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
       "retention rules of projects that set none: [{type: '*', scope: project, ttl: 720h, "
       "maxRows: 10000}]"},
      {"retention-keeps-used", Kind::kDuration, "168h",
       "rows that were read or found within this time are exempt from maxRows and from removal", 0,
       kTenYearsMs},
      {"retention-interval", Kind::kDuration, "1m",
       "interval of retention: hides rows above maxRows, removes hidden rows that are due", 10,
       24 * 3'600'000LL},
      {"deleted-retention", Kind::kDuration, "720h",
       "how long deleted and hidden rows stay in the file", 0, kTenYearsMs},
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
