// Reads rows of GET /context and GET /search.
#include "sidecar/recall/recalled.h"

#include <algorithm>
#include <utility>

#include "lib/api/marks.h"
#include "lib/api/memory_api.h"
#include "lib/base/process/clock.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace sidecar {
namespace {

using base::Json;

std::string TextOf(const Json& object, const char* field) {
  return base::StringAt(object, {field});
}

// The field as text, whatever its type (revision counters are numbers); empty: absent or null.
std::string ScalarOf(const Json& object, const char* field) {
  auto found = object.find(field);
  if (found == object.end() || found->is_null()) return {};
  return found->is_string() ? found->get<std::string>() : base::DumpJson(*found);
}

// Rows of the reference server have no trust class and count as an agent's.
std::string TrustOf(const Json& row) {
  if (std::string trust = TextOf(row, "trust"); !trust.empty()) return trust;
  const std::string origin = base::StringAt(row, {"source", "origin"});
  return origin.empty() ? api::kOriginAgent : origin;
}

// Keeps only the numbers of the known scores.
Json ScoresOf(const Json& row) {
  Json scores;
  for (const char* name : {"lexical", "similarity", "soft", "session", "answer"}) {
    const Json* score = base::At(row, {"scores", name});
    if (score != nullptr && score->is_number()) scores[name] = *score;
  }
  return scores;
}

}  // namespace

std::set<std::string> SessionIds(const Recalled& recalled) {
  std::set<std::string> ids;
  for (const RecalledSession& session : recalled.sessions) ids.insert(session.id);
  for (const RecalledItem& item : recalled.items) ids.insert(item.session);
  ids.erase("");
  return ids;
}

conversation::LedgerItem LedgerItemOf(const RecalledSession& session) {
  return {"session:" +
          (session.id.empty() ? base::Sha256Hex(session.summary).substr(0, 16) : session.id)};
}

conversation::LedgerItem LedgerItemOf(const RecalledItem& item) {
  return {"observation:" + std::to_string(item.id), item.revision};
}

bool IsInLedger(const conversation::Ledger& ledger, const conversation::LedgerItem& item) {
  const auto found = ledger.find(item.name);
  return found != ledger.end() &&
         (found->second == item.value || found->second == conversation::kInjected);
}

RecalledItem ReadItem(const Json& row) {
  RecalledItem item;
  if (auto id = row.find("id"); id != row.end() && id->is_number_integer()) item.id = *id;
  item.type = TextOf(row, "type");
  item.title = TextOf(row, "title");
  item.content = std::string(base::Prefix(TextOf(row, "content"), api::kContextCharacters));
  item.session = TextOf(row, "session_id");
  item.created_ms = base::ParseTime(TextOf(row, "created_at")).value_or(0);
  item.trust = TrustOf(row);
  item.tool = base::StringAt(row, {"source", "tool"});
  item.rule = base::StringAt(row, {"source", "rule"});
  if (item.tool.empty()) item.tool = TextOf(row, "source");  // of the reference server
  item.method = TextOf(row, "method");
  item.revision = ScalarOf(row, "revision_count");
  // Without a counter, the hash of the text is the revision.
  if (item.revision.empty()) {
    item.revision = base::Sha256Hex(item.title + "\n" + item.content).substr(0, 12);
  }
  if (auto rank = row.find("rank"); rank != row.end() && rank->is_number()) item.rank = *rank;
  if (auto tags = row.find("tags"); tags != row.end() && tags->is_array())
    item.buried = std::find(tags->begin(), tags->end(), api::kBuriedTag) != tags->end();
  item.scores = ScoresOf(row);
  return item;
}

std::vector<RecalledItem> ReadItems(const Json& rows) {
  std::vector<RecalledItem> items;
  if (!rows.is_array()) return items;
  for (const Json& row : rows) {
    if (row.is_object()) items.push_back(ReadItem(row));
  }
  return items;
}

std::vector<RecalledItem> ReadDue(const Json& answer) {
  std::vector<RecalledItem> due;
  const Json* rows = base::At(answer, {"due"});
  if (rows == nullptr || !rows->is_array()) return due;
  for (const Json& row : *rows) {
    const Json *id = base::At(row, {"observationId"}), *time = base::At(row, {"remindAt"});
    if (id == nullptr || !id->is_number_integer() || time == nullptr || !time->is_number_integer())
      continue;
    RecalledItem item = ReadItem(row);
    item.id = *id;
    item.title = "due since " + base::FormatTime(*time);
    item.method = "due";
    if (const std::string revision = ScalarOf(row, "revisions"); !revision.empty())
      item.revision = revision;
    due.push_back(std::move(item));
  }
  return due;
}

std::vector<RecalledSession> ReadSessions(const Json& answer) {
  std::vector<RecalledSession> sessions;
  auto rows = answer.find("recent_sessions");
  if (rows == answer.end() || !rows->is_array()) return sessions;
  for (const Json& row : *rows) {
    if (row.is_object()) sessions.push_back({TextOf(row, "id"), TextOf(row, "summary")});
  }
  return sessions;
}

Json EncodeItems(const std::vector<RecalledItem>& found,
                 const std::vector<RecalledItem>& injected) {
  Json items = Json::array();
  for (const RecalledItem& item : found) {
    const bool in = std::any_of(injected.begin(), injected.end(),
                                [&](const RecalledItem& other) { return other.id == item.id; });
    items.push_back({{"id", item.id},
                     {"revision", item.revision},
                     {"rank", item.rank},
                     {"method", item.method},
                     {"type", item.type},
                     {"title", item.title},
                     {"trust", item.trust},
                     {"injected", in}});
    if (!item.scores.is_null()) items.back()["scores"] = item.scores;
  }
  return items;
}

bool MayInject(const api::Policy& policy, std::string_view trust) {
  if (policy.inject_untrusted) return true;
  return trust == api::kOriginUser || trust == api::kOriginAgent || trust == api::kOriginRule;
}

}  // namespace sidecar
