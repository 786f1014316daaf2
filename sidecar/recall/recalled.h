// Recalled sessions and memories as values, read from the server's rows. recall.h calls the server,
// prompt.h renders. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/api/policy.h"
#include "lib/base/json/json.h"
#include "lib/conversation/ledger_item.h"

namespace sidecar {

inline constexpr int kRecalledSessions = 3;

struct RecalledSession {
  std::string id;  // of the memory session; may be empty
  std::string summary;
};

struct RecalledItem {
  int64_t id = 0;
  std::string type, title, content;
  std::string session;     // memory session that wrote it
  int64_t created_ms = 0;  // 0: the server does not say
  std::string trust;       // user, agent, rule, tool-output, import
  std::string tool, rule;  // the source; may be empty, or invented by an agent
  std::string method;      // fts5_bm25, embedding, fused, recency, due
  std::string revision;    // changes with the memory
  double rank = 0;
  bool buried = false;  // a person keeps it out of prompts
  // {lexical, similarity, soft, session, answer}, the parts of the rank that the server names; null
  // if it ranked by words alone.
  base::Json scores;
};

struct Recalled {
  std::vector<RecalledSession> sessions;
  std::vector<RecalledItem> items;
  std::string outcome = "ok";  // ok | off | unavailable | timeout | breaker_open
};

// The memory sessions that are recalled, or wrote what is recalled.
std::set<std::string> SessionIds(const Recalled& recalled);

// The ledger entry of a session or an item.
conversation::LedgerItem LedgerItemOf(const RecalledSession& session);
conversation::LedgerItem LedgerItemOf(const RecalledItem& item);

// The conversation has the item already, in this version.
bool IsInLedger(const conversation::Ledger& ledger, const conversation::LedgerItem& item);

// Read a row of the server, a list of rows, the sessions of GET /context. Missing fields are empty;
// a row without a trust class has the class agent.
RecalledItem ReadItem(const base::Json& row);
std::vector<RecalledItem> ReadItems(const base::Json& rows);
std::vector<RecalledSession> ReadSessions(const base::Json& answer);

// The due traces of GET /context; their title says since when they are due.
std::vector<RecalledItem> ReadDue(const base::Json& answer);

// The record of a recall, without contents: [{id, revision, rank, method, type, title, trust,
// injected}], with scores where there are any.
base::Json EncodeItems(const std::vector<RecalledItem>& found,
                       const std::vector<RecalledItem>& injected);

// True when items of this trust class may be injected without a request of the model.
bool MayInject(const api::Policy& policy, std::string_view trust);

}  // namespace sidecar
