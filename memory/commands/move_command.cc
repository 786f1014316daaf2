// Both commands are a request to the handlers of /export and /import, which need no network for it.
#include "memory/commands/move_command.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>

#include "lib/base/process/log.h"
#include "lib/base/text/inert.h"
#include "lib/base/text/text.h"
#include "memory/api/handlers.h"
#include "memory/commands/progress_report.h"
#include "memory/commands/sources.h"
#include "memory/commands/targets.h"
#include "memory/transfer/transfer_handlers.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Setting;
using base::Status;
using Kind = base::Setting::Kind;

namespace {

// sysexits
constexpr int kInterrupted = 130;
constexpr int kGood = 0, kFailed = 1, kBadUsage = 64, kNoInput = 66, kCannotCreate = 73,
              kMemoryInUse = 75;
constexpr const char* kOwnTenant = "*";  // of a server without identities
constexpr size_t kShownErrors = 20;

std::vector<Setting> MoveSettings(bool importing) {
  std::vector<Setting> settings = {
      {"project", Kind::kString, "",
       importing ? "of memories that name none; default: imported"
                 : "only this project; default: all"},
      {"format", Kind::kString, "",
       importing ? "default: found out by itself; a folder is obsidian"
                 : "json, jsonl, sqlite, markdown, obsidian or agentos-json; default: as the name "
                   "ends (.json, .jsonl, .sqlite, .md, .tar), json for standard output, obsidian "
                   "for a folder"},
      {"tenant", Kind::kString, kOwnTenant, "namespace whose memory it is, with --auth kubernetes"},
      {"output", Kind::kString, "text", "what is said at the end: text or json"}};
  if (!importing) return settings;
  settings.push_back({"trust", Kind::kString, "", "user: they are yours, prompts get them"});
  settings.push_back({"restore", Kind::kBool, "false", "also what was deleted here"});
  settings.push_back({"dedup", Kind::kBool, "true", "skip what is here already"});
  return settings;
}

base::Program MoveProgram(const base::Program& server, bool importing) {
  base::Program program;
  program.name = server.name + (importing ? " import FILE|FOLDER|-" : " export FILE|FOLDER/|-");
  program.summary = importing
                        ? "Takes a file or a folder of notes into the memory of a data-dir."
                        : "Writes the memory of a data-dir to a file, or as notes to a folder.";
  program.settings = MoveSettings(importing);
  for (Setting setting : server.settings) {
    if (setting.name == "lock-wait") setting.fallback = "0s";
    if (setting.name == "log-level") setting.fallback = "warn";
    const auto at = setting.name == "data-dir" ? program.settings.begin() : program.settings.end();
    program.settings.insert(at, std::move(setting));
  }
  program.check = [check = server.check](const base::Settings& settings) -> Status {
    const std::string output = settings.Text("output");
    if (output != "text" && output != "json")
      return Error{Code::kInvalid, "output must be text or json, it is \"" + output + "\""};
    return check ? check(settings) : Status();
  };
  program.takes_words = true;
  program.epilogue =
      "The data-dir must not be in use: with a running server, 'agent-memory " +
      std::string(importing ? "import" : "export") +
      " --url URL' goes through it. The server's settings and its --config are taken, too.\n"
      "Exit codes: 0 done, 1 failed or rows were refused, 64 bad flags, 66 no such input, 73 the "
      "target is there already, 75 the data-dir is in use, 130 interrupted.\nExamples:\n" +
      (importing
           ? std::string("  agent-memory-server import --data-dir ./memory-data ~/vault\n"
                         "  agent-memory-server import --data-dir ./memory-data memory.json\n")
           : std::string("  agent-memory-server export --data-dir ./memory-data memory.sqlite\n"
                         "  agent-memory-server export --data-dir ./memory-data vault/\n"));
  return program;
}

// What a command is given.
struct Move {
  const MoveHost& host;
  const base::Settings& settings;
  std::string path;
  std::ostream &out, &err;
  bool terminal;

  int Fail(const Error& error, int code = kFailed) const {
    if (host.interrupted()) code = kInterrupted;
    err << host.server.name << ": " << base::WithoutMisleading(error.message) << "\n";
    return code;
  }
  Result<std::unique_ptr<OpenMemory>> Open(bool make) const {
    return host.open(settings, settings.Text("tenant"), make);
  }
  int FailToOpen(const Error& error) const {
    if (error.code == Code::kNotFound) return Fail(error, kNoInput);
    if (error.code != Code::kConflict) return Fail(error);
    return Fail(
        {error.code, error.message + "; 'agent-memory export' and 'agent-memory import' with --url "
                                     "go through a running server"},
        kMemoryInUse);
  }
};

int64_t SteadyMs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

http::Request RequestOf(const char* method, const char* path, const base::Settings& settings,
                        std::initializer_list<const char*> parameters,
                        std::initializer_list<const char*> flags = {}) {
  http::Request request;
  request.method = method;
  request.path = path;
  for (const char* name : parameters) {
    if (settings.IsSet(name)) request.query.emplace_back(name, settings.Text(name));
  }
  for (const char* name : flags) {
    if (settings.IsSet(name))
      request.query.emplace_back(name, settings.Bool(name) ? "true" : "false");
  }
  return request;
}

Status StatusOfAnswer(const http::Response& response) {
  if (response.status < 400) return {};
  const auto json = base::ParseJson(response.body);
  return Error{http::CodeOf(response.status),
               json ? base::StringAt(*json, {"error"}, response.body) : response.body};
}

Status NotInterrupted(const MoveHost& host) {
  return host.interrupted() ? Error{Code::kUnavailable, "interrupted"} : Status();
}

class CountedSource : public http::BodyReader {
 public:
  CountedSource(const MoveHost& host, ImportSource& source, ProgressReport& progress)
      : host_(host), source_(source), progress_(progress) {
    progress_.figures.total = source_.total_bytes();
  }
  Result<std::string> Read() override {
    RETURN_IF_ERROR(NotInterrupted(host_));
    progress_.Moved();
    Result<std::string> piece = source_.Read();
    if (piece) progress_.figures.done += static_cast<int64_t>(piece->size());
    return piece;
  }

 private:
  const MoveHost& host_;
  ImportSource& source_;
  ProgressReport& progress_;
};

// What stands before each memory in a format; null: bytes are counted.
const char* MarkOf(const std::string& format) {
  if (format == "sqlite") return nullptr;
  return format == "json" || format == "jsonl" ? "\n{" : "\nkind: ";
}

class CountedTarget : public http::BodyWriter {
 public:
  CountedTarget(const MoveHost& host, ExportTarget& target, ProgressReport& progress,
                const char* mark)
      : host_(host), target_(target), progress_(progress), mark_(mark) {
    progress_.figures.memories = mark_ != nullptr;
  }
  bool counts_rows() const { return mark_ != nullptr; }
  Status Write(std::string_view bytes) override {
    RETURN_IF_ERROR(NotInterrupted(host_));
    progress_.figures.bytes += static_cast<int64_t>(bytes.size());
    if (mark_) {
      for (size_t at = 0; (at = bytes.find(mark_, at)) != bytes.npos; ++at)
        ++progress_.figures.done;
    } else {
      progress_.figures.done = progress_.figures.bytes;
    }
    progress_.Moved();
    return target_.Write(bytes);
  }

 private:
  const MoveHost& host_;
  ExportTarget& target_;
  ProgressReport& progress_;
  const char* const mark_;
};

std::string FormatOfName(const std::string& path, bool folder) {
  if (folder) return "obsidian";
  const std::string ending = std::filesystem::path(path).extension().string();
  const std::pair<const char*, const char*> kEndings[] = {
      {".jsonl", "jsonl"}, {".ndjson", "jsonl"}, {".sqlite", "sqlite"},
      {".db", "sqlite"},   {".md", "markdown"},  {".tar", "obsidian"}};
  for (const auto& [name, format] : kEndings) {
    if (ending == name) return format;
  }
  return "json";
}

bool IsOfFolders(std::string_view format) { return format == "obsidian" || format == "markdown"; }

Error NoFolder(const std::string& format) {
  return {Code::kInvalid,
          "a folder has notes (markdown or obsidian), format is \"" + format + "\": name a file"};
}

int SayExported(const Move& move, const ProgressReport& progress, const std::string& format) {
  const ProgressFigures& figures = progress.figures;
  if (move.settings.Text("output") == "json") {
    (move.path == "-" ? move.err : move.out)
        << base::DumpJson({{"path", move.path}, {"format", format}, {"bytes", figures.bytes}})
        << "\n";
  } else {
    move.err << "exported " << ShownBytes(figures.bytes) << " as " << format << " to "
             << base::WithoutMisleading(move.path) << " in " << ShownTime(progress.elapsed_ms())
             << "\n";
  }
  return kGood;
}

int RunExport(const Move& move) {
  std::error_code unknown;
  const bool folder = move.path.ends_with('/') || std::filesystem::is_directory(move.path, unknown);
  std::string format = move.settings.Text("format");
  if (format.empty()) format = FormatOfName(move.path, folder);
  if (folder && !IsOfFolders(format)) return move.Fail(NoFolder(format), kBadUsage);
  if (folder) format = "obsidian";  // a file for each
  auto memory = move.Open(false);
  if (!memory) return move.FailToOpen(memory.error());
  telemetry::Metrics metrics;
  http::Request request = RequestOf("GET", "/export", move.settings, {"project"});
  request.query.emplace_back("format", format);
  const Api api{(*memory)->store(), move.host.clock, metrics, "", true};
  const http::Response response = Export(api, request);
  if (const Status good = StatusOfAnswer(response); !good) {
    return move.Fail(good.error(), good.error().code == Code::kInvalid ? kBadUsage : kFailed);
  }
  auto target = folder ? OpenFolderTarget(move.path) : OpenFileTarget(move.path);
  if (!target) {
    return move.Fail(target.error(),
                     target.error().code == Code::kConflict ? kCannotCreate : kFailed);
  }
  ProgressReport progress(move.err, move.terminal, SteadyMs);
  CountedTarget counted(move.host, **target, progress, MarkOf(format));
  if (const auto totals = api.store.Count(request.Query("project"));
      totals && counted.counts_rows())
    progress.figures.total = totals->observations + totals->sessions;
  Status moved = response.stream(counted);
  if (moved) moved = (*target)->Finish();
  progress.Clear();
  if (!moved) return move.Fail(base::Wrap("export to " + move.path, moved.error()));
  return SayExported(move, progress, format);
}

int SayImported(const Move& move, const Json& report, size_t unread,
                const ProgressReport& progress) {
  const Json errors = report.value("errors", Json::array());
  if (move.settings.Text("output") == "json") {
    move.out << base::DumpJson(report) << "\n";
  } else {
    const auto count = [&](const char* name) { return report.value(name, int64_t{0}); };
    move.err << "imported " << count("imported") << " memories";
    for (const auto& [name, words] :
         {std::pair("imported_traces", "traces"), std::pair("imported_edges", "edges"),
          std::pair("imported_items", "items"), std::pair("imported_episodes", "episodes")}) {
      if (count(name) > 0) move.err << ", " << count(name) << " " << words;
    }
    move.err << " in " << ShownTime(progress.elapsed_ms()) << "; " << count("skipped")
             << " rows were here already\n";
    const std::string hint = base::StringAt(report, {"hint"});
    if (!hint.empty())
      move.err << count("not_injected") << " of them stay out of prompts: " << hint << "\n";
  }
  for (size_t i = 0; i < std::min(errors.size(), kShownErrors); ++i)
    move.err << "refused: " << base::WithoutMisleading(base::DumpJson(errors[i])) << "\n";
  if (errors.size() > kShownErrors)
    move.err << errors.size() - kShownErrors << " more were refused: --output json lists them\n";
  return errors.empty() && unread == 0 ? kGood : kFailed;
}

int RunImport(const Move& move) {
  ProgressReport progress(move.err, move.terminal, SteadyMs);
  size_t unread = 0;
  std::error_code unknown;
  const bool folder = std::filesystem::is_directory(move.path, unknown);
  const std::string format = move.settings.Text("format");
  if (folder && !format.empty() && !IsOfFolders(format))
    return move.Fail(NoFolder(format), kBadUsage);
  auto source = folder ? OpenFolderSource(move.path,
                                          [&](const Error& error) {
                                            ++unread;
                                            progress.Clear();
                                            move.Fail(error);
                                          })
                       : OpenFileSource(move.path);
  if (!source) return move.Fail(source.error(), kNoInput);
  auto memory = move.Open(true);
  if (!memory) return move.FailToOpen(memory.error());
  telemetry::Metrics metrics;
  http::Request request =
      RequestOf("POST", "/import", move.settings, {"project", "trust"}, {"restore", "dedup"});
  if (folder || !format.empty()) request.query.emplace_back("format", folder ? "obsidian" : format);
  CountedSource counted(move.host, **source, progress);
  request.stream = &counted;
  const http::Response response =
      Import(Api{(*memory)->store(), move.host.clock, metrics, "", true}, request);
  progress.Clear();
  if (const Status good = StatusOfAnswer(response); !good)
    return move.Fail(base::Wrap("import of " + move.path, good.error()));
  const auto report = base::ParseJson(response.body);
  return report ? SayImported(move, *report, unread, progress) : move.Fail(report.error());
}

}  // namespace

bool IsMoveCommand(std::string_view word) { return word == "export" || word == "import"; }

int RunMove(const MoveHost& host, const std::vector<std::string>& words,
            const std::vector<std::string>& environment, std::ostream& out, std::ostream& err,
            bool terminal) {
  const bool importing = words.at(0) == "import";
  const base::Program program = MoveProgram(host.server, importing);
  const base::Invocation invocation = base::ReadCommandLine(program, words, environment);
  if (!invocation.run) {
    (invocation.exit_code == 0 ? out : err) << invocation.output;
    return invocation.exit_code;
  }
  base::StartLog(invocation);
  const Move move{host,
                  invocation.settings,
                  invocation.arguments.size() == 1 ? invocation.arguments[0] : "",
                  out,
                  err,
                  terminal};
  if (move.path.empty()) {
    return move.Fail(
        {Code::kInvalid, "name one " + std::string(importing ? "file or folder" : "target") +
                             ", there are " + std::to_string(invocation.arguments.size()) + "; '" +
                             words[0] + " --help' has examples"},
        kBadUsage);
  }
  return importing ? RunImport(move) : RunExport(move);
}

}  // namespace memory
