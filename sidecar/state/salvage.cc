// Files, commits and counters of a salvage. salvage_tables.cc copies rows.
#include "sidecar/state/salvage.h"

#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "lib/base/process/clock.h"
#include "lib/base/process/file.h"
#include "lib/base/process/log.h"
#include "lib/sqlite/examine.h"
#include "sidecar/state/salvage_tables.h"

namespace sidecar {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

constexpr const char* kFile = "state.db";
constexpr const char* kAside = "state.db.damaged-";      // not copied yet
constexpr const char* kSalvaged = "state.db.salvaged-";  // copied
constexpr size_t kKeptFiles = 3;
constexpr int64_t kMostTombstones = 100'000;

// Restores conversations of which only messages were readable.
constexpr const char* kMakeWhole = R"sql(
INSERT INTO conversations(id, created_ms, updated_ms)
  SELECT conversation, min(created_ms), max(created_ms) FROM messages
    WHERE conversation NOT IN (SELECT id FROM conversations) GROUP BY conversation;
UPDATE conversations SET message_count = max(message_count, (SELECT coalesce(max(sequence), 0)
  FROM messages WHERE conversation = conversations.id));
)sql";

// The salvage of one file: source, target, outcome.
struct Work {
  sqlite::Database* from;  // null: the file cannot be opened
  sqlite::Database& to;
  std::string file;
  int64_t at_ms;
  const SalvageTime& time;
  Json outcome;
};

Result<int64_t> Take(Work& work, const SalvagedTable& table, const SalvageTime& time) {
  ASSIGN_OR_RETURN(const TakenOver taken, TakeOver(*work.from, work.to, table, time));
  if (taken.late) work.outcome["not_in_time"].push_back(table.name);
  work.outcome["salvaged"][table.name] = taken.rows;
  return taken.rows;
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
    insert.Bind(now_ms).Bind("could no longer be read from " + file);
    RETURN_IF_ERROR(insert.Run());
  }
  return {};
}

// The counters of the damaged file, as far as readable, so that accepted = delivered + pending +
// dead + discarded still holds; `found`: copied writes.
Status Settle(Work& work, int64_t found) {
  if (const auto before = ReadCounters(*work.from)) {
    const int64_t lost = std::max<int64_t>(before->at("pending") + before->at("dead") - found, 0);
    RETURN_IF_ERROR(AddTombstones(work.to, lost, work.file, work.at_ms));
    work.outcome["lost_writes"] = lost;
    ASSIGN_OR_RETURN(auto update, work.to.Prepare("UPDATE outbox_totals SET value = value + ?"
                                                  " WHERE name = 'delivered'"));
    RETURN_IF_ERROR(update.Bind(before->at("delivered")).Run());
    ASSIGN_OR_RETURN(auto discarded, work.to.Prepare("UPDATE outbox_totals SET value = value + ?"
                                                     " WHERE name = 'discarded'"));
    // Files of older schemas do not count them.
    const auto counted = before->find("discarded");
    RETURN_IF_ERROR(discarded.Bind(counted == before->end() ? 0 : counted->second).Run());
  }
  return work.to.Execute(R"sql(
UPDATE outbox_totals SET value = CASE name
  WHEN 'pending' THEN (SELECT count(*) FROM outbox WHERE state = 'pending')
  WHEN 'dead' THEN (SELECT count(*) FROM outbox WHERE state = 'dead')
  WHEN 'pending_bytes' THEN (SELECT coalesce(sum(bytes), 0) FROM outbox WHERE state = 'pending')
  WHEN 'dead_bytes' THEN (SELECT coalesce(sum(bytes), 0) FROM outbox WHERE state = 'dead')
  ELSE value END;
UPDATE outbox_totals SET value = (SELECT sum(value) FROM outbox_totals
  WHERE name IN ('delivered', 'pending', 'dead', 'discarded')) WHERE name = 'accepted';
)sql");
}

Status NoteOutcome(Work& work) {
  ASSIGN_OR_RETURN(
      auto insert,
      work.to.Prepare("INSERT OR REPLACE INTO damages(file, at_ms, outcome) VALUES(?,?,?)"));
  return insert.Bind(work.file).Bind(work.at_ms).Bind(base::DumpJson(work.outcome)).Run();
}

// One commit: the outbox, its counters, and the note that the salvage of this file has begun.
Status SalvageOutbox(Work& work) {
  ASSIGN_OR_RETURN(auto transaction, sqlite::Transaction::Begin(work.to));
  if (work.from) {
    ASSIGN_OR_RETURN(const int64_t given,
                     Count(work.to,
                           "SELECT count(*) FROM sqlite_sequence WHERE name = 'outbox'"
                           " AND seq > 0"));
    // No time limit for acknowledged writes, whose number is limited (outbox.h).
    const SalvageTime as_long_as_it_takes{work.time.clock, INT64_MAX};
    ASSIGN_OR_RETURN(int64_t found, Take(work, OutboxTable(given > 0), as_long_as_it_takes));
    // A write that is no longer JSON is lost.
    RETURN_IF_ERROR(
        work.to.Execute("DELETE FROM outbox WHERE body <> '' AND NOT json_valid(body)"));
    found -= work.to.Changes();
    RETURN_IF_ERROR(Settle(work, found));
    for (const SalvagedTable& table : TablesBesideOutbox())
      RETURN_IF_ERROR(Take(work, table, as_long_as_it_takes));
  }
  RETURN_IF_ERROR(NoteOutcome(work));
  return transaction.Commit();
}

Status SalvageTable(Work& work, const SalvagedTable& table) {
  ASSIGN_OR_RETURN(auto transaction, sqlite::Transaction::Begin(work.to));
  RETURN_IF_ERROR(work.to.Execute("PRAGMA defer_foreign_keys = ON"));
  RETURN_IF_ERROR(Take(work, table, work.time));
  if (table.name == std::string_view("messages")) RETURN_IF_ERROR(work.to.Execute(kMakeWhole));
  return transaction.Commit();
}

// Skips a table without room: the agent goes on, and the damaged file still has the rows.
Status SalvageRest(Work& work, bool used) {
  for (const SalvagedTable& table : TablesOfTheirOwn()) {
    const Status done = used ? Status(Error{Code::kFull, ""}) : SalvageTable(work, table);
    if (!done && done.error().code != Code::kFull) return done;
    if (!done) {
      work.outcome["salvaged"].erase(table.name);
      work.outcome["no_room"].push_back(table.name);
    }
  }
  work.outcome.erase("unfinished");
  const Status noted = NoteOutcome(work);
  return noted || noted.error().code == Code::kFull ? Status() : noted;
}

// The outcome so far of the salvage of the file of `at_ms`; nullopt: nothing was committed.
Result<std::optional<Json>> NoteOf(sqlite::Database& db, int64_t at_ms) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT outcome FROM damages WHERE at_ms = ?"));
  query.Bind(at_ms);
  return query.ReadFirst([](const sqlite::Statement& row) {
    return base::ParseJson(row.Text(0)).value_or(Json::object());
  });
}

// kFull: nothing was committed; try again at the next start.
Status Salvage(sqlite::Database& db, const std::string& directory, const std::string& file,
               const SalvageTime& time) {
  const std::string path = directory + "/" + file;
  const int64_t at_ms = std::atoll(file.c_str() + std::strlen(kAside));
  ASSIGN_OR_RETURN(const auto note, NoteOf(db, at_ms));
  if (note && !note->contains("unfinished")) return {};
  ASSIGN_OR_RETURN(const auto examined, sqlite::Examine(path));
  auto from = sqlite::Database::Open(path, {.access = sqlite::Access::kReader});
  if (!from && from.error().code == Code::kFull) return from.error();
  Work work{from ? &*from : nullptr, db, file, at_ms, time, Json::object()};
  work.outcome = note.value_or(Json{{"reason", examined.reason},
                                    {"salvaged", Json::object()},
                                    {"lost_writes", nullptr},
                                    {"unfinished", true}});
  // If an earlier start had no room, conversations began in the new file: old ones are not mixed
  // in.
  ASSIGN_OR_RETURN(const int64_t begun, Count(db, "SELECT count(*) FROM conversations"));
  if (!note) RETURN_IF_ERROR(SalvageOutbox(work));
  if (work.from) {
    RETURN_IF_ERROR(SalvageRest(work, !note && begun > 0));
  } else {
    work.outcome.erase("unfinished");
    RETURN_IF_ERROR(NoteOutcome(work));
  }
  work.outcome["file"] = path;
  base::LogError("state.db was damaged and set aside; what could be read was taken over",
                 work.outcome);
  return {};
}

// Files named `begin` and a time, the oldest first.
std::vector<std::string> FilesNamed(const std::string& directory, const char* begin) {
  std::vector<std::string> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failed)) {
    const std::string name = entry.path().filename();
    const bool number =
        name.starts_with(begin) &&
        name.find_first_not_of("0123456789", std::strlen(begin)) == std::string::npos;
    if (number) files.push_back(name);
  }
  std::ranges::sort(files);
  return files;
}

Status Rename(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) == 0 || errno == ENOENT) return {};
  return Error{Code::kInternal, "rename " + from + ": " + std::strerror(errno)};
}

// Renames the log first: after a crash in between, the next start finds the file and repeats this.
Status MarkSalvaged(const std::string& directory, const std::string& file) {
  const std::string from = directory + "/" + file;
  const std::string to = directory + "/" + kSalvaged + file.substr(std::strlen(kAside));
  RETURN_IF_ERROR(Rename(from + "-wal", to + "-wal"));
  RETURN_IF_ERROR(Rename(from, to));
  std::error_code ignored;
  std::filesystem::remove(from + "-shm", ignored);
  return base::SyncDirectory(directory);
}

void RemoveOld(const std::string& directory) {
  std::vector<std::string> files = FilesNamed(directory, kSalvaged);
  while (files.size() > kKeptFiles) {
    base::LogWarn("an old damaged state.db is removed", {{"file", files.front()}});
    std::error_code ignored;
    for (const char* part : {"", "-wal", "-shm"}) {
      std::filesystem::remove(directory + "/" + files.front() + part, ignored);
    }
    files.erase(files.begin());
  }
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
  const std::vector<std::string> files = FilesNamed(directory, kAside);
  const bool left = access((directory + "/" + kFile).c_str(), F_OK) != 0 &&
                    access(log.c_str(), F_OK) == 0 && !files.empty();
  if (!left) return {};
  return Rename(log, directory + "/" + files.back() + "-wal");
}

Status SalvageAll(sqlite::Database& db, const std::string& directory, const base::Clock& clock,
                  int64_t longest_ms) {
  const SalvageTime time{clock, clock.MonotonicMs() + longest_ms};
  std::vector<std::string> files = FilesNamed(directory, kAside);
  // The newest file first: its rows win over those of older files.
  std::ranges::reverse(files);
  for (const std::string& file : files) {
    const Status done = Salvage(db, directory, file, time);
    if (!done && done.error().code == Code::kFull) {
      base::LogError("no room to take over a damaged state.db; it is tried again at the next start",
                     {{"file", file}, {"reason", done.error().message}});
      break;
    }
    RETURN_IF_ERROR(done);
    RETURN_IF_ERROR(MarkSalvaged(directory, file));
  }
  RemoveOld(directory);
  return {};
}

Result<Json> Damages(sqlite::Database& db) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT at_ms, outcome FROM damages ORDER BY at_ms DESC LIMIT 20"));
  Json list = Json::array();
  RETURN_IF_ERROR(query.ForEachRow([&](const sqlite::Statement& row) {
    Json one = base::ParseJson(row.Text(1)).value_or(Json::object());
    one["file"] = kSalvaged + std::to_string(row.Int(0));
    one["at"] = base::FormatTime(row.Int(0));
    list.push_back(std::move(one));
  }));
  return list;
}

}  // namespace sidecar
