// Builds and hashes documents before the transaction. Checkpoints do not copy the conversation's
// messages, which never change: saving after each step costs only that step.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "lib/base/limits/answer_charge.h"
#include "lib/base/process/clock.h"
#include "lib/base/text/digest.h"
#include "lib/conversation/checkpoint/checkpoint.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/routes/host.h"
#include "lib/http/message/page_query.h"

namespace conversation {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

constexpr size_t kMostOfCheckpoint = http::kMostAnswerBytes - (64 << 10);  // beside other fields
static_assert(kMaxCheckpointBytes < kMostOfCheckpoint);

Json EncodeRow(Host& host, const CheckpointRow& row) {
  return {{"generation", row.generation},
          {"step", row.step},
          {"bytes", row.bytes},
          {"sha256", row.sha256},
          {"expires_at", base::FormatTime(host.Fields().WallMs(row.expires_ms))}};
}

Result<http::Response> PutCheckpoint(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  ASSIGN_OR_RETURN(Json body, base::ParseJson(request.body));
  RETURN_IF_ERROR(host.RedactMessages(body, Host::Length::kWhole));
  ASSIGN_OR_RETURN(CheckpointBody decoded, DecodeCheckpoint(body));
  CheckpointSave save;
  save.owner = host.Key("");
  save.conversation = host.Key(id);
  const auto counted = host.Read([&](Rows& rows) -> Result<Json> {
    ASSIGN_OR_RETURN(const auto found, rows.FindConversation(save.conversation));
    decoded.checkpoint.messages_to = found ? found->message_count : 0;
    return Json();
  });
  if (!counted) return counted.error();
  ASSIGN_OR_RETURN(save.document, WriteDocument(decoded.checkpoint));
  save.sha256 = base::Sha256Hex(save.document);
  save.step = decoded.checkpoint.step;
  save.ttl_ms = decoded.ttl_ms;
  save.kept = host.CheckpointsKept();
  return AsResponse(host.Write([&](Rows& rows) -> Result<Json> {
    save.wall_ms = host.NowMs();
    save.now_ms = host.Fields().Now().now_ms;
    RETURN_IF_ERROR(Append(rows, save.conversation, {}, save.wall_ms));  // marks it as used
    ASSIGN_OR_RETURN(const CheckpointRow row, SaveCheckpoint(rows, save));
    return EncodeRow(host, row);
  }));
}

// Adds the messages from number `from` to `to` to `answer`, up to `room` bytes. kInternal: one of
// them changed on disk.
base::Status AddMessages(Rows& rows, const std::string& key, int64_t from, int64_t to, size_t room,
                         Json& answer) {
  ASSIGN_OR_RETURN(auto page,
                   rows.ReadMessages(key, {MessageScan::Kind::kAll, from, to}, {INT64_MAX, room}));
  if (page.messages.size() == 1 && EncodedBytes(page.messages[0]) > room &&
      room < kMostOfCheckpoint) {
    page = {{}, page.messages[0].sequence};  // it gets a page of its own
  }
  const int64_t end = page.more == 0 ? to : page.more - 1;
  if (!std::ranges::all_of(page.messages, &Message::checksum_ok))
    return Error{Code::kInternal, "the disk changed messages of the conversation"};
  answer["messages"] = EncodeMessages(page);
  // Eviction by the limits of the volume may have removed some.
  if (const int64_t gone = end - from + 1 - std::ssize(page.messages); gone > 0)
    answer["messages_removed"] = gone;
  http::AddNextPage(answer, page.more);
  return {};
}

struct Wanted {
  std::string id, key;
  std::optional<int64_t> generation;
  int64_t cursor = 0;
};

// kInternal: the checkpoint changed on disk.
Result<Json> EncodeSound(Host& host, Rows& rows, const Wanted& wanted, const CheckpointRow& row) {
  ASSIGN_OR_RETURN(const std::string document, ReadCheckpoint(rows, wanted.key, row.generation));
  base::AnswerCharge charge;
  RETURN_IF_ERROR(charge.Add(document.size()));
  auto read = ReadDocument(document);
  if (!read && read.error().code == Code::kInvalid)
    return Error{Code::kInternal, "it is no checkpoint: " + read.error().message};
  if (!read) return read.error();
  Json answer = EncodeRow(host, row);
  answer["conversation"] = wanted.id;
  answer["saved_at"] = base::FormatTime(row.saved_ms);
  size_t room = kMostOfCheckpoint;
  if (wanted.cursor == 0) {
    answer["memory"] = std::move(read->memory);
    answer["tool_state"] = std::move(read->tool_state);
    room -= std::min(room, document.size());
  }
  if (!read->messages.is_null()) {
    answer["messages"] = std::move(read->messages);
    return answer;
  }
  RETURN_IF_ERROR(AddMessages(rows, wanted.key, std::max<int64_t>(1, wanted.cursor),
                              read->messages_to, room, answer));
  return answer;
}

Result<Json> LastSound(Host& host, Rows& rows, const Wanted& wanted) {
  ASSIGN_OR_RETURN(const auto found, rows.FindConversation(wanted.key));
  if (!found || !host.IsShown(*found)) return NoConversation(wanted.id);
  ASSIGN_OR_RETURN(const auto generations,
                   ListCheckpoints(rows, wanted.key, host.Fields().Now().now_ms));
  Json skipped = Json::array();
  std::string reasons;
  for (const CheckpointRow& row : generations) {
    if (wanted.generation && row.generation != *wanted.generation) continue;
    auto answer = EncodeSound(host, rows, wanted, row);
    if (answer) {
      if (!skipped.empty()) (*answer)["skipped"] = std::move(skipped);
      return answer;
    }
    if (answer.error().code != Code::kInternal) return answer;
    skipped.push_back({{"generation", row.generation}, {"reason", answer.error().message}});
    reasons += "; generation " + std::to_string(row.generation) + ": " + answer.error().message;
  }
  const std::string which =
      wanted.generation ? " of generation " + std::to_string(*wanted.generation) : "";
  return Error{Code::kNotFound, "conversation \"" + wanted.id + "\" has no checkpoint" + which +
                                    " that is sound and not over" + reasons};
}

Result<http::Response> GetCheckpoint(Host& host, const http::Request& request) {
  Wanted wanted;
  ASSIGN_OR_RETURN(wanted.id, ConversationId(request));
  wanted.key = host.Key(wanted.id);
  ASSIGN_OR_RETURN(wanted.generation, http::WholeNumber(request, "generation", 1, INT64_MAX));
  ASSIGN_OR_RETURN(wanted.cursor, http::PageCursor(request));
  if (wanted.cursor != 0 && !wanted.generation)
    return Error{Code::kInvalid, "cursor goes with generation, that all pages are of one"};
  return AsResponse(host.Read([&](Rows& rows) { return LastSound(host, rows, wanted); }));
}

Result<http::Response> GetCheckpoints(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  return AsResponse(host.Read([&](Rows& rows) -> Result<Json> {
    ASSIGN_OR_RETURN(const auto found, rows.FindConversation(host.Key(id)));
    if (!found || !host.IsShown(*found)) return NoConversation(id);
    ASSIGN_OR_RETURN(const auto generations,
                     ListCheckpoints(rows, host.Key(id), host.Fields().Now().now_ms));
    Json list = Json::array();
    for (const CheckpointRow& row : generations) {
      list.push_back(EncodeRow(host, row));
      list.back()["saved_at"] = base::FormatTime(row.saved_ms);
    }
    return Json{{"conversation", id}, {"checkpoints", std::move(list)}};
  }));
}

}  // namespace

std::vector<HostedHandler> CheckpointRoutes() {
  return {{"save_checkpoint", PutCheckpoint},
          {"get_checkpoint", GetCheckpoint},
          {"list_checkpoints", GetCheckpoints}};
}

}  // namespace conversation
