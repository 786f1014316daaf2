// Redacts each name by itself, without the text around it.
#include "sidecar/redaction/redacted_names.h"

#include <cstdint>

#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "lib/conversation/conversation.h"

namespace sidecar {
namespace {

using base::Json;

// Longer than any real name; searching longer ones would cost as much as a text.
constexpr size_t kLongestKey = 4096;
constexpr size_t kMarkBytes = 33;  // '#' and the hash

std::string MarkOf(const std::string& name) { return "#" + base::Sha256Hex(name).substr(0, 32); }

}  // namespace

std::string RedactName(const redaction::Redactor& redactor, const std::string& name, size_t limit,
                       redaction::Redactor::Counts& counts) {
  if (name.size() > kLongestKey) return name;  // the caller refuses or shortens it
  std::string redacted = redactor.Redact(name, counts);
  if (redacted == name || redacted.size() <= limit) return redacted;
  return redacted.substr(0, base::BorderBefore(redacted, limit - kMarkBytes)) + MarkOf(name);
}

std::string RedactId(const redaction::Redactor& redactor, const std::string& id) {
  if (id.find_first_not_of("0123456789") == std::string::npos) return id;
  redaction::Redactor::Counts counts;
  return RedactName(redactor, id, conversation::kMaxConversationIdBytes, counts);
}

void RedactNames(const redaction::Redactor& redactor, api::HookEvent& event,
                 redaction::Redactor::Counts& counts) {
  event.session_id =
      RedactName(redactor, event.session_id, conversation::kMaxConversationIdBytes, counts);
  for (std::string* name : {&event.prompt_id, &event.tool_name, &event.tool_use_id}) {
    *name = name->size() > kLongestKey ? MarkOf(*name)
                                       : RedactName(redactor, *name, kLongestKey, counts);
  }
}

void RedactWrite(const redaction::Redactor& redactor, Json& body) {
  redaction::Redactor::Counts counts;
  for (auto member = body.begin(); member != body.end(); ++member) {
    const std::string& name = member.key();
    Json& value = member.value();
    if (name == "project") continue;  // the policy's
    if ((name == "id" || name == "session_id") && value.is_string()) {
      value = RedactName(redactor, value.get<std::string>(), conversation::kMaxConversationIdBytes,
                         counts);
    } else {
      redactor.RedactStrings(value, counts);
    }
  }
}

}  // namespace sidecar
