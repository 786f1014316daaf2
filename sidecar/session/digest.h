// What was done in a session, in a text of bounded size and without a model: the goal, the last
// request and answer, tools, files, what failed and whether it was put right, what was saved. Only
// words of people and of the agent go into it, never a tool's output. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/conversation/conversations.h"

namespace sidecar {

class SessionDigest {
 public:
  static constexpr size_t kMostCharacters = 6'000;

  void Add(const conversation::Message& message);  // in their order
  bool Empty() const { return users_ == 0 && calls_ == 0; }
  std::string Title() const;  // "Session: <goal>"
  std::string Text() const;   // the same for the same messages

 private:
  struct Tool {
    int64_t calls = 0, failed = 0;
  };
  struct Attempt {  // the same tool with the same argument
    int64_t failed = 0;
    bool worked_last = false;
  };
  struct Call {
    std::string tool, attempt, changes, saves;  // when it works: a file; the title of a memory
  };
  // In the order of the first time; at most kMostKept, of the rest how many different ones.
  template <class T>
  struct Kept {
    std::vector<std::pair<std::string, T>> items;
    std::map<std::string, size_t> places;
    std::set<size_t> others;        // hashes
    T* At(const std::string& key);  // null: there is no room for another one
  };

  void AddCall(const base::Json& call);
  void AddResult(const conversation::Message& message);

  int64_t users_ = 0, assistants_ = 0, calls_ = 0;
  std::string goal_, last_request_, last_answer_;
  Kept<Tool> tools_;
  Kept<int64_t> files_;  // how often it was changed
  Kept<Attempt> attempts_;
  Kept<int64_t> saved_;
  std::map<std::string, Call> open_;  // calls that wait for their result
};

}  // namespace sidecar
