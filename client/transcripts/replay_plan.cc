// Sessions that begin with the same line are forks of one: the first one has the copied lines.
#include "client/transcripts/replay_plan.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "client/laptop/repository.h"
#include "client/laptop/starter_policy.h"
#include "lib/base/process/file.h"

namespace client {
namespace {

namespace fs = std::filesystem;
using base::Json;

constexpr size_t kMostBytes = 256 << 20;

base::Json FilesOf(const PastSession& session) {
  base::Json files = base::Json::object();
  for (const TranscriptFile& file : session.files) files[file.path] = {file.bytes, file.changed_ns};
  return files;
}

// Names of projects, also of those that are not stored yet.
class Names {
 public:
  explicit Names(const ProjectFiles& files) : files_(files) {}

  std::string Of(const std::string& root) {
    const auto known = by_root_.find(root);
    if (known != by_root_.end()) return known->second;
    std::string name = files_.Find(root).name;
    if (!given_.insert(name).second) {
      name = ProjectName(root, [](const std::string&) { return true; });
      given_.insert(name);
    }
    return by_root_[root] = name;
  }

 private:
  const ProjectFiles& files_;
  std::map<std::string, std::string> by_root_;
  std::set<std::string> given_;
};

}  // namespace

TakenTranscripts::TakenTranscripts(const Home& home) : file_(home.File("transcripts.json")) {
  const auto text = base::ReadFile(file_, kMostBytes);
  const auto json = text ? base::ParseJson(*text, {.max_keys = SIZE_MAX})
                         : base::Result<base::Json>(text.error());
  const base::Json* sessions = json ? base::At(*json, {"sessions"}) : nullptr;
  if (sessions != nullptr && sessions->is_object()) sessions_ = *sessions;
}

std::string TakenTranscripts::KeyOf(const PastSession& session) {
  return session.format + "/" + session.id;
}

TakenTranscripts::State TakenTranscripts::Of(const PastSession& session) const {
  const auto found = sessions_.find(KeyOf(session));
  if (found == sessions_.end()) return State::kNew;
  return *found == FilesOf(session) ? State::kTaken : State::kGrown;
}

void TakenTranscripts::Add(const PastSession& session) {
  sessions_[KeyOf(session)] = FilesOf(session);
}

base::Status TakenTranscripts::Save(const TranscriptTree& tree) {
  std::set<std::string> keys;
  for (const PastSession& session : tree.sessions) keys.insert(KeyOf(session));
  for (auto at = sessions_.begin(); at != sessions_.end();)
    at = keys.contains(at.key()) ? std::next(at) : sessions_.erase(at);
  return Save();
}

base::Status TakenTranscripts::Save() const {
  return base::ReplaceFile(file_, base::DumpJson({{"version", 1}, {"sessions", sessions_}}));
}

std::string RootOf(const std::string& directory, const ProjectFiles& files) {
  const fs::path start = fs::path(directory).lexically_normal();
  std::error_code error;
  const std::vector<KnownProject> all = files.All();
  for (fs::path at = start;; at = at.parent_path()) {
    const auto is_here = [&](const KnownProject& known) { return known.root == at.string(); };
    if (std::ranges::any_of(all, is_here)) return at.string();
    if (fs::is_directory(at, error)) {
      const auto repository = RepositoryOf(at.string());
      if (repository && (repository->versioned || at == start)) return repository->root;
      break;
    }
    if (at == at.parent_path()) break;
  }
  return start.string();
}

Selection SelectSessions(const TranscriptTree& tree, const TakenTranscripts& taken,
                         const ProjectFiles& files, int64_t since_ns) {
  Selection selection;
  Names names(files);
  std::map<std::string, std::string> roots;  // by directory
  for (const PastSession& past : tree.sessions) {
    const auto state = taken.Of(past);
    if (state == TakenTranscripts::State::kTaken) {
      ++selection.taken_before;
      continue;
    }
    if (past.changed_ns() < since_ns) {
      ++selection.before_since;
      continue;
    }
    if (!past.directory.starts_with('/')) {
      selection.refused.push_back(past.files[0].path +
                                  ": it does not say in which directory the agent worked");
      continue;
    }
    std::string& root = roots[past.directory];
    if (root.empty()) root = RootOf(past.directory, files);
    selection.sessions.push_back(
        {past, root, names.Of(root), state == TakenTranscripts::State::kGrown, {}});
  }
  std::ranges::sort(selection.sessions, [](const PlannedSession& a, const PlannedSession& b) {
    return std::make_pair(a.root, a.past.changed_ns()) <
           std::make_pair(b.root, b.past.changed_ns());
  });
  std::map<std::string, std::vector<std::string>> begun;  // by their first line
  for (const PastSession& past : tree.sessions) {
    if (taken.Of(past) != TakenTranscripts::State::kNew && !past.first_line.empty())
      begun[past.first_line].push_back(past.files[0].path);
  }
  for (PlannedSession& session : selection.sessions) {
    if (session.past.first_line.empty()) continue;
    std::vector<std::string>& before = begun[session.past.first_line];
    if (session.grown) continue;  // its earlier part was taken as its own
    session.copied_from = before;
    before.push_back(session.past.files[0].path);
  }
  return selection;
}

base::Result<Json> MakePlan(const Selection& selection, const std::string& policy,
                            const std::string& server, const std::string& since,
                            const ProjectFiles& files) {
  Json projects = Json::array(), sessions = Json::array();
  std::map<std::string, size_t> places;
  for (const PlannedSession& session : selection.sessions) {
    const auto [place, fresh] = places.try_emplace(session.root, projects.size());
    if (fresh) {
      ASSIGN_OR_RETURN(const std::string made, PolicyFor(policy, server, session.project));
      ASSIGN_OR_RETURN(Json parsed, base::ParseJson(made));
      projects.push_back({{"policy", std::move(parsed)},
                          {"state", files.Find(session.root).folder + "/state/state.db"}});
    }
    Json one = {{"project", place->second},
                {"id", session.past.id},
                {"format", session.past.format},
                {"files", Json::array()}};
    for (const TranscriptFile& file : session.past.files) one["files"].push_back(file.path);
    if (!session.copied_from.empty()) one["copied_from"] = session.copied_from;
    if (session.grown) one["grown"] = true;
    sessions.push_back(std::move(one));
  }
  Json plan = {{"projects", std::move(projects)}, {"sessions", std::move(sessions)}};
  if (!server.empty()) plan["server"] = server;
  if (!since.empty()) plan["since"] = since;
  return plan;
}

}  // namespace client
