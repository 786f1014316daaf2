// The digest of a session, a text of bounded size made without a model: the goal, causes that
// answers stated, requests with the first sentence of each answer, the last answer, tools, files,
// failures and whether a later call worked, saved memories. Contains text of users and the agent,
// never a tool's output. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/conversation/message.h"

namespace sidecar {

class SessionDigest {
 public:
  static constexpr size_t kMostCharacters = 6'000;

  void Add(const conversation::Message& message);  // in the order of the session
  bool Empty() const { return users_ == 0 && calls_ == 0; }
  // False for a session of greetings, questions and requests to remember, which are memories of
  // their own: it adds nothing.
  bool HasNews() const { return has_news_ || calls_ > 0 || !causes_.empty(); }
  std::string Title() const;  // "Session: <goal>"
  std::string Text() const;   // deterministic

 private:
  struct Exchange {
    std::string request, answer;  // its first sentence; empty: none so far
  };
  struct Tool {
    int64_t calls = 0, failed = 0;
  };
  struct Attempt {  // the same tool with the same argument
    int64_t failed = 0;
    bool worked_last = false;
  };
  struct Call {
    std::string tool, attempt, changes,
        saves;  // of a successful call: the changed file; the saved title
  };
  // The first kMostKept keys in order, and the number of other keys.
  template <class T>
  struct Kept {
    std::vector<std::pair<std::string, T>> items;
    std::map<std::string, size_t> places;
    std::set<size_t> others;        // hashes
    T* At(const std::string& key);  // null: no room for another key
  };

  void AddRequest(const std::string& request);
  void AddCall(const base::Json& call);
  void AddResult(const conversation::Message& message);

  int64_t users_ = 0, assistants_ = 0, calls_ = 0;
  bool has_news_ = false;
  std::string goal_, last_answer_;
  std::vector<Exchange> exchanges_;  // the first and the newest
  int64_t left_out_ = 0;             // of the exchanges
  Kept<Tool> tools_;
  Kept<int64_t> files_;  // changes of each
  Kept<Attempt> attempts_;
  Kept<int64_t> saved_;
  std::vector<std::string> causes_;   // that answers stated, the newest kMostCausesKept
  std::map<std::string, Call> open_;  // calls without a result so far
};

}  // namespace sidecar
