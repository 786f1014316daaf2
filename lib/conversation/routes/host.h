// The seam between the routes of conversations and the program that serves them: a file, a clock,
// the names in the file, and what may be written there. The sidecar has one for its agent, the
// memory server one for each request's caller.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/checkpoint/checkpoint_table.h"
#include "lib/conversation/conversation.h"
#include "lib/conversation/working/field_life.h"
#include "lib/http/message/message.h"
#include "lib/sqlite/database.h"
#include "lib/sqlite/writer.h"

namespace conversation {

// Any thread; calls block.
class Host {
 public:
  using Work = std::function<base::Result<base::Json>(sqlite::Database&)>;

  virtual ~Host() = default;
  // Runs `use` in a read transaction. `use` may run again when the program has to repeat it.
  virtual base::Result<base::Json> Read(const Work& use) = 0;
  // Runs `work` in a transaction and returns after its synced commit. An error of `work` undoes it.
  // kFull: the volume or the caller's quota has no room; work that gives room is let in even then.
  using Room = sqlite::Writer::Room;
  virtual base::Result<base::Json> Write(const Work& work, Room room) = 0;
  base::Result<base::Json> Write(const Work& work) { return Write(work, Room::kNeeds); }

  virtual int64_t NowMs() const = 0;            // the wall clock, ms since 1970 UTC
  virtual FieldLife& Fields() = 0;              // when fields and checkpoints in the file expire
  virtual int64_t CheckpointsKept() const = 0;  // of a conversation
  // The name of conversation `id` in the file. The server's begins with the caller, so that a
  // conversation of another caller is not found.
  virtual std::string Key(const std::string& id) const = 0;
  virtual std::string IdOf(const std::string& key) const = 0;  // of a Key
  // Takes secrets out of all strings of a value before a transaction. Content stays as it is where
  // the policy says so; names are redacted always. kUnavailable: no policy is in force yet.
  enum class Text { kName, kContent };
  virtual base::Status Redact(base::Json& value, Text text) const = 0;

  // What a program does beside the messages of a conversation; by default nothing. Calls with a
  // database run inside Write's transaction, and `key` is a Key.
  virtual bool IsShown(const Conversation&) const { return true; }
  // A body with `messages`. kShortened: long strings lose their middle, too.
  enum class Length { kWhole, kShortened };
  virtual base::Status RedactMessages(base::Json&, Length) const { return {}; }
  virtual base::Result<Conversation> Open(sqlite::Database& db, const std::string& key);
  // Reads before the transaction what the ending in it needs.
  using Ending = std::function<base::Status(sqlite::Database&)>;
  virtual base::Result<Ending> PrepareEnd(const std::string& key);
  virtual base::Status AdmitMessages(sqlite::Database&, const std::string&) { return {}; }
  virtual void Changed() {}  // after the commit
};

// One route of a table that both programs serve.
struct HostedRoute {
  const char* method;
  const char* pattern;
  base::Result<http::Response> (*handler)(Host& host, const http::Request& request);
  size_t max_body_bytes = 1 << 20;
};

// 200 with the value, or the error.
base::Result<http::Response> AsResponse(const base::Result<base::Json>& answer);

// The parameter `id`, `conversation` or `conversation_id` of the path. kInvalid: an id has 1 to
// kMaxConversationIdBytes.
base::Result<std::string> ConversationId(const http::Request& request);
base::Error NoConversation(const std::string& id);  // kNotFound
base::Status CheckConversationId(const std::string& id);

}  // namespace conversation
