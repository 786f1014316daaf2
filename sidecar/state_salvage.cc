// A table is read from its beginning and from its end, each up to the first page that cannot be
// read: what lies between is lost.
#include "sidecar/state_salvage.h"

#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/sqlite/examine.h"

namespace sidecar {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

constexpr const char* kFile = "state.db";
constexpr const char* kAside = "state.db.damaged-";
constexpr size_t kKeptFiles = 3;
constexpr int64_t kLongestReadMs = 60'000;
constexpr int64_t kMostTombstones = 100'000;

struct Table {
  const char* name;
  const char* forward;
  const char* backward;
  const char* insert;
};

// The first column of what is read is the place in the file. What is not here is lost with the
// file: answers to repeated events, and what a conversation has already seen (so a memory may be
// injected once more).
#define SALVAGED(table, columns, values)                                            \
  {                                                                                 \
    table, "SELECT rowid, " columns " FROM " table " NOT INDEXED ORDER BY rowid",   \
        "SELECT rowid, " columns " FROM " table " NOT INDEXED ORDER BY rowid DESC", \
        "INSERT OR IGNORE INTO " table "(" columns ") VALUES(" values ")"           \
  }
constexpr Table kTables[] = {
    SALVAGED("outbox",
             "sequence, state, lane, kind, method, path, body, project, origin, destination,"
             " idempotency_key, bytes, created_ms, cause, reason, cause_span",
             "?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?"),
    SALVAGED("conversations",
             "id, memory_session_id, state, created_ms, updated_ms, message_count, turn, fields,"
             " touched",
             "?,?,?,?,?,?,?,?,?"),
    SALVAGED("messages",
             "number, conversation, sequence, role, content, tool_calls, tool_call_id, created_ms",
             "?,?,?,?,?,?,?,?"),
    SALVAGED("memory_sessions",
             "id, conversation, predecessor, after_sequence, summarized_sequence", "?,?,?,?,?"),
    SALVAGED("injections",
             "number, conversation, turn, event, tool_name, tool_use_id, text, query, outcome,"
             " items, policy_digest, created_ms",
             "?,?,?,?,?,?,?,?,?,?,?,?"),
    SALVAGED("audit_log", "number, conversation, event, tool, details, created_ms", "?,?,?,?,?,?"),
    SALVAGED("kept_policy", "only_one, file, loaded_ms", "?,?,?"),
};
#undef SALVAGED

// Messages may have lost their conversation; a write that is no JSON any more is none.
constexpr const char* kMakeWhole = R"sql(
INSERT OR IGNORE INTO conversations(id, created_ms, updated_ms)
  SELECT conversation, min(created_ms), max(created_ms) FROM messages GROUP BY conversation;
UPDATE conversations SET message_count = max(message_count, (SELECT coalesce(max(sequence), 0)
  FROM messages WHERE conversation = conversations.id));
DELETE FROM outbox WHERE body <> '' AND NOT json_valid(body);
)sql";

constexpr int64_t kNoPlace = std::numeric_limits<int64_t>::min();

struct Scan {
  int64_t copied = 0, last = kNoPlace;
  bool whole = false;  // the end was reached
};

// Copies rows until the end, a row that cannot be read, or `stop_at`, the place where the scan from
// the other side ended. An error is the new file's alone.
Result<Scan> CopyRows(sqlite::Database& from, sqlite::Database& to, const char* select,
                      const char* insert, int64_t stop_at) {
  Scan scan;
  auto rows = from.Prepare(select);
  if (!rows) return scan;
  while (true) {
    const auto more = rows->Step();
    if (!more) return scan;
    scan.whole = !*more;
    if (!*more) return scan;
    scan.last = rows->Int(0);
    if (scan.last <= stop_at) return scan;
    ASSIGN_OR_RETURN(auto copy, to.Prepare(insert));
    const Status copied = copy.BindRow(*rows, 1).Run();
    // A row that the schema refuses is a damaged one; a full disk is not the row's fault.
    if (!copied && copied.error().code != Code::kConflict) return copied.error();
    if (copied) scan.copied += to.Changes();
  }
}

Result<int64_t> CopyTable(sqlite::Database& from, sqlite::Database& to, const Table& table) {
  ASSIGN_OR_RETURN(const Scan ahead, CopyRows(from, to, table.forward, table.insert, kNoPlace));
  if (ahead.whole) return ahead.copied;
  ASSIGN_OR_RETURN(const Scan back, CopyRows(from, to, table.backward, table.insert, ahead.last));
  return ahead.copied + back.copied;
}

std::optional<std::map<std::string, int64_t>> ReadCounters(sqlite::Database& from) {
  auto query = from.Prepare("SELECT name, value FROM outbox_totals");
  if (!query) return std::nullopt;
  std::map<std::string, int64_t> counters;
  while (true) {
    const auto more = query->Step();
    if (!more) return std::nullopt;
    if (!*more) break;
    counters[query->Text(0)] = query->Int(1);
  }
  for (const char* name : {"accepted", "delivered", "pending", "dead"}) {
    if (!counters.contains(name)) return std::nullopt;
  }
  return counters;
}

Result<int64_t> Count(sqlite::Database& db, const char* sql) {
  ASSIGN_OR_RETURN(auto query, db.Prepare(sql));
  ASSIGN_OR_RETURN([[maybe_unused]] const bool found, query.Step());
  return query.Int(0);
}

Status AddTombstones(sqlite::Database& db, int64_t count, const std::string& file, int64_t now_ms) {
  for (int64_t i = 0; i < std::min(count, kMostTombstones); ++i) {
    ASSIGN_OR_RETURN(auto insert,
                     db.Prepare("INSERT INTO outbox(state, lane, kind, method, path, body, project,"
                                " origin, destination, idempotency_key, bytes, created_ms, cause,"
                                " reason) VALUES('dead', '', 'lost', '', '', '', '', '', '', '', 0,"
                                " ?, 'damaged', ?)"));
    insert.Bind(now_ms).Bind("could not be read any more from " + file);
    RETURN_IF_ERROR(insert.Run());
  }
  return {};
}

// The counters of the file before, as far as they can be read, so that accepted = delivered +
// pending + dead still holds. → how many writes are lost; nullopt: nobody can know.
Result<std::optional<int64_t>> Settle(sqlite::Database& from, sqlite::Database& to,
                                      const std::string& file, int64_t now_ms) {
  const auto before = ReadCounters(from);
  std::optional<int64_t> lost;
  if (before) {
    ASSIGN_OR_RETURN(const int64_t found, Count(to, "SELECT count(*) FROM outbox"));
    lost = std::max<int64_t>(before->at("pending") + before->at("dead") - found, 0);
    RETURN_IF_ERROR(AddTombstones(to, *lost, file, now_ms));
    ASSIGN_OR_RETURN(auto update, to.Prepare("UPDATE outbox_totals SET value = value + ?"
                                             " WHERE name = 'delivered'"));
    RETURN_IF_ERROR(update.Bind(before->at("delivered")).Run());
  }
  RETURN_IF_ERROR(to.Execute(R"sql(
UPDATE outbox_totals SET value = CASE name
  WHEN 'pending' THEN (SELECT count(*) FROM outbox WHERE state = 'pending')
  WHEN 'dead' THEN (SELECT count(*) FROM outbox WHERE state = 'dead')
  WHEN 'pending_bytes' THEN (SELECT coalesce(sum(bytes), 0) FROM outbox WHERE state = 'pending')
  WHEN 'dead_bytes' THEN (SELECT coalesce(sum(bytes), 0) FROM outbox WHERE state = 'dead')
  ELSE value END;
UPDATE outbox_totals SET value = (SELECT sum(value) FROM outbox_totals
  WHERE name IN ('delivered', 'pending', 'dead')) WHERE name = 'accepted';
)sql"));
  return lost;
}

Status Salvage(sqlite::Database& db, const std::string& directory, const std::string& file) {
  const std::string path = directory + "/" + file;
  const int64_t at_ms = std::atoll(file.c_str() + std::strlen(kAside));
  ASSIGN_OR_RETURN(const auto examined, sqlite::Examine(path));
  ASSIGN_OR_RETURN(auto transaction, sqlite::Transaction::Begin(db));
  RETURN_IF_ERROR(db.Execute("PRAGMA defer_foreign_keys = ON"));
  Json outcome = {
      {"reason", examined.reason}, {"salvaged", Json::object()}, {"lost_writes", nullptr}};
  if (auto from = sqlite::Database::Open(path, {.access = sqlite::Access::kReader}); from) {
    from->SetDeadline(kLongestReadMs);
    for (const Table& table : kTables) {
      ASSIGN_OR_RETURN(outcome["salvaged"][table.name], CopyTable(*from, db, table));
    }
    RETURN_IF_ERROR(db.Execute(kMakeWhole));
    ASSIGN_OR_RETURN(const auto lost, Settle(*from, db, file, at_ms));
    if (lost) outcome["lost_writes"] = *lost;
  }
  ASSIGN_OR_RETURN(auto insert,
                   db.Prepare("INSERT INTO damages(file, at_ms, outcome) VALUES(?,?,?)"));
  RETURN_IF_ERROR(insert.Bind(file).Bind(at_ms).Bind(base::DumpJson(outcome)).Run());
  RETURN_IF_ERROR(transaction.Commit());
  outcome["file"] = path;
  base::LogError("state.db was damaged and set aside; what could be read was taken over", outcome);
  return {};
}

// Oldest first; the names end in the time.
std::vector<std::string> FilesSetAside(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failed)) {
    const std::string name = entry.path().filename();
    const bool number =
        name.starts_with(kAside) &&
        name.find_first_not_of("0123456789", std::strlen(kAside)) == std::string::npos;
    if (number) files.push_back(name);
  }
  std::ranges::sort(files);
  return files;
}

Status Rename(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) == 0 || errno == ENOENT) return {};
  return Error{Code::kInternal, "rename " + from + ": " + std::strerror(errno)};
}

Result<bool> IsSalvaged(sqlite::Database& db, const std::string& file) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT 1 FROM damages WHERE file = ?"));
  query.Bind(file);
  return query.Step();
}

}  // namespace

const char* const kDamageStep = R"sql(
CREATE TABLE damages(file TEXT PRIMARY KEY NOT NULL, at_ms INTEGER NOT NULL, outcome TEXT NOT NULL)
  STRICT;
)sql";

Status SetAside(const std::string& directory, int64_t now_ms) {
  const std::string from = directory + "/" + kFile;
  const std::string to = directory + "/" + kAside + std::to_string(now_ms);
  RETURN_IF_ERROR(Rename(from, to));
  RETURN_IF_ERROR(Rename(from + "-wal", to + "-wal"));
  std::error_code ignored;
  std::filesystem::remove(from + "-shm", ignored);
  return base::SyncDirectory(directory);
}

Status FinishSettingAside(const std::string& directory) {
  const std::string log = directory + "/" + kFile + "-wal";
  const std::vector<std::string> files = FilesSetAside(directory);
  const bool left = access((directory + "/" + kFile).c_str(), F_OK) != 0 &&
                    access(log.c_str(), F_OK) == 0 && !files.empty();
  if (!left) return {};
  return Rename(log, directory + "/" + files.back() + "-wal");
}

Status SalvageAll(sqlite::Database& db, const std::string& directory) {
  std::vector<std::string> files = FilesSetAside(directory);
  for (const std::string& file : files) {
    ASSIGN_OR_RETURN(const bool done, IsSalvaged(db, file));
    if (!done) RETURN_IF_ERROR(Salvage(db, directory, file));
  }
  while (files.size() > kKeptFiles) {
    base::LogWarn("an old damaged state.db is removed", {{"file", files.front()}});
    std::error_code ignored;
    for (const char* part : {"", "-wal", "-shm"}) {
      std::filesystem::remove(directory + "/" + files.front() + part, ignored);
    }
    files.erase(files.begin());
  }
  return {};
}

Result<Json> Damages(sqlite::Database& db) {
  ASSIGN_OR_RETURN(
      auto query,
      db.Prepare("SELECT file, at_ms, outcome FROM damages ORDER BY at_ms DESC LIMIT 20"));
  Json list = Json::array();
  while (true) {
    ASSIGN_OR_RETURN(const bool more, query.Step());
    if (!more) return list;
    Json one = base::ParseJson(query.Text(2)).value_or(Json::object());
    one["file"] = query.Text(0);
    one["at"] = base::FormatTime(query.Int(1));
    list.push_back(std::move(one));
  }
}

}  // namespace sidecar
