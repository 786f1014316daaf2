// Decodes, calls the store, encodes.
#include <algorithm>

#include "lib/conversation/working/fields.h"
#include "lib/telemetry/instrument.h"
#include "memory/api/handlers.h"
#include "memory/api/list_answer.h"
#include "memory/api/revision.h"
#include "memory/api/validate.h"
#include "memory/model/marks.h"
#include "memory/store/answer_limit.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;
using http::ErrorResponse;
using http::JsonResponse;
using http::Request;
using http::Response;

namespace {

// Hides rows that the viewer may not see, like missing ids.
Result<int64_t> SeenId(const Api& api, const Request& request, std::string_view text) {
  ASSIGN_OR_RETURN(const int64_t id, IdOf(text));
  ASSIGN_OR_RETURN(const auto viewer, ViewerOf(request));
  if (!viewer) return id;
  ASSIGN_OR_RETURN(const bool seen, api.store.IsSeenBy(*viewer, id));
  if (!seen) return Error{Code::kNotFound, "there is no observation " + std::to_string(id)};
  return id;
}

Response KeyReused(const Saved& earlier) {
  return JsonResponse(422,
                      {{"error",
                        "the Idempotency-Key of this request came before with another body, which "
                        "became observation " +
                            std::to_string(earlier.id) +
                            "; nothing was stored: send another body with a new key, and the same "
                            "body to repeat the earlier write"},
                       {"code", api::kKeyReused}});
}

Response PostObservation(const Api& api, const Request& request) {
  Result<Saved> saved = [&]() -> Result<Saved> {
    ASSIGN_OR_RETURN(std::string key, IdempotencyKeyOf(request));
    ASSIGN_OR_RETURN(Json body, ObjectBody(request));
    ASSIGN_OR_RETURN(api::NewObservation made, api::DecodeNewObservation(body));
    made.tags = WithoutMarks(std::move(made.tags));               // only PATCH sets them
    const auto span = telemetry::ChildOf(request, "store.save");  // with the wait for the sync
    return api.store.Save(made, RequestKey(key, api.caller), api.clock.NowMs());
  }();
  if (!saved) return ErrorResponse(saved.error());
  std::string action = saved->replayed ? "replayed" : saved->action;
  if (saved->key_reused) action = "key_reused";
  api.metrics.Count("agent_memory_server_writes_total", {{"action", action}});
  if (saved->key_reused) return KeyReused(*saved);
  Response response = JsonResponse(201, {{"id", saved->id},
                                         {"action", saved->action},
                                         {"revision_count", saved->revision_count},
                                         {"duplicate_count", saved->duplicate_count}});
  if (saved->replayed) response.headers.Set("Idempotency-Replayed", "true");
  return response;
}

Response RecentObservations(const Api& api, const Request& request) {
  size_t limit = 0;
  auto page = [&]() -> Result<std::vector<api::Observation>> {
    ASSIGN_OR_RETURN(Filter filter, FilterOf(request, 20));
    ASSIGN_OR_RETURN(filter.before, RowCursor(request));
    filter.stop = request.client_gone;
    limit = filter.limit++;
    return api.store.Recent(filter);
  }();
  return PageAnswer(std::move(page), limit, api::EncodeObservation);
}

Response GetObservation(const Api& api, const Request& request) {
  return Answer(200, [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(int64_t id, SeenId(api, request, request.parameters.at("id")));
    ASSIGN_OR_RETURN(auto revision, NumberParameter(request, "revision"));
    ASSIGN_OR_RETURN(api::Observation row,
                     revision ? api.store.GetRevision(id, *revision) : api.store.Get(id));
    return api::EncodeObservation(row);
  }());
}

Response GetRevisions(const Api& api, const Request& request) {
  auto page = [&]() -> Result<std::vector<Revision>> {
    ASSIGN_OR_RETURN(int64_t id, SeenId(api, request, request.parameters.at("id")));
    ASSIGN_OR_RETURN(auto before, NumberParameter(request, "cursor"));
    ASSIGN_OR_RETURN(size_t limit, CountParameter(request, "limit", api::kMaxRows));
    return api.store.Revisions(id, before.value_or(INT64_MAX), limit);
  }();
  if (!page) return ErrorResponse(page.error());
  Response response = JsonResponse(200, Encode(*page, EncodeRevision));
  if (AnswerBytes(*page) > kAnswerBytes) response.headers.Set("X-Partial", "true");
  // No page exists before the first revision; a page whose revisions retention removed is empty.
  if (!page->empty() && page->front().revision > 1) {
    response.headers.Set("X-Partial", "true");
    response.headers.Set("X-Next-Cursor", std::to_string(page->front().revision));
  }
  return response;
}

Response PatchObservation(const Api& api, const Request& request) {
  const Result<Json> changed = [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(int64_t id, SeenId(api, request, request.parameters.at("id")));
    ASSIGN_OR_RETURN(Json body, ObjectBody(request));
    ASSIGN_OR_RETURN(Patch patch, DecodePatch(body));
    ASSIGN_OR_RETURN(patch.if_revision,
                     conversation::DecodeIfMatch(request.headers.Get("If-Match")));
    ASSIGN_OR_RETURN(api::Observation row, api.store.Update(id, patch, api.clock.NowMs()));
    return api::EncodeObservation(row);
  }();
  // The only conflict of a change.
  if (!changed && changed.error().code == Code::kConflict)
    return JsonResponse(412, {{"error", changed.error().message}, {"code", "precondition_failed"}});
  return Answer(200, changed);
}

Response RestoreObservation(const Api& api, const Request& request) {
  return Answer(200, [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(int64_t id, SeenId(api, request, request.parameters.at("id")));
    ASSIGN_OR_RETURN(api::Observation row, api.store.Restore(id));
    return api::EncodeObservation(row);
  }());
}

Response HiddenObservations(const Api& api, const Request& request) {
  size_t limit = 0;
  auto rows = [&]() -> Result<std::vector<HiddenRow>> {
    ASSIGN_OR_RETURN(Filter filter, FilterOf(request, 20));
    filter.stop = request.client_gone;
    limit = filter.limit++;
    return api.store.HiddenRows(filter);
  }();
  if (!rows) return ErrorResponse(rows.error());
  size_t bytes = 0;
  for (const HiddenRow& one : *rows) bytes += AnswerBytes(one.row);
  const bool more = rows->size() > limit || bytes > kAnswerBytes;
  if (rows->size() > limit) rows->resize(limit);
  Json list = Json::array();
  for (const HiddenRow& one : *rows) {
    list.push_back(api::EncodeObservation(one.row));
    list.back()["hidden_at"] = base::FormatTime(one.hidden_ms);
  }
  Response response = JsonResponse(200, list);
  if (more) response.headers.Set("X-Partial", "true");
  return response;
}

// What a person can do with a text that quotes an erased row.
const char* RemedyOf(const std::string& kind) {
  constexpr std::pair<const char*, const char*> kRemedies[] = {
      {"observation", "DELETE /observations/{id}?hard=true, or PATCH its text"},
      {"hidden observation", "DELETE /observations/{id}?hard=true"},
      {"revision", "DELETE /observations/{id}?hard=true erases the memory with its revisions"},
      {"item", "PUT or DELETE /items/{key}"},
      {"turn", "it loses its text when its facts are found, and goes after 7 days"},
      {"message", "DELETE /conversations/{id}"},
      {"shared", "its Agent replaces or deletes it: DELETE /shared/{agent}/{key}"}};
  for (const auto& [name, remedy] : kRemedies)
    if (kind == name) return remedy;
  return "";
}

Json EncodePlaces(const QuotingPlaces& places) {
  Json left = Json::array();
  for (const QuotingPlace& one : places.rows)
    left.push_back({{"place", one.kind}, {"name", one.name}, {"how", RemedyOf(one.kind)}});
  // For the one who erases, who has copies of these texts elsewhere.
  Json answer = {{"left", std::move(left)}, {"titles", places.titles}, {"texts", places.texts}};
  if (places.partial) answer["partial"] = true;
  return answer;
}

Response DeleteObservation(const Api& api, const Request& request) {
  QuotingPlaces places;
  bool report = false;
  Status deleted = [&]() -> Status {
    ASSIGN_OR_RETURN(int64_t id, SeenId(api, request, request.parameters.at("id")));
    ASSIGN_OR_RETURN(bool hard, FlagParameter(request, "hard"));
    ASSIGN_OR_RETURN(report, FlagParameter(request, "report"));
    report = report && hard;
    ASSIGN_OR_RETURN(const auto viewer, ViewerOf(request));
    if (report) {
      ASSIGN_OR_RETURN(places, api.store.QuotesOf(id, viewer, api.administrator));
    }
    return api.store.Delete(id, hard, api.clock.NowMs());
  }();
  if (!deleted) return ErrorResponse(deleted.error());
  return report ? JsonResponse(200, EncodePlaces(places)) : http::EmptyResponse(204);
}

// The rows of one session around a row: the requested numbers before and after it.
struct Window {
  std::vector<api::Observation> rows;
  bool earlier = false, later = false;  // more rows exist
  bool cut = false;                     // at the limit of an answer
};

// `rows`: with one more on each side than requested, if it exists. `middle`: the number of rows
// before the requested one.
Window CutWindow(std::vector<api::Observation> rows, size_t middle, size_t before, size_t after) {
  Window window;
  // Each side has half of the answer.
  size_t sides[2] = {0, 0};
  for (size_t i = 0; i < rows.size(); ++i) sides[i < middle ? 0 : 1] += AnswerBytes(rows[i]);
  window.earlier = middle > before || sides[0] > kAnswerBytes / 2;
  window.later = rows.size() - middle > after || sides[1] > kAnswerBytes / 2;
  window.cut = std::max(sides[0], sides[1]) > kAnswerBytes / 2;
  if (rows.size() - middle > after) rows.resize(middle + after);
  if (middle > before)
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(middle - before));
  window.rows = std::move(rows);
  return window;
}

Result<Window> WindowOf(const Api& api, const Request& request) {
  std::optional<std::string> text = TextParameter(request, "observation_id");
  if (!text) return Error{Code::kInvalid, "observation_id is required"};
  ASSIGN_OR_RETURN(int64_t id, SeenId(api, request, *text));
  ASSIGN_OR_RETURN(const auto viewer, ViewerOf(request));
  ASSIGN_OR_RETURN(auto cursor, TimelineCursor(request));
  if (cursor) {
    ASSIGN_OR_RETURN(size_t limit, CountParameter(request, "limit", 20));
    const size_t before = cursor->later ? 0 : limit + 1, after = cursor->later ? limit + 1 : 0;
    ASSIGN_OR_RETURN(auto rows, api.store.Timeline(id, before, after, cursor->id, viewer));
    const size_t middle = cursor->later ? 0 : rows.size();
    Window window = CutWindow(std::move(rows), middle, limit, limit);
    window.cut = window.cut || window.earlier || window.later;
    return window;
  }
  ASSIGN_OR_RETURN(size_t before, CountParameter(request, "before", 3));
  ASSIGN_OR_RETURN(size_t after, CountParameter(request, "after", 3));
  ASSIGN_OR_RETURN(auto rows, api.store.Timeline(id, before + 1, after + 1, {}, viewer));
  const auto asked = std::find_if(rows.begin(), rows.end(),
                                  [&](const api::Observation& row) { return row.id == id; });
  const auto middle = static_cast<size_t>(asked - rows.begin());
  return CutWindow(std::move(rows), middle, before, after + 1);
}

Response Timeline(const Api& api, const Request& request) {
  const Result<Window> window = WindowOf(api, request);
  if (!window) return ErrorResponse(window.error());
  Response response = JsonResponse(200, Encode(window->rows, api::EncodeObservation));
  if (window->cut) response.headers.Set("X-Partial", "true");
  if (window->rows.empty()) return response;
  if (window->earlier) {
    response.headers.Set("X-Previous-Cursor", CursorOf({false, window->rows.front().id}));
  }
  if (window->later)
    response.headers.Set("X-Next-Cursor", CursorOf({true, window->rows.back().id}));
  return response;
}

}  // namespace

HandlerTable ObservationHandlers() {
  return {
      {"save_observation", PostObservation},
      {"list_observations", RecentObservations},
      {"list_hidden", HiddenObservations},
      {"restore_observation", RestoreObservation},
      {"get_observation", GetObservation},
      {"change_observation", PatchObservation},
      {"delete_observation", DeleteObservation},
      {"list_revisions", GetRevisions},
      {"get_timeline", Timeline},
  };
}

}  // namespace memory
