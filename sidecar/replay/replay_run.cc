// The files of a session are merged by the time of their events.
#include "sidecar/replay/replay_run.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "sidecar/policy/active_policy.h"
#include "sidecar/replay/import_batch.h"
#include "sidecar/replay/transcript_events.h"
#include "sidecar/replay/transcript_file.h"
#include "sidecar/tables/hooked_session.h"

namespace sidecar {
namespace {

using base::Json;
using base::Result;
using base::Status;

// The part of a session from its first event that a hook saw. Not by time alone: a transcript may
// come from another machine's clock.
class HookedPart {
 public:
  explicit HookedPart(HookedSession session) : session_(std::move(session)) {}
  // Call it with the events in their order: an event is in it if it came after the first hook, has
  // the first prompt or is one of the calls, or follows such an event.
  bool Has(const PastEvent& event, const ActivePolicy& policy);

 private:
  HookedSession session_;
  bool begun_ = false;
};

// The agent writes a prompt into its transcript before its hooks start, and these may start memory.
constexpr int64_t kHookSlackMs = 60'000;

bool HookedPart::Has(const PastEvent& past, const ActivePolicy& policy) {
  const api::HookEvent& event = past.event;
  if (begun_) return true;
  begun_ = past.at_ms >= session_.since_ms - kHookSlackMs ||
           (!event.tool_use_id.empty() && session_.calls.contains(event.tool_use_id));
  if (begun_ || event.prompt.empty() || session_.first_prompt.empty()) return begun_;
  redaction::Redactor::Counts counts;
  begun_ = event.prompt == session_.first_prompt ||
           policy.redactor.Redact(event.prompt, counts) == session_.first_prompt;
  return begun_;
}

constexpr size_t kMostOpenFiles = 200;
constexpr size_t kToldBroken = 20;  // of one session; all are counted
constexpr int64_t kFlushEveryMs = 1'000, kTellEveryMs = 500;

int64_t Now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class Run {
 public:
  Run(const ReplayPlan& plan, ImportBatch batch, const std::function<void(const Json&)>& tell)
      : plan_(plan), batch_(std::move(batch)), tell_(tell) {}

  Status All() {
    for (size_t i = 0; i < plan_.sessions.size(); ++i) {
      const size_t project = plan_.sessions[i].project;
      if (project != project_) RETURN_IF_ERROR(Flush());
      project_ = project;
      RETURN_IF_ERROR(One(i));
      if (Now() - flushed_ms_ >= kFlushEveryMs) RETURN_IF_ERROR(Flush());
    }
    return Flush();
  }

 private:
  struct Report {
    size_t place = 0;
    const char* outcome = "taken";
    int64_t prompts = 0, memories = 0, broken = 0;
    Json broken_lines = Json::array();
  };

  void AddBroken(Report& report, const BrokenLine& line) {
    ++report.broken;
    if (report.broken_lines.size() < kToldBroken)
      report.broken_lines.push_back(
          {{"file", line.file}, {"line", line.line}, {"error", line.error}});
  }

  Status One(size_t place) {
    const ReplayPlan::Session& session = plan_.sessions[place];
    const ReplayPlan::Project& project = plan_.projects[session.project];
    Report report;
    report.place = place;
    ASSIGN_OR_RETURN(auto known, FindHookedSession(project.state, session.id));
    std::optional<HookedPart> hooked;
    if (known) hooked.emplace(std::move(*known));
    ASSIGN_OR_RETURN(SessionReplay replay, SessionReplay::Begin(session.id, project.policy));
    LineIds seen;
    for (const std::string& file : session.copied_from) {
      if (auto ids = IdsOfLines(file)) seen.merge(*ids);
    }
    std::vector<TranscriptFile> files;
    for (const std::string& path : session.files) {
      if (files.size() == kMostOpenFiles) {
        AddBroken(report, {path, 0, "a session has at most 200 files"});
        continue;
      }
      auto opened = TranscriptFile::Open(
          path, session.format, {[&](const BrokenLine& line) { AddBroken(report, line); }, &seen});
      if (opened) {
        files.push_back(std::move(*opened));
      } else {
        AddBroken(report, {path, 0, opened.error().message});
        report.outcome = "unread";
      }
    }
    RETURN_IF_ERROR(TakeEvents(files, hooked, *project.policy, replay, report));
    report.prompts = replay.prompts();
    auto end = replay.Finish();
    if (plan_.since_ms > 0 && replay.last_ms() < plan_.since_ms) {
      report.outcome = "old";
    } else if (end) {
      report.memories += end->digest.has_value();
      batch_.Add(std::move(*end), session.grown);
    } else if (report.outcome == std::string_view("taken")) {
      report.outcome = left_ == nullptr ? "empty" : left_;
    }
    done_.push_back(std::move(report));
    return batch_.IsFull() ? Flush() : Status();
  }

  Status TakeEvents(std::vector<TranscriptFile>& files, std::optional<HookedPart>& hooked,
                    const ActivePolicy& policy, SessionReplay& replay, Report& report) {
    left_ = nullptr;
    held_.clear();
    while (true) {
      TranscriptFile* first = nullptr;
      int64_t first_ms = 0;
      for (TranscriptFile& file : files) {
        const PastEvent* event = file.Peek();
        if (event == nullptr || (first != nullptr && event->at_ms >= first_ms)) continue;
        first = &file;
        first_ms = event->at_ms;
      }
      if (first == nullptr) return {};
      PastEvent event = first->Pop();
      if (hooked && hooked->Has(event, policy)) {
        left_ = "hooked";
        continue;
      }
      for (Json& row : replay.Handle(std::move(event))) held_.push_back(std::move(row));
      if (plan_.since_ms == 0 || replay.last_ms() >= plan_.since_ms)
        RETURN_IF_ERROR(SendHeld(report));
      if (Now() - told_ms_ >= kTellEveryMs) TellRead(files);
    }
  }

  Status SendHeld(Report& report) {
    for (Json& row : std::exchange(held_, {})) {
      ++report.memories;
      batch_.Add(std::move(row));
    }
    return batch_.IsFull() ? Flush() : Status();
  }

  void TellRead(const std::vector<TranscriptFile>& files) {
    told_ms_ = Now();
    int64_t bytes = 0;
    for (const TranscriptFile& file : files) bytes += file.bytes();
    tell_({{"reads", bytes}});
  }

  Status Flush() {
    flushed_ms_ = Now();
    ASSIGN_OR_RETURN(ImportBatch::Taken taken, batch_.Flush());
    imported_ += taken.imported;
    skipped_ += taken.skipped;
    for (std::string& error : taken.errors) errors_.push_back(std::move(error));
    if (done_.empty()) return {};
    Json sessions = Json::array();
    for (Report& report : done_) {
      Json one = {{"session", report.place},
                  {"outcome", report.outcome},
                  {"prompts", report.prompts},
                  {"memories", report.memories}};
      if (report.broken > 0) one["broken"] = report.broken;
      if (report.broken > 0) one["broken_lines"] = std::move(report.broken_lines);
      sessions.push_back(std::move(one));
    }
    Json line = {{"project", project_},
                 {"imported", std::exchange(imported_, 0)},
                 {"skipped", std::exchange(skipped_, 0)},
                 {"sessions", std::move(sessions)}};
    if (!errors_.empty()) line["errors"] = std::exchange(errors_, {});
    done_.clear();
    tell_(line);
    return {};
  }

  const ReplayPlan& plan_;
  ImportBatch batch_;
  const std::function<void(const Json&)>& tell_;
  size_t project_ = 0;
  std::vector<Json> held_;      // rows of the session, until it is known to be recent enough
  const char* left_ = nullptr;  // why events of the session are not taken
  std::vector<Report> done_;
  std::vector<std::string> errors_;
  int64_t imported_ = 0, skipped_ = 0, flushed_ms_ = Now(), told_ms_ = Now();
};

}  // namespace

Status Replay(const ReplayPlan& plan, const std::function<void(const Json&)>& tell) {
  ASSIGN_OR_RETURN(ImportBatch batch, ImportBatch::To(plan.server));
  return Run(plan, std::move(batch), tell).All();
}

}  // namespace sidecar
