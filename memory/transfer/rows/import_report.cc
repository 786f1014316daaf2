// Counts, and a list of errors up to a limit.
#include "memory/transfer/rows/import_report.h"

#include <algorithm>

#include "lib/api/memory_api.h"
#include "lib/base/text/text.h"
#include "memory/store/traces.h"

namespace memory {

using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr size_t kListedErrors = 10'000;
constexpr const char* kHint =
    "imported text has the trust class import: searches find it, prompts do not get it; if you "
    "trust it, import it again with trust=user, or set memory.injectUntrusted in the policy";

bool IsText(const Json& json) {
  if (json.is_string()) {
    const std::string& text = json.get_ref<const std::string&>();
    return base::IsUtf8(text) && text.find('\0') == text.npos;
  }
  if (!json.is_structured()) return true;
  return std::all_of(json.begin(), json.end(), [](const Json& value) { return IsText(value); });
}

}  // namespace

void HoldOrigin(std::string& origin, const ImportOptions& options, bool administrator) {
  if (!api::IsOrigin(origin)) origin = api::kOriginAgent;
  if (options.vouched && origin == api::kOriginImport) origin = api::kOriginUser;
  if (!administrator) origin = api::LowerOrigin(origin, api::kOriginAgent);
}

Status CheckTexts(const Json& json) {
  if (IsText(json)) return {};
  return Error{base::Code::kInvalid, "a text is not UTF-8, or holds a NUL"};
}

Result<bool> IsNew(EdgeTaken outcome) {
  if (outcome != EdgeTaken::kFull) return outcome == EdgeTaken::kNew;
  return Error{base::Code::kFull,
               "its trace has " + std::to_string(kMaxTraceEdges) + " edges, which is the limit"};
}

void ImportReport::Count(Imported::Outcome outcome, const std::string& origin) {
  const bool fresh = outcome == Imported::kNew;
  skipped_ += !fresh;
  skipped_deleted_ += outcome == Imported::kSkippedDeleted;
  raised_ += outcome == Imported::kRaised;
  not_injected_ += fresh && api::LowerOrigin(origin, api::kOriginImport) == origin;
}

void ImportReport::List(Json error, const Json& where) {
  if (errors_.size() >= kListedErrors) {
    ++errors_left_out_;
    return;
  }
  if (where.is_object()) error.update(where);
  errors_.push_back(std::move(error));
}

void ImportReport::Refuse(const char* kind, const GivenPlace& place, const Error& error) {
  List({{"kind", kind}, {"index", place.index}, {"error", error.message}}, place.where);
}

void ImportReport::Change(const char* kind, const GivenPlace& place, const std::string& problem) {
  List({{"kind", kind}, {"index", place.index}, {"error", problem}, {"kept", true}}, place.where);
}

void ImportReport::Tell(const std::string& what, const GivenPlace& place, bool kept) {
  List({{"kind", "part"}, {"index", place.index}, {"error", what}, {"kept", kept}}, place.where);
}

void ImportReport::AddTo(Json& report, bool as_lines) const {
  Json errors = errors_;
  if (as_lines) {
    for (Json& error : errors)
      error = error["kind"].get<std::string>() + " " + error["index"].dump() + ": " +
              error["error"].get<std::string>();
  }
  report["errors"] = std::move(errors);
  report["skipped"] = skipped_;
  if (skipped_deleted_ > 0) report["skipped_deleted"] = skipped_deleted_;
  if (raised_ > 0) report["raised"] = raised_;
  if (not_injected_ > 0) {
    report["not_injected"] = not_injected_;
    report["hint"] = kHint;
  }
  if (errors_left_out_ > 0) report["errors_left_out"] = errors_left_out_;
}

}  // namespace memory
