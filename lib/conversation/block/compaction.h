// The compact form of a block: chains of tool calls become one message each, with a line per call;
// other messages stay unchanged. A view that never replaces the messages. From "Agent Memory
// Systems", section Block Memory. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/block/block.h"
#include "lib/conversation/message.h"

namespace conversation {

inline constexpr size_t kArgumentCharacters = 80, kResultCharacters = 200;
// The head of a message's content that Compaction uses; the rest is only counted.
inline constexpr size_t kHeadCharacters = 600;
// For all lines of a block; further calls are counted in one line.
inline constexpr size_t kMostLineBytes = 1 << 20;

// The unchanged messages `from` to `to`; or, if `tool_use` is not empty, one message with that text
// in the user's role: a model would imitate the assistant's.
struct CompactPart {
  int64_t from = 0, to = 0;
  std::string tool_use;
};
base::Json EncodeParts(const std::vector<CompactPart>& parts);
base::Result<std::vector<CompactPart>> DecodeParts(const base::Json& json);
Message ToolUseMessage(std::string tool_use);

// Reads a block's messages one by one, in order. Memory: a few times kMostLineBytes, and some bytes
// per message. A line is
//   name arguments(80) -- result(200)     in characters including "…", each inert
// Drops a line that equals an earlier one of its chain. Matches results to calls by id, in any
// order; drops results without a call in the block, and the assistant's text beside a call.
class Compaction {
 public:
  // `message.content` may be its first kHeadCharacters; `characters`: of the whole.
  void Add(const Message& message, int64_t characters);

  std::vector<CompactPart> Parts() const;
  int64_t Tokens(const std::vector<CompactPart>& parts) const;  // characters / 3
  int64_t OriginalTokens() const;                               // of the unchanged messages
  const std::string& Query() const { return query_; }
  const std::string& Outcome() const { return outcome_; }  // the assistant's last text
  const ToolCounts& Tools() const { return tools_; }

 private:
  struct Part {
    int64_t from = 0, to = 0;                // of messages; or
    int64_t first_call = -1, last_call = 0;  // of a chain
    int64_t more = 0;                        // calls beyond kMostLineBytes
  };
  struct Line {
    int64_t chain = 0;
    std::string call, result;
    bool has_result = false;
    std::string Text() const;
  };

  void AddCall(const base::Json& call);
  void AddResult(const Message& message, int64_t characters);
  void CountTool(const std::string& name);
  void Settle(int64_t number);  // drops a line that equals an earlier one of its chain

  std::vector<Part> parts_;
  std::map<int64_t, Line> lines_;                             // by number of their call
  std::map<std::string, int64_t> waiting_;                    // calls without a result, by id
  std::map<std::pair<int64_t, std::string>, int64_t> known_;  // chain and line → call
  size_t bytes_ = 0;
  int64_t calls_ = 0, passing_ = 0, all_ = 0;  // characters of unchanged messages; of all
  bool asked_ = false;
  std::string query_, outcome_;
  ToolCounts tools_;
};

// The compact form of `messages`.
std::vector<Message> CompactMessages(const std::vector<Message>& messages);

}  // namespace conversation
