// import --transcripts: the sessions of coding agents that hooks did not see. The sidecar's
// program reads them, so that they give what its hooks would have given.
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <ostream>

#include "client/commands/runs.h"
#include "client/laptop/control.h"
#include "client/laptop/starter_policy.h"
#include "client/laptop/up_detached.h"
#include "client/programs/child.h"
#include "client/transcripts/progress.h"
#include "client/transcripts/replay_plan.h"
#include "lib/base/process/clock.h"
#include "lib/base/process/file.h"
#include "lib/base/text/text.h"

namespace client {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

constexpr int64_t kUpMs = 20'000, kSaveEveryMs = 1'000;
constexpr size_t kToldErrors = 20;
constexpr size_t kLongestReport = 64 << 20;  // of hundreds of sessions, each with its broken lines

// A day is one of this machine's time zone.
Result<int64_t> SinceMs(const std::string& text) {
  if (const auto at_ms = base::ParseTime(text)) return *at_ms;
  std::tm day = {};
  char rest = 0;
  if (text.size() == 10 && std::sscanf(text.c_str(), "%4d-%2d-%2d%c", &day.tm_year, &day.tm_mon,
                                       &day.tm_mday, &rest) == 3) {
    day.tm_year -= 1900;
    day.tm_mon -= 1;
    day.tm_isdst = -1;
    const std::tm given = day;
    const std::time_t at = std::mktime(&day);
    if (at != -1 && day.tm_mday == given.tm_mday && day.tm_mon == given.tm_mon)
      return int64_t{at} * 1'000;
  }
  return Error{Code::kInvalid, "--since is a day (2026-11-01) or an RFC 3339 time, it is \"" +
                                   base::Ellipsize(text, 40) + "\""};
}

struct Sums {
  int64_t sessions = 0, prompts = 0, memories = 0, imported = 0, skipped = 0;
};

// What the replay tells, by project.
class Told {
 public:
  Told(const Selection& selection, TakenTranscripts* taken, ImportProgress& progress)
      : selection_(selection), taken_(taken), progress_(progress) {}

  void Take(std::string_view line) {
    const auto json = base::ParseJson(line);
    if (!json || !json->is_object()) {
      last_words_ = line;
      return;
    }
    const auto reads = json->find("reads");
    if (reads != json->end() && reads->is_number_integer())
      return progress_.At(bytes_ + reads->get<int64_t>(), done_, selection_.sessions.size());
    const auto sessions = json->find("sessions");
    if (sessions == json->end() || !sessions->is_array()) return;
    for (const Json& one : *sessions) TakeSession(one, *json);
    for (const Json& error : json->value("errors", Json::array()))
      AddError(error.is_string() ? error.get<std::string>() : base::DumpJson(error));
    Save(false);
    progress_.At(bytes_, done_, selection_.sessions.size());
  }

  void Save(bool now) {
    const int64_t now_ms = base::SystemClock().MonotonicMs();
    if (taken_ == nullptr || (!now && now_ms - saved_ms_ < kSaveEveryMs)) return;
    saved_ms_ = now_ms;
    if (const auto saved = taken_->Save(); !saved) AddError(saved.error().message);
  }

  void AddError(const std::string& error) {
    ++errors_;
    if (told_errors_.size() < kToldErrors) told_errors_.push_back(error);
  }

  const std::map<std::string, Sums>& by_root() const { return by_root_; }
  const std::string& last_words() const { return last_words_; }
  int64_t errors() const { return errors_; }
  const std::vector<std::string>& told_errors() const { return told_errors_; }
  int64_t of_hooks() const { return of_hooks_; }
  int64_t before_since() const { return before_since_; }

 private:
  void TakeSession(const Json& one, const Json& line) {
    const auto place = one.value("session", SIZE_MAX);
    if (place >= selection_.sessions.size()) return;
    const PlannedSession& session = selection_.sessions[place];
    const std::string outcome = base::StringAt(one, {"outcome"});
    ++done_;
    bytes_ += session.past.bytes();
    Sums& sums = by_root_[session.root];
    if (&one == &line["sessions"].front()) {
      sums.imported += line.value("imported", int64_t{0});
      sums.skipped += line.value("skipped", int64_t{0});
    }
    of_hooks_ += outcome == "hooked";
    before_since_ += outcome == "old";
    if (outcome == "taken") {
      ++sums.sessions;
      sums.prompts += one.value("prompts", int64_t{0});
      sums.memories += one.value("memories", int64_t{0});
    }
    const Json broken = one.value("broken_lines", Json::array());
    for (const Json& part : broken)
      AddError(base::StringAt(part, {"file"}) + ":" + part["line"].dump() + ": " +
               base::StringAt(part, {"error"}));
    errors_ += one.value("broken", int64_t{0}) - static_cast<int64_t>(broken.size());
    if (taken_ != nullptr && outcome != "unread" && outcome != "old") taken_->Add(session.past);
  }

  const Selection& selection_;
  TakenTranscripts* const taken_;  // null: nothing is stored
  ImportProgress& progress_;
  std::map<std::string, Sums> by_root_;
  std::string last_words_;
  size_t done_ = 0;
  int64_t bytes_ = 0, errors_ = 0, saved_ms_ = 0, of_hooks_ = 0, before_since_ = 0;
  std::vector<std::string> told_errors_;
};

// The plan's file, in a folder that ends with it.
class PlanFile {
 public:
  static Result<PlanFile> Write(const Json& plan) {
    std::string folder = (std::filesystem::temp_directory_path() / "agent-memory-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr)
      return Error{Code::kInternal, "no temporary folder can be made: set TMPDIR"};
    PlanFile file(folder);
    RETURN_IF_ERROR(base::ReplaceFile(file.path(), base::DumpJson(plan)));
    return file;
  }
  PlanFile(PlanFile&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
  ~PlanFile() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  std::string path() const { return folder_ + "/plan.json"; }

 private:
  explicit PlanFile(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

// The address of the memory server, and the policy. A dry run starts nothing.
struct ReplayTarget {
  std::string server, policy;
};
Result<ReplayTarget> FindTarget(const Home& home, bool dry_run) {
  ReplayTarget target;
  if (!dry_run) {
    const auto control = ReachOrStart(home, kUpMs);
    if (!control && control.error().code == Code::kNotFound)
      return Error{Code::kUnavailable, "memory is not up: 'agent-memory up --detach' starts it"};
    if (!control) return control.error();
    ASSIGN_OR_RETURN(const Json status, control->Status());
    target.server = base::StringAt(status, {"server", "url"});
  }
  const auto policy = base::ReadFile(home.File("policy.json"), 1 << 20);
  if (!policy && policy.error().code != Code::kNotFound) return policy.error();
  target.policy = policy ? *policy : StarterPolicy();
  return target;
}

base::Status RunReplayOf(const Json& plan, Told& told) {
  ASSIGN_OR_RETURN(const std::string sidecar, FindProgram("agent-memory-sidecar"));
  ASSIGN_OR_RETURN(const PlanFile file, PlanFile::Write(plan));
  ChildOptions options{{sidecar, "replay", "--plan", file.path()}, CleanEnvironment()};
  options.on_line = [&](std::string_view line) { told.Take(line); };
  options.longest_line = kLongestReport;
  ASSIGN_OR_RETURN(const auto child, Child::Start(std::move(options)));
  while (!child->WaitForEnd(60'000)) {
  }
  const int code = child->exit_code().value_or(kFailed);
  if (code == 0) return {};
  return Error{Code::kUnavailable, told.last_words().empty()
                                       ? sidecar + " replay ended with " + std::to_string(code)
                                       : told.last_words()};
}

// New projects get their names now, so that `up` finds them.
base::Status KeepProjects(const Selection& selection, const ProjectFiles& files) {
  std::string last;
  for (const PlannedSession& session : selection.sessions) {
    if (session.root == last) continue;
    last = session.root;
    KnownProject known = files.Find(session.root);
    known.name = session.project;
    RETURN_IF_ERROR(files.Keep(known));
  }
  return {};
}

void Report(const Call& call, const Selection& selection, const Told& told, bool dry_run) {
  Sums all;
  Json projects = Json::array();
  Table table{{"PROJECT", "REPOSITORY", "SESSIONS", "PROMPTS", "MEMORIES"}, {}};
  std::map<std::string, std::string> names;
  for (const PlannedSession& session : selection.sessions) names[session.root] = session.project;
  for (const auto& [root, sums] : told.by_root()) {
    all.sessions += sums.sessions;
    all.memories += sums.memories;
    all.imported += sums.imported;
    all.skipped += sums.skipped;
    if (sums.sessions == 0) continue;
    projects.push_back({{"project", names[root]},
                        {"root", root},
                        {"sessions", sums.sessions},
                        {"prompts", sums.prompts},
                        {"memories", sums.memories}});
    table.rows.push_back({Inert(names[root]), Inert(root), std::to_string(sums.sessions),
                          std::to_string(sums.prompts), std::to_string(sums.memories)});
  }
  const auto taken_before = static_cast<int64_t>(selection.taken_before);
  if (call.json()) {
    Json report = {{"sessions", all.sessions},
                   {"projects", projects},
                   {"sessions_known", taken_before},
                   {"sessions_of_hooks", told.of_hooks()},
                   {"sessions_before_since",
                    static_cast<int64_t>(selection.before_since) + told.before_since()},
                   {"errors", told.told_errors()},
                   {"errors_counted", told.errors()}};
    report[dry_run ? "would_import" : "imported"] = dry_run ? all.memories : all.imported;
    if (!dry_run) report["skipped"] = all.skipped;
    call.out << base::DumpJson(report) << "\n";
    return;
  }
  if (!table.rows.empty()) call.out << table.Render(call.screen);
  call.out << (dry_run ? "would import " + std::to_string(all.memories)
                       : "imported " + std::to_string(all.imported))
           << " memories of " << all.sessions << " sessions";
  if (!dry_run && all.skipped > 0) call.out << ", " << all.skipped << " were here already";
  if (taken_before > 0) call.out << "; " << taken_before << " sessions were imported before";
  if (told.of_hooks() > 0) call.out << "; hooks saw " << told.of_hooks() << " sessions";
  call.out << "\n";
}

}  // namespace

int ImportTranscripts(Call& call) {
  for (const char* other : {"project", "format", "trust", "restore", "url", "file"}) {
    if (call.settings.IsSet(other))
      return call.Usage("--transcripts takes no --" + std::string(other) +
                        ": each session belongs to the repository that its agent worked in");
  }
  if (!call.arguments.empty())
    return call.Usage(
        "--transcripts takes no operands: it reads ~/.claude/projects and "
        "~/.codex/sessions");
  int64_t since_ms = 0;
  if (const std::string since = call.Text("since"); !since.empty()) {
    const auto parsed = SinceMs(since);
    if (!parsed) return call.Usage(parsed.error().message);
    since_ms = *parsed;
  }
  const bool dry_run = call.settings.Bool("dry-run");
  const auto home = Home::Find(call.settings);
  if (!home) return call.Fail(home.error());
  const auto target = FindTarget(*home, dry_run);
  if (!target) return call.Fail(target.error());
  const ProjectFiles files(*home);
  const TranscriptTree tree = FindTranscripts(TranscriptFolders());
  TakenTranscripts taken(*home);
  const Selection selection = SelectSessions(tree, taken, files, since_ms * 1'000'000);
  const auto plan = MakePlan(selection, target->policy, target->server,
                             since_ms > 0 ? base::FormatTime(since_ms) : "", files);
  if (!plan) return call.Fail(base::Wrap(home->File("policy.json"), plan.error()));

  int64_t bytes = 0;
  for (const PlannedSession& session : selection.sessions) bytes += session.past.bytes();
  const bool terminal = call.err.rdbuf() == std::cerr.rdbuf() && isatty(STDERR_FILENO) == 1;
  base::Status done;
  std::optional<ImportProgress> progress(std::in_place, call.err, terminal, bytes);
  Told told(selection, dry_run ? nullptr : &taken, *progress);
  for (const std::string& error : tree.unread) told.AddError(error);
  for (const std::string& error : selection.refused) told.AddError(error);
  if (!dry_run) done = KeepProjects(selection, files);
  if (done && !selection.sessions.empty()) done = RunReplayOf(*plan, told);
  told.Save(true);
  if (done && !dry_run) done = taken.Save(tree);
  progress.reset();
  Report(call, selection, told, dry_run);
  for (const std::string& error : told.told_errors())
    call.err << "refused: " << Inert(error) << "\n";
  if (const int64_t more = told.errors() - static_cast<int64_t>(told.told_errors().size());
      more > 0)
    call.err << "refused: " << more << " more\n";
  if (!done) {
    call.Fail(done.error());
    call.err << "run it again: it goes on where it ended\n";
    return kFailed;
  }
  return told.errors() == 0 ? kOk : kFailed;
}

}  // namespace client
