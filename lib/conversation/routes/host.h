// The interface between the routes of conversations and the program that serves them: the file, the
// clock, the names in the file, and the permitted writes. The sidecar has one Host for its agent,
// the memory server one for each request's caller. And the routes that both serve: a table for each
// resource.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/conversation.h"
#include "lib/conversation/rows.h"
#include "lib/conversation/working/field_life.h"
#include "lib/http/message/message.h"

namespace conversation {

// Any thread; calls block.
class Host {
 public:
  using Work = std::function<base::Result<base::Json>(Rows&)>;

  virtual ~Host() = default;
  // Runs `use` in a read transaction, possibly more than once.
  virtual base::Result<base::Json> Read(const Work& use) = 0;
  // Runs `work` in a transaction and returns after its synced commit. An error of `work` rolls
  // back. kFull: the volume or the caller's quota has no room; kFrees is admitted even then, and
  // must be idempotent.
  enum class Space { kConsumes, kFrees };
  virtual base::Result<base::Json> Write(const Work& work, Space space) = 0;
  base::Result<base::Json> Write(const Work& work) { return Write(work, Space::kConsumes); }

  virtual int64_t NowMs() const = 0;            // the wall clock, ms since 1970 UTC
  virtual FieldLife& Fields() = 0;              // expiry of fields and checkpoints
  virtual int64_t CheckpointsKept() const = 0;  // per conversation
  // The name of conversation `id` in the file. The server's begins with the caller, so that other
  // callers' conversations are not found.
  virtual std::string Key(const std::string& id) const = 0;
  virtual std::string IdOf(const std::string& key) const = 0;  // of a Key
  // Redacts secrets in all strings of a value, before a transaction. The policy may exempt content,
  // but not names. kUnavailable: no policy is in force yet.
  enum class Text { kName, kContent };
  virtual base::Status Redact(base::Json& value, Text text) const = 0;

  // Hooks for the program's own work on a conversation. Calls with rows run inside Write's
  // transaction, and `key` is a Key.
  virtual bool IsShown(const Conversation&) const { return true; }
  // Redacts a body with `messages`. kShortened also cuts the middle out of long strings.
  enum class Length { kWhole, kShortened };
  virtual base::Status RedactMessages(base::Json&, Length) const { return {}; }
  virtual base::Result<Conversation> Open(Rows& rows, const std::string& key);
  // Reads, before the transaction, the data that the Ending needs inside it.
  using Ending = std::function<base::Status(Rows&)>;
  virtual base::Result<Ending> PrepareEnd(const std::string& key);
  virtual base::Status AdmitMessages(Rows&, const std::string&) { return {}; }
  virtual void Changed() {}  // after the commit
};

// The handler of a route that both programs serve. `name`: of its row in lib/api/operations.
struct HostedHandler {
  const char* name;
  base::Result<http::Response> (*handler)(Host& host, const http::Request& request);
};

// 200 with the value, or the error.
base::Result<http::Response> AsResponse(const base::Result<base::Json>& answer);

// The parameter `id`, `conversation` or `conversation_id` of the path. kInvalid: not of 1 to
// kMaxConversationIdBytes.
base::Result<std::string> ConversationId(const http::Request& request);
base::Error NoConversation(const std::string& id);  // kNotFound
base::Status CheckConversationId(const std::string& id);

// All routes that both programs serve, and a table for each resource.
std::vector<HostedHandler> HostedHandlers();

std::vector<HostedHandler> ConversationRoutes();  // /conversations, and their messages
std::vector<HostedHandler> BlockRoutes();         // /conversations/{id}/blocks and …/context
std::vector<HostedHandler> CheckpointRoutes();  // /conversations/{id}/checkpoint and …/checkpoints
std::vector<HostedHandler> TaskRoutes();        // task state, snapshot, reports without hooks
std::vector<HostedHandler> FieldRoutes();       // /working-memory/{conversation_id}
std::vector<HostedHandler> LedgerRoutes();  // /ledger/{conversation}, …/check, …/mark, …/evict

// Checks an item or a value of the ledger. kInvalid: blank or too long.
base::Status CheckLedgerText(const char* field, const std::string& text);

}  // namespace conversation
