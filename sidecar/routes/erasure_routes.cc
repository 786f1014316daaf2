// Reads the tables in pieces between writes, and rewrites the rows that quote.
#include "sidecar/routes/erasure_routes.h"

#include <utility>

#include "lib/base/process/log.h"
#include "sidecar/outbox/dead_letters.h"
#include "sidecar/outbox/outbox.h"
#include "sidecar/routes/handlers.h"
#include "sidecar/tables/erasure.h"

namespace sidecar {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Quotes;
using base::Result;
using base::Status;

constexpr size_t kMostTexts = 200, kMostBodyBytes = 8 << 20;

Result<Quotes> DecodeTexts(const std::string& text) {
  ASSIGN_OR_RETURN(const Json body, base::ParseJson(text));
  const auto texts = body.is_object() ? body.find("texts") : body.end();
  if (texts == body.end() || !texts->is_array() || texts->empty() || texts->size() > kMostTexts) {
    return Error{Code::kInvalid, R"(the body must be {"texts": ["…"]}, the 1 to )" +
                                     std::to_string(kMostTexts) + " texts that were erased"};
  }
  Quotes quotes;
  for (const Json& one : *texts) {
    if (!one.is_string()) return Error{Code::kInvalid, "texts must be strings"};
    quotes.AddContent(one.get_ref<const std::string&>());
  }
  if (const auto titles = body.find("titles"); titles != body.end()) {
    if (!titles->is_array() || titles->size() > kMostTexts)
      return Error{Code::kInvalid,
                   "titles must be a list of at most " + std::to_string(kMostTexts) + " strings"};
    for (const Json& one : *titles) {
      if (!one.is_string()) return Error{Code::kInvalid, "titles must be strings"};
      quotes.AddTitle(one.get_ref<const std::string&>());
    }
  }
  return quotes;
}

}  // namespace

std::vector<http::Route> ErasureRoutes::Routes() {
  return {{"POST", "/v1/erase", JsonHandler(this, &ErasureRoutes::Erase), kMostBodyBytes}};
}

// A write of the text itself is discarded; of other writes the quote goes.
Status ErasureRoutes::EraseOutbox(const Quotes& quotes, Json& erased) {
  int64_t after = 0, discarded = 0, rewritten = 0;
  for (;;) {
    ASSIGN_OR_RETURN(const auto bodies,
                     state_.Read([&](sqlite::Database& db) { return ReadBodies(db, after); }));
    if (bodies.empty()) break;
    after = bodies.back().sequence;
    for (const OutboxBody& row : bodies) {
      const auto without = WithoutQuotes(quotes, row.body);
      if (!without) continue;
      const bool whole = row.kind == "observation" || row.kind == kIngestKind;
      RETURN_IF_ERROR(state_.Change(
          [&](sqlite::Database& db) -> Status {
            if (!whole) return ReplaceBody(db, row.sequence, *without);
            return row.dead ? DiscardDeadLetter(db, row.sequence)
                            : DiscardPending(db, row.sequence);
          },
          State::Space::kFrees));
      ++(whole ? discarded : rewritten);
    }
  }
  if (discarded > 0) erased["writes discarded"] = discarded;
  if (rewritten > 0) erased["writes"] = rewritten;
  return {};
}

Result<Json> ErasureRoutes::Erase(const http::Request& request) {
  const auto policy = policies_.Current();
  if (!allowed_ && (!policy || !policy->policy.allow_admin)) {
    return Error{Code::kDenied,
                 "the policy of this agent does not allow to erase "
                 "(memory.allowAdmin)"};
  }
  ASSIGN_OR_RETURN(const Quotes quotes, DecodeTexts(request.body));
  Json erased = Json::object(), left = Json::array();
  // First what would be sent.
  RETURN_IF_ERROR(EraseOutbox(quotes, erased));
  for (const QuotedTable& table : QuotedTables()) {
    int64_t rows = 0;
    for (QuotedPiece piece; !piece.end;) {
      ASSIGN_OR_RETURN(piece, state_.Read([&](sqlite::Database& db) {
        return FindQuotes(db, table, quotes, piece.last);
      }));
      rows += std::ssize(piece.rows);
      if (table.write == nullptr) continue;
      for (const int64_t row : piece.rows) {
        RETURN_IF_ERROR(state_.Change(
            [&](sqlite::Database& db) { return EraseFromRow(db, table, quotes, row); },
            State::Space::kFrees));
      }
    }
    if (rows == 0) continue;
    if (table.write != nullptr)
      erased[table.name] = rows;
    else
      left.push_back(
          {{"place", table.name}, {"rows", rows}, {"why", table.why}, {"how", table.how}});
  }
  ASSIGN_OR_RETURN(const int64_t answers, state_.Write<int64_t>(
                                              [&](sqlite::Database& db) -> Result<int64_t> {
                                                return EraseAnswers(db, quotes);
                                              },
                                              State::Space::kFrees));
  if (answers > 0) erased["answers"] = answers;
  RETURN_IF_ERROR(state_.EmptyLog());
  base::LogInfo("quotes of an erased memory were removed", {{"kinds", std::ssize(erased)}});
  return Json{{"erased", std::move(erased)}, {"left", std::move(left)}};
}

}  // namespace sidecar
