// The document has sorted keys and no blanks, so that equal checkpoints have equal digests.
#include "lib/conversation/checkpoint/checkpoint.h"

#include <algorithm>
#include <utility>

#include "lib/base/process/ttl.h"
#include "lib/base/text/digest.h"

namespace conversation {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

constexpr int64_t kNsOfAMs = 1'000'000;

Result<Json> ObjectAt(const Json& body, const char* field) {
  const auto found = body.find(field);
  if (found == body.end() || found->is_null()) return Json::object();
  if (found->is_object()) return *found;
  return Error{Code::kInvalid, std::string(field) + " must be an object"};
}

Result<Json> MessagesIn(const Json& body) {
  const auto found = body.find("messages");
  if (found == body.end() || found->is_null()) return Json();
  if (!found->is_array()) return Error{Code::kInvalid, "messages must be a list of objects"};
  for (size_t i = 0; i < found->size(); ++i) {
    if (!(*found)[i].is_object())
      return Error{Code::kInvalid, "messages[" + std::to_string(i) + "] must be an object"};
  }
  return *found;
}

Result<int64_t> StepOf(const Json& body) {
  ASSIGN_OR_RETURN(const auto step, base::OptionalInt(body, "step"));
  if (step && *step >= 0 && *step <= kMaxCheckpointStep) return *step;
  return Error{Code::kInvalid, "step must be a whole number from 0 to " +
                                   std::to_string(kMaxCheckpointStep) +
                                   (step ? ", it is " + std::to_string(*step) : "")};
}

Result<int64_t> TtlMsOf(const Json& body) {
  const auto found = body.find("ttl");
  if (found == body.end() || found->is_null()) return kDefaultCheckpointTtlMs;
  ASSIGN_OR_RETURN(const int64_t ns, base::DecodeTtl(*found));
  if (ns > 0 && ns <= kMaxCheckpointTtlMs * kNsOfAMs) return (ns + kNsOfAMs - 1) / kNsOfAMs;
  return Error{Code::kInvalid, "ttl of a checkpoint must be over 0 and at most 8760h, it is " +
                                   found->dump() + (found->is_string() ? "" : " ns")};
}

Result<Checkpoint> FieldsOf(const Json& body) {
  Checkpoint read;
  ASSIGN_OR_RETURN(read.step, StepOf(body));
  ASSIGN_OR_RETURN(read.messages, MessagesIn(body));
  ASSIGN_OR_RETURN(read.memory, ObjectAt(body, "memory"));
  ASSIGN_OR_RETURN(read.tool_state, ObjectAt(body, "tool_state"));
  return read;
}

}  // namespace

Result<CheckpointBody> DecodeCheckpoint(const Json& body) {
  if (!body.is_object()) return Error{Code::kInvalid, "the body must be an object"};
  CheckpointBody decoded;
  ASSIGN_OR_RETURN(decoded.checkpoint, FieldsOf(body));
  ASSIGN_OR_RETURN(decoded.ttl_ms, TtlMsOf(body));
  return decoded;
}

Result<std::string> WriteDocument(const Checkpoint& checkpoint) {
  Json document = {{"step", checkpoint.step},
                   {"memory", checkpoint.memory},
                   {"tool_state", checkpoint.tool_state}};
  if (checkpoint.messages.is_null()) {
    document["messages_to"] = checkpoint.messages_to;
  } else {
    document["messages"] = checkpoint.messages;
  }
  std::string text = base::DumpJson(document);
  if (text.size() <= kMaxCheckpointBytes) return text;
  return Error{Code::kTooLarge, "the checkpoint has " + std::to_string(text.size()) +
                                    " bytes of JSON; the limit is " +
                                    std::to_string(kMaxCheckpointBytes) +
                                    ". Messages that are appended to the conversation need not be "
                                    "in it"};
}

Result<Checkpoint> ReadDocument(const std::string& document) {
  ASSIGN_OR_RETURN(const Json body, base::ParseJson(document));
  if (!body.is_object()) return Error{Code::kInvalid, "the document is no object"};
  ASSIGN_OR_RETURN(Checkpoint read, FieldsOf(body));
  ASSIGN_OR_RETURN(const auto last, base::OptionalInt(body, "messages_to"));
  read.messages_to = last.value_or(0);
  return read;
}

Result<CheckpointRow> SaveCheckpoint(Rows& rows, const CheckpointSave& save) {
  ASSIGN_OR_RETURN(const auto generations, rows.Checkpoints(save.conversation));
  CheckpointRow row;
  row.generation = generations.empty() ? 1 : generations.front().generation + 1;
  row.step = save.step;
  row.bytes = static_cast<int64_t>(save.document.size());
  row.saved_ms = save.wall_ms;
  row.expires_ms = save.now_ms + save.ttl_ms;
  row.sha256 = save.sha256;
  RETURN_IF_ERROR(
      rows.RemoveCheckpoints(save.conversation, row.generation - save.kept, save.now_ms));
  RETURN_IF_ERROR(rows.InsertCheckpoint(save.owner, save.conversation, row, save.document));
  ASSIGN_OR_RETURN(const int64_t bytes, rows.CheckpointBytes(save.owner));
  if (bytes <= kMaxCheckpointsOfOwner) return row;
  return Error{Code::kFull, "the checkpoints of all conversations would have " +
                                std::to_string(bytes) + " bytes, the limit is " +
                                std::to_string(kMaxCheckpointsOfOwner) + "; let some expire"};
}

Result<std::vector<CheckpointRow>> ListCheckpoints(Rows& rows, const std::string& conversation,
                                                   int64_t now_ms) {
  ASSIGN_OR_RETURN(auto found, rows.Checkpoints(conversation));
  std::erase_if(found, [&](const CheckpointRow& row) { return row.expires_ms <= now_ms; });
  return found;
}

Result<std::string> ReadCheckpoint(Rows& rows, const std::string& conversation,
                                   int64_t generation) {
  ASSIGN_OR_RETURN(auto document, rows.CheckpointDocument(conversation, generation));
  if (!document)
    return Error{Code::kNotFound, "there is no generation " + std::to_string(generation)};
  if (document->sound && base::Sha256Hex(document->text) == document->sha256)
    return std::move(document->text);
  return Error{Code::kInternal, "its checksum does not match: the disk changed it"};
}

Result<int64_t> RemoveExpiredCheckpoints(Rows& rows, int64_t now_ms, int64_t limit) {
  return rows.RemoveExpiredCheckpoints(now_ms - kKeepExpiredCheckpointMs, limit);
}

}  // namespace conversation
