// Readers find the summaries that quote a row before the writer's transaction.
#include "memory/sqlite/removal/erase_quotes.h"

#include "memory/model/quotes.h"
#include "memory/sqlite/reading/snapshot.h"

namespace memory {

using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr size_t kSessionsAtOnce = 256;  // of one snapshot

// False: there is none of the rows.
Result<bool> ReadQuotes(Database& database, std::span<const int64_t> ids, Quotes& quotes) {
  bool any = false;
  for (const int64_t id : ids) {
    for (const char* sql : {"SELECT title, content FROM observations WHERE id = ?1",
                            "SELECT title, content FROM revisions WHERE id = ?1"}) {
      ASSIGN_OR_RETURN(Statement read, database.Prepare(sql));
      RETURN_IF_ERROR(read.Bind(id).ForEachRow([&](const Statement& row) {
        any = true;
        quotes.AddTitle(row.Text(0));
        quotes.AddContent(row.Text(1));
      }));
    }
  }
  return any;
}

Status EraseQuotesOf(Database& writer, const Quotes& quotes, int64_t session) {
  std::optional<std::string> rest;
  {
    ASSIGN_OR_RETURN(Statement read,
                     writer.Prepare("SELECT summary FROM sessions WHERE number = ?1"));
    ASSIGN_OR_RETURN(bool row, read.Bind(session).Step());
    if (row) rest = quotes.EraseFrom(read.Text(0));
  }
  if (!rest) return {};
  ASSIGN_OR_RETURN(Statement write,
                   writer.Prepare("UPDATE sessions SET summary = ?2 WHERE number = ?1"));
  return write.Bind(session).Bind(*rest).Run();
}

}  // namespace

Result<std::vector<int64_t>> FindQuoting(ReaderPool& readers, std::span<const int64_t> ids) {
  Quotes quotes;
  std::vector<int64_t> found;
  {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(readers));
    ASSIGN_OR_RETURN(bool any, ReadQuotes(snapshot.database(), ids, quotes));
    if (!any) return found;
  }
  int64_t after = 0;
  for (size_t rows = kSessionsAtOnce; rows == kSessionsAtOnce;) {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(readers));
    ASSIGN_OR_RETURN(Statement read,
                     snapshot.database().Prepare("SELECT number, summary FROM sessions WHERE "
                                                 "number > ?1 ORDER BY number LIMIT ?2"));
    read.Bind(after).Bind(static_cast<int64_t>(kSessionsAtOnce));
    rows = 0;
    RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
      ++rows;
      after = row.Int(0);
      if (quotes.EraseFrom(row.Text(1))) found.push_back(after);
    }));
  }
  return found;
}

Status EraseQuotes(Database& writer, std::span<const int64_t> ids, std::vector<int64_t> sessions,
                   int64_t since_ms) {
  Quotes quotes;
  RETURN_IF_ERROR(ReadQuotes(writer, ids, quotes));
  {
    ASSIGN_OR_RETURN(
        Statement read,
        writer.Prepare("SELECT number FROM sessions INDEXED BY sessions_newest_summaries "
                       "WHERE summarized_ms > 0 AND summarized_ms >= ?1"));
    RETURN_IF_ERROR(read.Bind(since_ms).ForEachRow(
        [&](const Statement& row) { sessions.push_back(row.Int(0)); }));
  }
  for (int64_t session : sessions) RETURN_IF_ERROR(EraseQuotesOf(writer, quotes, session));
  return {};
}

}  // namespace memory
