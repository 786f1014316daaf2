// What was recalled: sessions and memories as the server's rows say them, and which of them may be
// injected. Asking the server is recall.h, the text for a prompt is prompt.h. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/api/policy.h"
#include "lib/base/json/json.h"
#include "sidecar/tables/ledger_mark.h"

namespace sidecar {

inline constexpr int kRecalledSessions = 3;

struct RecalledSession {
  std::string id;  // of the memory session; may be empty
  std::string summary;
};

struct RecalledItem {
  int64_t id = 0;
  std::string type, title, content;
  std::string trust;       // user, agent, rule, tool-output, import (rulings K26)
  std::string tool, rule;  // that it came from; may be empty, and an agent may have made them up
  std::string method;      // fts5_bm25, recency
  std::string revision;    // changes when the memory does
  double rank = 0;
};

struct Recalled {
  std::vector<RecalledSession> sessions;
  std::vector<RecalledItem> items;
  std::string outcome = "ok";  // ok | off | unavailable | timeout | breaker_open
};

// Their names in a conversation's ledger.
LedgerMark MarkOf(const RecalledSession& session);
LedgerMark MarkOf(const RecalledItem& item);

// Reads a row of the server, a list of them, the sessions of a GET /context. What is missing is
// empty; a row without a trust class is an agent's (rulings K26).
RecalledItem ReadItem(const base::Json& row);
std::vector<RecalledItem> ReadItems(const base::Json& rows);
std::vector<RecalledSession> ReadSessions(const base::Json& answer);

// The record of what was found: [{id, revision, rank, method, type, title, trust, injected}], no
// contents.
base::Json EncodeItems(const std::vector<RecalledItem>& found,
                       const std::vector<RecalledItem>& injected);

// A conversation's own session is no news to it. At most kRecalledSessions stay.
Recalled WithoutOwnSession(Recalled recalled, const std::string& own);

// True when items of this trust class may be injected by themselves.
bool MayInject(const api::Policy& policy, std::string_view trust);

}  // namespace sidecar
