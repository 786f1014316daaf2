// Decides what a write does: update the row of its topic, count a duplicate, or insert. Pure:
// candidates in, decision out. The capturing rule is part of the key, so that two rules never count
// as one. Deleted rows are no candidates, so that they do not swallow a new write.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memory {

enum class Tier {
  kTopic,
  kHash,
  kNew,
  kUsersTopic,  // a user's row has the topic, and the writer may not change it
};

// A live row of the write's project that has its topic key or its hash.
struct Candidate {
  int64_t row = 0;
  std::string topic_key, scope, type, rule, hash;
  int64_t content_ms = 0;  // when its present content was written
  std::string origin = {};
};

struct Incoming {
  std::string topic_key, scope, type, rule, hash;
  int64_t now_ms = 0;
  std::string origin = {};
  bool replace_user = false;
};

struct Decision {
  Tier tier = Tier::kNew;
  int64_t row = 0;  // of the row to update or count, or of the user's; 0 for kNew
};

// Whether a writer of this class may change a row of that one.
bool MayChange(const std::string& row_origin, const std::string& writer, bool replace_user);

// A write with a new topic key always inserts, also if its text exists. The window is closed:
// exactly `window_ms` apart still counts.
Decision Decide(const std::vector<Candidate>& candidates, const Incoming& incoming,
                int64_t window_ms);

}  // namespace memory
