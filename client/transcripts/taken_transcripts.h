// Which transcripts an import has taken, and how long they were: transcripts.json of the home. A
// lost file costs time, and no row: the memory server takes each row once.
#pragma once

#include <string>

#include "client/laptop/home.h"
#include "client/transcripts/transcript_tree.h"
#include "lib/base/json/json.h"

namespace client {

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

}  // namespace client
