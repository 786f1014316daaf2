// Decodes rows strictly or softly, and commits the batches in the order in which rows need each
// other.
#include "memory/transfer/rows/importer.h"

#include <algorithm>
#include <utility>

#include "lib/base/json/stored.h"
#include "lib/base/text/text.h"
#include "memory/api/revision.h"
#include "memory/transfer/rows/agentos_rows.h"
#include "memory/transfer/rows/foreign_rows.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr size_t kBatchRows = 256;
constexpr size_t kBatchBytes = 1 << 20;

// An observation, whose texts may be those of a file.
Result<ExportedRow> DecodeChecked(const Json& json) {
  RETURN_IF_ERROR(CheckTexts(json));
  return DecodeRow(json);
}

// The row's trace (EpisodeOfFields), which is strong from its import on.
std::optional<ExportedTrace> TraceOf(const Json& row, const TraceContext& context, int64_t now_ms) {
  if (!row.contains("trace")) return std::nullopt;
  ExportedTrace trace;
  trace.scope = base::StringAt(row, {"trace", "scope"}, kUserScope);
  trace.scope_id = context.ScopeId(trace.scope);
  trace.strength.accessed_ms = now_ms;
  trace.metadata = row["trace"].value("metadata", Json::object());
  return trace;
}

}  // namespace

Importer::Importer(RowTarget to, const ImportOptions& options, bool administrator,
                   std::unique_ptr<conversation::Host> conversations, TraceContext context)
    : to_(std::move(to)),
      options_(options),
      administrator_(administrator),
      context_(context),
      conversations_(std::move(conversations)),
      aegis_(*conversations_),
      agentos_(
          to_.store, options, administrator, std::move(context), *conversations_, report_,
          [this](const std::string& array, const Json& element) { return Keep(array, element); }) {
  for (const KindRow& row : KindRows())
    imports_.push_back(row.begin_import ? row.begin_import(row.name) : nullptr);
}

Status Importer::SetFormat(const Json& format) {
  if (format != kExportFormat) {
    return Error{Code::kInvalid,
                 std::string("format must be \"") + kExportFormat + "\", or absent"};
  }
  ours_ = true;
  return {};
}

Status Importer::Take(RowKind kind, const Json& json, const Json& where) {
  RowImport* const rows = ImportOf(kind);
  if (rows == nullptr) return TakeObservation(json, where);
  batch_bytes_ += base::WeightOf(json);
  return FlushIfFull(rows->Take(json, where, report_));
}

Status Importer::TakeAegis(const std::string& key, const Json& hash, const Json& where) {
  if (hash.is_array()) return {};
  batch_bytes_ += base::WeightOf(hash);
  return FlushIfFull(hashes_.Take(
      hash, where,
      [&](const Json& json) -> Result<conversation::AegisHash> {
        return conversation::AegisHash{key, json};
      },
      report_));
}

Status Importer::TakeEdge(NumberedEdge edge) {
  numbered_edges_.Add(std::move(edge), {numbered_edges_.given++, Json()});
  return FlushIfFull(numbered_edges_.rows.size());
}

Status Importer::TakeObservation(const Json& json, const Json& where) {
  GivenPlace place{observations_.given++, where};
  Result<ExportedRow> decoded = DecodeChecked(json);
  if (decoded) return Add(*std::move(decoded), std::move(place), Manner::kStrict);
  report_.Refuse(observations_.kind, place, decoded.error());
  return {};
}

Status Importer::TakeForeign(const Json& json, const Json& where) {
  return TakeSoft(json, where, true);
}

Status Importer::TakeNote(const Json& json, const Json& where) {
  return TakeSoft(json, where, false);
}

Status Importer::TakeForeignSession(Json json, const Json& where) {
  for (const std::string& problem : SoftenSession(json))
    report_.Change("session", {given(RowKind::kSession), where}, problem);
  return Take(RowKind::kSession, json, where);
}

Status Importer::TakeSoft(const Json& json, const Json& where, bool foreign) {
  Json row = json;
  std::vector<std::string> problems;
  std::vector<std::string> parts(1);
  if (!DecodeChecked(row)) {
    row = SoftenedRow(std::move(row), problems);
    parts = PartsOfText(row["content"].get<std::string>());
  }
  const std::string title = base::StringAt(row, {"title"});
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts.size() > 1) {
      const std::string of =
          " (" + std::to_string(i + 1) + " of " + std::to_string(parts.size()) + ")";
      row["content"] = parts[i];
      row["title"] = base::Ellipsize(title, api::kMaxTitle - of.size()) + of;
      if (i > 0) row.erase("topic_key"), row.erase("id");
    }
    GivenPlace place{observations_.given++, where};
    Result<ExportedRow> decoded = DecodeChecked(row);
    if (!decoded) {
      report_.Refuse(observations_.kind, place, decoded.error());
      continue;
    }
    if (foreign) {
      decoded->row.source.origin = api::kOriginImport;
      decoded->trace = TraceOf(row, context_, options_.now_ms);
    }
    for (const std::string& problem : std::exchange(problems, {}))
      report_.Change(observations_.kind, place, problem);
    RETURN_IF_ERROR(Add(*std::move(decoded), std::move(place), Manner::kSoft));
  }
  return {};
}

Status Importer::Keep(const std::string& array, const Json& element) {
  for (const Json& json : KeptRows(array, element, context_.project)) {
    GivenPlace place{observations_.given++, Json()};
    Result<ExportedRow> row = DecodeChecked(json);
    if (row)
      RETURN_IF_ERROR(Add(*std::move(row), std::move(place), Manner::kKept));
    else
      report_.Refuse(array.c_str(), place, row.error());
  }
  return {};
}

Status Importer::Add(ExportedRow given, GivenPlace place, Manner manner) {
  api::Observation& row = given.row;
  if (!ours_) row.duplicate_count = std::max<int64_t>(0, row.duplicate_count - 1);
  HoldOrigin(row.source.origin, options_, administrator_);
  batch_bytes_ += row.content.size();
  for (Revision& old : given.revisions) {
    if (!administrator_) old.origin = api::LowerOrigin(old.origin, api::kOriginAgent);
    batch_bytes_ += old.content.size();
  }
  if (given.trace) batch_bytes_ += base::WeightOf(given.trace->metadata);
  observations_.Add(std::move(given), std::move(place));
  manners_.push_back(manner);
  return FlushIfFull(observations_.rows.size());
}

void Importer::RefuseObservation(const Error& error, const Json& where) {
  report_.Refuse(observations_.kind, {observations_.given++, where}, error);
}

void Importer::SkipObservation() {
  ++observations_.given;
  report_.Skip();
}

void Importer::RefuseEdges(const Error& error, const Json& where) {
  report_.Refuse(numbered_edges_.kind, {numbered_edges_.given++, where}, error);
}

Status Importer::FlushIfFull(size_t rows) {
  return rows < kBatchRows && batch_bytes_ < kBatchBytes ? Status() : Flush();
}

Status Importer::Flush() {
  for (const auto& rows : imports_)
    RETURN_IF_ERROR(rows ? rows->Flush(to_, report_) : FlushObservations());
  RETURN_IF_ERROR(numbered_edges_.Flush(
      [&](const auto& edges) { return to_.store.traces().Import(edges); }, report_));
  RETURN_IF_ERROR(
      hashes_.Flush([&](const auto& hashes) { return aegis_.Import(hashes); }, report_));
  batch_bytes_ = 0;
  return {};
}

Status Importer::Finish() {
  RETURN_IF_ERROR(Flush());
  RETURN_IF_ERROR(agentos_.Finish());
  return Flush();  // what that kept
}

Status Importer::FlushObservations() {
  if (observations_.rows.empty()) return {};
  ASSIGN_OR_RETURN(Store::ImportOutcomes outcomes, to_.store.Import(observations_.rows, options_));
  std::vector<size_t> again;
  std::vector<ExportedRow> detached;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    ExportedRow& row = observations_.rows[i];
    if (!outcomes[i] && manners_[i] == Manner::kSoft && Detach(row.row)) {
      report_.Change(observations_.kind, observations_.places[i],
                     outcomes[i].error().message + ": it is taken without them");
      again.push_back(i);
      detached.push_back(row);
      continue;
    }
    CountObservation(outcomes[i], i);
  }
  if (!again.empty()) {
    ASSIGN_OR_RETURN(outcomes, to_.store.Import(detached, options_));
    for (size_t i = 0; i < outcomes.size(); ++i) CountObservation(outcomes[i], again[i]);
  }
  observations_.Clear();
  manners_.clear();
  return {};
}

void Importer::CountObservation(const Result<Imported>& outcome, size_t of_batch) {
  const GivenPlace& place = observations_.places[of_batch];
  if (!outcome) return report_.Refuse(observations_.kind, place, outcome.error());
  const bool is_new = outcome->outcome == Imported::kNew;
  if (manners_[of_batch] == Manner::kKept) {
    kept_ += is_new;
    if (!is_new) report_.Skip();
    return;
  }
  observations_.imported += is_new;
  report_.Count(outcome->outcome, observations_.rows[of_batch].row.source.origin);
  if (!keeps_numbers_) return;
  numbers_.resize(std::max(numbers_.size(), place.index + 1));
  numbers_[place.index] = outcome->observation;
}

size_t Importer::given(RowKind kind) const {
  const RowImport* const rows = ImportOf(kind);
  return rows ? rows->given() : observations_.given;
}

bool Importer::any() const {
  return agentos_.any() ||
         std::ranges::any_of(KindRows(), [&](const KindRow& row) { return given(row.kind()) > 0; });
}

Json Importer::Report() const {
  Json report = {{"imported", observations_.imported + agentos_.traces()},
                 {"imported_sessions", 0},
                 {"imported_observations", observations_.imported}};
  report_.AddTo(report, agentos_.any());
  const auto add = [&](const std::string& name, size_t given, int64_t imported) {
    if (given > 0) report[name] = report.value(name, int64_t{0}) + imported;
  };
  for (const KindRow& row : KindRows())
    if (const RowImport* const rows = ImportOf(row.kind()))
      add("imported_" + Plural(row.name), rows->given(), rows->imported());
  add("imported_edges", numbered_edges_.given, numbered_edges_.imported);
  add("imported_aegis", hashes_.given, hashes_.imported);
  add("imported_kept", static_cast<size_t>(kept_), kept_);
  agentos_.AddTo(report);
  return report;
}

}  // namespace memory
