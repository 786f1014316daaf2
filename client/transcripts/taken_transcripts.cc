// One JSON object, replaced as a whole.
#include "client/transcripts/taken_transcripts.h"

#include <set>

#include "lib/base/process/file.h"

namespace client {
namespace {

constexpr size_t kMostBytes = 256 << 20;

base::Json FilesOf(const PastSession& session) {
  base::Json files = base::Json::object();
  for (const TranscriptFile& file : session.files) files[file.path] = {file.bytes, file.changed_ns};
  return files;
}

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

}  // namespace client
