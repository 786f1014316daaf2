// Reads only columns of the first version of the schema, so that files of older sidecars work.
#include "sidecar/tables/hooked_session.h"

#include <filesystem>

#include "lib/sqlite/database.h"

namespace sidecar {
namespace {

using base::Result;

constexpr int64_t kMostCalls = 100'000;

Result<HookedSession> ReadSession(sqlite::Database& database, const std::string& id,
                                  int64_t since_ms) {
  HookedSession session;
  session.since_ms = since_ms;
  ASSIGN_OR_RETURN(auto prompt,
                   database.Prepare("SELECT content FROM messages WHERE conversation = ?1 AND "
                                    "role = 'user' ORDER BY sequence LIMIT 1"));
  ASSIGN_OR_RETURN(const bool any, prompt.Bind(id).Step());
  if (any) session.first_prompt = prompt.Text(0);
  ASSIGN_OR_RETURN(auto calls,
                   database.Prepare("SELECT tool_call_id FROM messages WHERE conversation = ?1 AND "
                                    "tool_call_id <> '' LIMIT ?2"));
  calls.Bind(id).Bind(kMostCalls);
  ASSIGN_OR_RETURN(const auto ids,
                   calls.ReadAll([](const sqlite::Statement& row) { return row.Text(0); }));
  session.calls = {ids.begin(), ids.end()};
  return session;
}

}  // namespace

Result<std::optional<HookedSession>> FindHookedSession(const std::string& file,
                                                       const std::string& id) {
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error)) return std::optional<HookedSession>();
  ASSIGN_OR_RETURN(sqlite::Database database,
                   sqlite::Database::Open(file, {.access = sqlite::Access::kReader}));
  ASSIGN_OR_RETURN(auto read,
                   database.Prepare("SELECT created_ms FROM conversations WHERE id = ?1"));
  ASSIGN_OR_RETURN(const bool found, read.Bind(id).Step());
  if (!found) return std::optional<HookedSession>();
  ASSIGN_OR_RETURN(HookedSession session, ReadSession(database, id, read.Int(0)));
  return std::optional<HookedSession>(std::move(session));
}

}  // namespace sidecar
