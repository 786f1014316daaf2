// A conversation as rows: a session, and an episodic trace for each question with its answers.
// Pure.
#pragma once

#include <map>
#include <string>

#include "lib/api/memory_api.h"
#include "memory/transfer/rows/other_programs.h"

namespace memory {

class PairedRows {
 public:
  // `id`: of the session here.
  PairedRows(std::string id, std::string title, const ForeignDefaults& defaults)
      : id_(std::move(id)), title_(std::move(title)), defaults_(defaults) {}

  void Say(bool question, const std::string& text, const base::Json& time);
  // What is said next is of another branch than what was said before, and no part of the summary.
  void BeginOtherBranch();
  // A text that is not said in the conversation: a row without a time, once for all conversations.
  void Note(const std::string& title, const std::string& text);
  void LeaveOut(const std::string& what) { ++left_out_[what]; }
  // `started`, `ended`: null: the times of the messages.
  OtherRows Finish(base::Json started, base::Json ended);

 private:
  const std::string id_, title_;
  const ForeignDefaults& defaults_;
  api::SummaryBuilder summary_;
  std::vector<base::Json> pairs_, notes_;
  bool other_branch_ = false, begins_ = true;
  base::Json first_, last_;
  std::map<std::string, size_t> left_out_;
};

}  // namespace memory
