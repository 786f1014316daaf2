// The plan of `agent-memory-sidecar replay`: the sessions that no import has taken yet, their
// projects, policies and files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "client/laptop/home.h"
#include "client/laptop/project_files.h"
#include "client/transcripts/transcript_tree.h"
#include "lib/base/json/json.h"

namespace client {

// Which transcripts an import has taken, and how long they were: transcripts.json of the home,
// replaced as a whole. A lost file costs time, and no row: the memory server takes each row once.
class TakenTranscripts {
 public:
  explicit TakenTranscripts(const Home& home);  // an unreadable file is an empty one

  enum class State { kNew, kGrown, kTaken };
  State Of(const PastSession& session) const;
  void Add(const PastSession& session);
  // Replaces the file; forgets sessions that are not in `tree`.
  base::Status Save(const TranscriptTree& tree);
  base::Status Save() const;

 private:
  static std::string KeyOf(const PastSession& session);
  const std::string file_;
  base::Json sessions_ = base::Json::object();  // by key: {path: [bytes, changed_ns]}
};

struct PlannedSession {
  PastSession past;
  std::string root, project;
  bool grown = false;
  std::vector<std::string> copied_from;
};

struct Selection {
  std::vector<PlannedSession> sessions;  // by project, then by the time of their last change
  size_t taken_before = 0;               // an import has taken them already
  size_t before_since = 0;
  std::vector<std::string> refused;  // "path: why"
};

// The sessions that are to be taken. `since_ns`: those without a later change are left out; 0:
// none.
Selection SelectSessions(const TranscriptTree& tree, const TakenTranscripts& taken,
                         const ProjectFiles& files, int64_t since_ns);

// The root of the repository of `directory`; of a directory that is gone, the one of its nearest
// parent that is a repository or known here, else itself.
std::string RootOf(const std::string& directory, const ProjectFiles& files);

// `policy`: policy.json of the user. `server`: empty for a plan that stores nothing. kInvalid: the
// policy.
base::Result<base::Json> MakePlan(const Selection& selection, const std::string& policy,
                                  const std::string& server, const std::string& since,
                                  const ProjectFiles& files);

}  // namespace client
