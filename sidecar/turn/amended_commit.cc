// Reads the stored calls again, so that no table of commits is needed.
#include "sidecar/turn/amended_commit.h"

#include <algorithm>
#include <cstdint>

#include "lib/base/json/json.h"
#include "lib/conversation/messages.h"
#include "sidecar/rules/commits.h"
#include "sidecar/text/tool_text.h"

namespace sidecar {
namespace {

constexpr size_t kMostReadBytes = 4 << 20;

}  // namespace

base::Result<std::string> AmendedTopic(sqlite::Database& db,
                                       const conversation::Conversation& conversation) {
  const int64_t last = conversation.message_count;
  const int64_t first = std::max<int64_t>(1, last - kCallsBeforeAnAmendment + 1);
  ASSIGN_OR_RETURN(const auto page, conversation::MessagesBetween(db, conversation.id, first, last,
                                                                  {INT64_MAX, kMostReadBytes}));
  std::string topic;
  if (page.more > 0) return topic;        // the newest calls were not read
  const base::Json* arguments = nullptr;  // of the call before a result
  base::Json held;
  for (const conversation::Message& message : page.messages) {
    if (message.role == "tool" && arguments != nullptr && !message.is_error) {
      for (const Capture& commit : CommitsOf(*arguments, message.content))
        if (!commit.amends) topic = commit.topic_key;
    }
    arguments = nullptr;
    if (!message.tool_calls.is_array() || message.tool_calls.empty()) continue;
    held = Arguments(message.tool_calls[0]
                         .value("function", base::Json::object())
                         .value("arguments", base::Json()));
    arguments = &held;
  }
  return topic;
}

}  // namespace sidecar
