// A conversation as rows: a session, and an episodic trace for each question with its answers; and
// texts in parts of messages. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/api/memory_api.h"
#include "memory/transfer/formats/converter.h"

namespace memory {

class ConversationRows {
 public:
  // The id of the session here is of the program and `id`, or of the digest of `of` without one.
  ConversationRows(const std::string& program, std::string id, const base::Json& of,
                   std::string title);

  void Say(bool question, const std::string& text, const base::Json& time);
  // What is said next is of another branch than what was said before, and no part of the summary.
  void BeginOtherBranch() { other_branch_ = begins_ = true; }
  // A text that is not said in the conversation: a row without a time, once for all conversations.
  void Note(const std::string& title, const std::string& text);
  void LeaveOut(const std::string& what) { ++left_out_[what]; }
  // `started`, `ended`: null: the times of the messages.
  ForeignRows Finish(base::Json started, base::Json ended);

 private:
  const std::string id_, title_;
  api::SummaryBuilder summary_;
  std::vector<base::Json> pairs_, notes_;
  bool other_branch_ = false, begins_ = true;
  base::Json first_, last_;
  std::map<std::string, size_t> left_out_;
};

// Every text of a part whose form is not known, at any depth, a line each: strings but names,
// numbers, addresses and kinds of things (`type`, `asset_pointer`, `mime_type`, …). "": none.
std::string TextsIn(const base::Json& part);

// The text of HTML: tags removed, blocks as lines, entities decoded. Not for pages: scripts and
// styles are text here.
std::string TextOfHtml(std::string_view html);

}  // namespace memory
