// What an import says of itself: counts, and what was refused or changed.
#include <algorithm>

#include "lib/api/memory_api.h"
#include "memory/transfer/rows/importer.h"

namespace memory {

using base::Error;
using base::Json;

namespace {

constexpr size_t kListedErrors = 10'000;
constexpr const char* kHint =
    "searches find them, prompts do not get them by themselves: if they are yours, import them "
    "again "
    "with trust=user, else set memory.injectUntrusted in the Agent";

}  // namespace

void Importer::Count(Imported::Outcome outcome, const std::string& origin) {
  observations_ += outcome == Imported::kNew;
  CountKnown(outcome, origin);
}

void Importer::CountKnown(Imported::Outcome outcome, const std::string& origin) {
  const bool fresh = outcome == Imported::kNew;
  skipped_ += !fresh;
  skipped_deleted_ += outcome == Imported::kSkippedDeleted;
  raised_ += outcome == Imported::kRaised;
  not_injected_ += fresh && api::LowerOrigin(origin, api::kOriginImport) == origin;
}

void Importer::List(Json error, const Json& where) {
  if (errors_.size() >= kListedErrors) {
    ++errors_left_out_;
    return;
  }
  if (where.is_object()) error.update(where);
  errors_.push_back(std::move(error));
}

void Importer::Refuse(const char* kind, const Place& place, const Error& error) {
  List({{"kind", kind}, {"index", place.index}, {"error", error.message}}, place.where);
}

void Importer::Report(const char* kind, const Place& place, const std::string& problem) {
  List({{"kind", kind}, {"index", place.index}, {"error", problem}, {"kept", true}}, place.where);
}

void Importer::Tell(const std::string& what, const Json& where, bool kept) {
  List({{"kind", "part"}, {"index", observations_given_}, {"error", what}, {"kept", kept}}, where);
}

Json Importer::Errors() const {
  if (!agentos_.any()) return errors_;
  Json lines = Json::array();
  for (const Json& error : errors_)
    lines.push_back(error["kind"].get<std::string>() + " " + error["index"].dump() + ": " +
                    error["error"].get<std::string>());
  for (const std::string& note : agentos_.Notes()) lines.push_back(note);
  return lines;
}

Json Importer::Report() const {
  Json report = {{"imported", observations_ + agentos_.traces()},
                 {"imported_sessions", sessions_},
                 {"imported_observations", observations_},
                 {"skipped", skipped_ + agentos_.skipped()},
                 {"errors", Errors()}};
  if (episodes_given_ > 0) report["imported_episodes"] = episodes_;
  if (traces_given_ > 0) report["imported_traces"] = traces_;
  if (edges_given_ > 0) report["imported_edges"] = edges_;
  agentos_.AddTo(report);
  if (kept_ > 0) report["imported_kept"] = kept_;
  if (aegis_given_ > 0) report["imported_aegis"] = hashes_;
  if (items_given_ > 0) report["imported_items"] = items_;
  if (skipped_deleted_ > 0) report["skipped_deleted"] = skipped_deleted_;
  if (raised_ > 0) report["raised"] = raised_;
  if (not_injected_ > 0) {
    report["not_injected"] = not_injected_;
    report["hint"] = kHint;
  }
  if (errors_left_out_ > 0) report["errors_left_out"] = errors_left_out_;
  return report;
}

}  // namespace memory
