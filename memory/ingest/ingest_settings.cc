// Checks of settings.
#include "memory/ingest/ingest_settings.h"

#include "lib/api/limits.h"
#include "lib/base/text/text.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

Error InvalidSetting(const std::string& field, const char* must, const Json& value) {
  return Error{Code::kInvalid, "settings: " + field + " must be " + must + ", it is " +
                                   std::string(base::Prefix(base::DumpJson(value), 50))};
}

// The member, if present and not null.
const Json* MemberOf(const Json& object, const char* field) {
  const auto found = object.find(field);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

Status ReadFraction(const Json& object, const char* field, double& value) {
  const Json* given = MemberOf(object, field);
  if (!given) return {};
  if (!given->is_number() || *given < 0 || *given > 1)
    return InvalidSetting(field, "a number from 0 to 1", *given);
  value = given->get<double>();
  return {};
}

Result<Personality> DecodePersonality(const Json& traits) {
  Personality read;
  if (!traits.is_object()) return InvalidSetting("personality", "an object", traits);
  RETURN_IF_ERROR(ReadFraction(traits, "honesty", read.honesty));
  RETURN_IF_ERROR(ReadFraction(traits, "emotionality", read.emotionality));
  RETURN_IF_ERROR(ReadFraction(traits, "extraversion", read.extraversion));
  RETURN_IF_ERROR(ReadFraction(traits, "agreeableness", read.agreeableness));
  RETURN_IF_ERROR(ReadFraction(traits, "conscientiousness", read.conscientiousness));
  RETURN_IF_ERROR(ReadFraction(traits, "openness", read.openness));
  return read;
}

}  // namespace

Result<IngestSettings> DecodeIngestSettings(const Json& settings) {
  if (!settings.is_object()) return InvalidSetting("settings", "an object", settings);
  const Json* own = &settings;
  if (const Json* storage = MemberOf(settings, "storage")) {
    if (!storage->is_object()) return InvalidSetting("storage", "an object", *storage);
    const Json* nested = MemberOf(*storage, "autoIngest");
    static const Json kNothing = Json::object();
    own = nested ? nested : &kNothing;
    if (!own->is_object()) return InvalidSetting("storage.autoIngest", "an object", *own);
  }
  IngestSettings read;
  if (const Json* enabled = MemberOf(*own, "enabled")) {
    if (!enabled->is_boolean()) return InvalidSetting("enabled", "true or false", *enabled);
    read.enabled = enabled->get<bool>();
  }
  RETURN_IF_ERROR(ReadFraction(*own, "importanceThreshold", read.threshold));
  if (const Json* most = MemberOf(*own, "maxPerTurn")) {
    if (!most->is_number_integer() || *most < 1 || *most > api::kMaxFactsOfTurn)
      return InvalidSetting("maxPerTurn", "a whole number from 1 to 20", *most);
    read.max_per_turn = most->get<int>();
  }
  const Json* traits = MemberOf(settings, "personality");
  if (!traits) return read;
  ASSIGN_OR_RETURN(const Personality personality, DecodePersonality(*traits));
  return EffectiveSettings(read, personality);
}

}  // namespace memory
