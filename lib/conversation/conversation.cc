// toolMeta is merged call by call, since a runtime saves it with the message of each call.
#include "lib/conversation/conversation.h"

#include "lib/base/process/clock.h"

namespace conversation {

using base::Json;

base::Result<Json> MergeFields(Json fields, const Json& changes) {
  for (const auto& [key, value] : changes.items()) {
    if (value.is_null()) {
      fields.erase(key);
    } else if (key == "toolMeta" && value.is_object()) {
      Json& calls = fields[key];
      if (!calls.is_object()) calls = Json::object();
      for (const auto& [call, about] : value.items()) {
        if (about.is_null())
          calls.erase(call);
        else
          calls[call] = about;
      }
    } else {
      fields[key] = value;
    }
  }
  const size_t bytes = base::DumpJson(fields).size();
  if (bytes > kMaxFieldsBytes) {
    return base::Error{base::Code::kTooLarge,
                       "the state of a conversation has " + std::to_string(bytes) +
                           " bytes, the limit is " + std::to_string(kMaxFieldsBytes) +
                           "; take out what is done with (a null in toolMeta takes a call out)"};
  }
  return fields;
}

Json EncodeConversation(const Conversation& conversation) {
  Json json = conversation.fields;
  json["id"] = conversation.id;
  json["conversation"] = conversation.id;
  json["memory_session_id"] = conversation.memory_session_id;
  json["state"] = conversation.state;
  json["created_at"] = base::FormatTime(conversation.created_ms);
  json["updated_at"] = base::FormatTime(conversation.updated_ms);
  json["message_count"] = conversation.message_count;
  json["turn"] = conversation.turn;
  return json;
}

}  // namespace conversation
