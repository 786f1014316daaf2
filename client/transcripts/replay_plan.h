// The plan of `agent-memory-sidecar replay`: the projects of the sessions, their policies and
// files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "client/laptop/project_files.h"
#include "client/transcripts/taken_transcripts.h"
#include "client/transcripts/transcript_tree.h"

namespace client {

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
