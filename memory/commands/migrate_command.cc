// One tenant after the other; one that fails stops none of the others.
#include "memory/commands/migrate_command.h"

#include <filesystem>
#include <ostream>
#include <utility>

#include "lib/base/process/file.h"
#include "lib/base/process/log.h"
#include "lib/base/text/inert.h"
#include "memory/commands/move.h"
#include "memory/commands/progress_report.h"
#include "memory/sqlite/moving/moves.h"
#include "memory/sqlite/moving/tenant_files.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Setting;
using base::Settings;
using base::Status;
using Kind = base::Setting::Kind;

namespace {

constexpr const char* kToDatabase = "postgres";
constexpr const char* kToFiles = "sqlite";

Status CheckMigrate(const Settings& settings) {
  const std::string to = settings.Text("to"), output = settings.Text("output");
  if (to != kToDatabase && to != kToFiles)
    return Error{Code::kInvalid, "to: postgres or sqlite, it is \"" + to + "\""};
  if (settings.Text("dsn-file").empty())
    return Error{Code::kInvalid, "dsn-file: name the file with the address of PostgreSQL"};
  if (output != "text" && output != "json")
    return Error{Code::kInvalid, "output must be text or json, it is \"" + output + "\""};
  ASSIGN_OR_RETURN([[maybe_unused]] const auto level, base::ParseLevel(settings.Text("log-level")));
  return {};
}

base::Program MigrateProgram(const base::Program& server) {
  base::Program program;
  program.name = server.name + " migrate";
  program.summary = "Moves memories between the files of a data-dir and a PostgreSQL database.";
  program.settings = {
      {"to", Kind::kString, "", "postgres: from the files to the database; sqlite: back"},
      {"tenant", Kind::kString, "", "only this namespace; default: all"},
      {"output", Kind::kString, "text", "format of the report: text or json"}};
  for (Setting setting : server.settings) {
    if (setting.name == "lock-wait") setting.fallback = "0s";
    if (setting.name == "log-level") setting.fallback = "warn";
    const auto at = setting.name == "data-dir" || setting.name == "dsn-file"
                        ? program.settings.begin()
                        : program.settings.end();
    program.settings.insert(at, std::move(setting));
  }
  program.check = CheckMigrate;
  program.epilogue =
      "The data-dir must not be in use. Servers on the database may run: writers of a namespace "
      "that is moved to files get 503 meanwhile. A namespace is moved as a whole or not at all, "
      "its "
      "rows are compared by SHA-256, and what it came from stays as it is. Killed or interrupted: "
      "run it again, it skips what is moved. The server's settings and its "
      "--config apply, too.\nExit codes: 0 done, 1 failed or a namespace was "
      "refused, 64 bad flags, 66 no such data-dir or namespace, 75 the data-dir is in use, 130 "
      "interrupted.\nExamples:\n"
      "  agent-memory-server migrate --to postgres --dsn-file dsn --data-dir ./memory-data\n"
      "  agent-memory-server migrate --to sqlite --dsn-file dsn --data-dir ./new-data --tenant "
      "team-a\n";
  return program;
}

Result<std::vector<std::string>> TenantsToMove(const Move& move, SharedDatabase& database) {
  if (const std::string one = move.settings.Text("tenant"); !one.empty())
    return std::vector<std::string>{one};
  if (move.settings.Text("to") == kToFiles) return database.Tenants();
  return TenantsOfFiles(move.settings.Text("data-dir"));
}

Result<MovedTenant> MoveOne(const Move& move, SharedDatabase& database, const std::string& tenant,
                            ProgressReport& progress) {
  MoveOptions options;
  options.directory = move.settings.Text("data-dir");
  options.clock = &move.host.clock;
  options.on_rows = [&](int64_t done, int64_t total) -> Status {
    progress.figures.memories = true;
    progress.figures.done = done;
    progress.figures.total = total;
    progress.Moved();
    return move.NotInterrupted();
  };
  options.at = [&](const char*) { return move.NotInterrupted(); };
  return move.settings.Text("to") == kToFiles ? MoveToFile(database, tenant, options)
                                              : MoveToDatabase(database, tenant, options);
}

Json Told(const std::string& tenant, const Result<MovedTenant>& moved) {
  if (!moved) return {{"tenant", tenant}, {"state", "failed"}, {"reason", moved.error().message}};
  return {{"tenant", tenant},
          {"state", moved->already ? "already moved" : "moved"},
          {"rows", moved->rows},
          {"sha256", moved->sha256}};
}

void SayMoved(const Move& move, const std::string& tenant, const Result<MovedTenant>& moved) {
  move.err << "namespace " << base::WithoutMisleading(tenant) << ": ";
  if (!moved)
    move.err << "not moved: " << base::WithoutMisleading(moved.error().message) << "\n";
  else
    move.err << (moved->already ? "moved already, " : "moved, ") << moved->rows << " rows, SHA-256 "
             << moved->sha256 << "\n";
}

int MoveAll(const Move& move, SharedDatabase& database) {
  const auto tenants = TenantsToMove(move, database);
  if (!tenants) return move.Fail(tenants.error());
  const bool json = move.settings.Text("output") == "json";
  Json report = Json::array();
  int code = kGood;
  for (const std::string& tenant : *tenants) {
    if (const Status more = move.NotInterrupted(); !more) return move.Fail(more.error());
    ProgressReport progress(move.err, move.terminal, SteadyMs);
    const Result<MovedTenant> moved = MoveOne(move, database, tenant, progress);
    progress.Clear();
    if (json)
      report.push_back(Told(tenant, moved));
    else
      SayMoved(move, tenant, moved);
    if (!moved) code = moved.error().code == Code::kNotFound ? kNoInput : kFailed;
  }
  if (json) move.out << base::DumpJson({{"tenants", report}}) << "\n";
  return move.host.interrupted() ? kInterrupted : code;
}

int Migrate(const Move& move) {
  const std::string directory = move.settings.Text("data-dir");
  std::error_code unknown;
  if (move.settings.Text("to") == kToDatabase && !std::filesystem::exists(directory, unknown))
    return move.Fail({Code::kNotFound, "there is no data-dir " + directory}, kNoInput);
  if (const Status made = base::MakeDirectories(directory); !made) return move.Fail(made.error());
  const auto lock =
      base::DirectoryLock::Acquire(directory, move.settings.Milliseconds("lock-wait"));
  if (!lock)
    return move.Fail(lock.error(), lock.error().code == Code::kConflict ? kMemoryInUse : kFailed);
  const auto database = OpenSharedDatabase(move.settings.Text("dsn-file"));
  if (!database) return move.Fail(database.error());
  return MoveAll(move, **database);
}

}  // namespace

int RunMigrate(const MoveHost& host, const std::vector<std::string>& words,
               const std::vector<std::string>& environment, std::ostream& out, std::ostream& err,
               bool terminal) {
  const base::Invocation invocation =
      base::ReadCommandLine(MigrateProgram(host.server), words, environment);
  if (!invocation.run) {
    (invocation.exit_code == 0 ? out : err) << invocation.output;
    return invocation.exit_code;
  }
  base::StartLog(invocation);
  return Migrate({host, invocation.settings, "", out, err, terminal});
}

}  // namespace memory
