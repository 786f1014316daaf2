// Checks row by row, old revisions included.
#include "sidecar/service/import_rows.h"

#include <string>

#include "lib/api/limits.h"
#include "lib/api/memory_api.h"
#include "lib/base/text/text.h"

namespace sidecar {
namespace {

using base::Json;

constexpr std::string_view kArrays = "sessions|observations|items|episodes";

// A trust class below an agent's stays; the server reads an unknown class as an agent's.
void HoldTrust(Json& row, const char* field) {
  if (base::StringAt(row, {field}) == api::kOriginUser || !row[field].is_string()) {
    row[field] = api::kOriginAgent;
  }
}

void HoldRow(const ActivePolicy& policy, Json& row) {
  redaction::Redactor::Counts counts;
  policy.redactor.RedactStrings(row, counts);
  if (!row.is_object()) return;
  row["project"] = policy.policy.project;
}

void HoldObservation(const ActivePolicy& policy, Json& row) {
  HoldRow(policy, row);
  if (!row.is_object()) return;
  if (!policy.policy.allow_global) row["scope"] = "project";
  if (!row["source"].is_object()) row["source"] = Json::object();
  HoldTrust(row["source"], "origin");
  const auto revisions = row.find("revisions");
  if (revisions == row.end() || !revisions->is_array()) return;
  for (Json& revision : *revisions) {
    if (revision.is_object()) HoldTrust(revision, "trust");
  }
}

}  // namespace

base::Status HoldImport(const ActivePolicy& policy, Json& document) {
  for (const auto& field : document.items()) {
    if (field.key() == "format" || field.key() == "exported_at" ||
        api::IsOneOf(field.key(), kArrays))
      continue;
    return base::Error{base::Code::kInvalid,
                       "the sidecar imports format, exported_at, " + api::Listed(kArrays) + "; \"" +
                           field.key() +
                           "\" is none of them: send other formats to the memory server itself"};
  }
  for (const std::string& list : base::Split(kArrays, '|')) {
    const auto rows = document.find(list);
    if (rows == document.end() || !rows->is_array()) continue;
    for (Json& row : *rows) {
      list != "observations" ? HoldRow(policy, row) : HoldObservation(policy, row);
    }
  }
  return {};
}

}  // namespace sidecar
