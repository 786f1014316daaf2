// Decides which array and which element is what. An object with a list of messages is one
// conversation: its elements are collected until its end.
#include <algorithm>
#include <map>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/text/text.h"
#include "memory/api/json_elements.h"
#include "memory/transfer/formats/body_formats.h"
#include "memory/transfer/rows/bodies.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Status;

namespace {

constexpr size_t kMostMessages = 100'000;
constexpr std::string_view kCollectedLists[] = {"messages", "contents", "chunks", "turns",
                                                "history"};
// Fields of a body that may be one conversation or project.
constexpr std::string_view kObjectFields[] = {
    "uuid",         "name",        "description", "prompt_template",
    "created_at",   "updated_at",  "title",       "sessionId",
    "startTime",    "lastUpdated", "id",          "conversation_id",
    "current_node", "create_time", "update_time", "summary"};
constexpr std::string_view kKnownArrays[] = {"results",      "memories", "sessions",
                                             "observations", "prompts",  "traces"};

// A message of a conversation, and none of AgentOS'.
bool IsMessage(const Json& element) {
  return element.is_object() && !element.contains("conversationId") &&
         !element.contains("conversation_id") &&
         !TextOfFirst(element, {"role", "type", "author", "sender"}).empty();
}

// No other program's export has one of these; with sorted names one comes first.
bool IsAgentOsMark(const std::string& array) {
  return array == "traces" || array == "chunks" || array == "consolidation_log";
}

class JsonBody {
 public:
  JsonBody(const ForeignDefaults& defaults, Importer& importer)
      : defaults_(defaults),
        importer_(importer),
        named_(ConverterNamed(defaults.format)),
        auto_(defaults.format == "auto") {}

  Status Read(http::BodyReader& body) {
    ElementHandlers handlers;
    handlers.list = named_ != &kEngram;
    handlers.by_member = kAegisSection;
    handlers.on_member = [&](const std::string& key, const Json& hash) {
      known_ = true;
      return importer_.TakeAegis(key, hash);
    };
    handlers.on_element = [&](const std::string& array, Json element) {
      return Take(array, std::move(element));
    };
    handlers.on_field = [&](const std::string& name, const Json& value) {
      return TakeField(name, value);
    };
    handlers.on_array = [&](const std::string& array) {
      known_ = known_ || (defaults_.format == "agentos-json" ? AgentOsImport::IsArray(array)
                                                             : base::IsOneOf(array, kKnownArrays));
      // An empty list is one of memories if its format says so.
      known_ = known_ || (array.empty() && !auto_ && defaults_.format != "json");
      agentos_ = agentos_ || IsAgentOsMark(array);
    };
    RETURN_IF_ERROR(ReadElements(body, handlers));
    RETURN_IF_ERROR(TakeObject());
    for (const auto& [array, count] : unknown_)
      importer_.Tell(std::to_string(count) + " elements of " + base::Ellipsize(array, 40) +
                         " are nothing that is known here: they were left out",
                     Json(), false);
    if (known_) return {};
    return Error{Code::kInvalid, "nothing in this JSON is a list of memories"};
  }

 private:
  Status TakeField(const std::string& name, const Json& value) {
    if (name == "format") {
      known_ = true;
      return importer_.SetFormat(value);
    }
    // Exports of ours and of the reference service have none, engram's says its version.
    engram_ = engram_ || (name == "version" && auto_);
    const bool conversation = (name == "chunkedPrompt" && value.contains("chunks")) ||
                              (name == "mapping" && value.is_object()) ||
                              name == "conversations_memory" || name == "project_memories";
    if (conversation || name == "systemInstruction" || name == "system_instruction" ||
        (value.is_primitive() && base::IsOneOf(name, kObjectFields)))
      object_[name] = value;
    is_object_ = is_object_ || conversation;
    known_ = known_ || conversation;
    if ((name == "sessions" || name == "observations") && !value.is_null())
      return Error{Code::kInvalid, name + " must be an array"};
    return {};
  }

  Status Take(const std::string& array, Json element) {
    known_ = known_ || (array.empty() && (element.is_object() || element.is_string()));
    if (IsPartOfObject(array, element)) return Collect(array, std::move(element));
    if (const Converter* converter = ConverterOf(array, element)) {
      if (const auto rows = converter->convert(array, element))
        return TakeAs(converter->name, *rows);
    }
    const bool any = auto_ && !engram_;
    if (defaults_.format == "agentos-json" || (any && IsAgentOs(array, element))) {
      known_ = known_ || any;
      const std::string name = array.empty() ? "traces" : array;
      return AgentOsImport::IsArray(name) ? importer_.TakeAgentOs(name, std::move(element))
                                          : LeaveOut(array);
    }
    for (const KindRow& row : KindRows())
      if (array == row.array && row.kind() != RowKind::kObservation)
        return importer_.Take(row.kind(), element);
    // A list that a person wrote: an odd field or name is no reason to lose its text.
    if (array.empty() && element.is_string()) element = {{"content", std::move(element)}};
    if (IsOfPerson(array, element))
      return TakeAs("json", {.rows = {{.fields = std::move(element)}}});
    if (array == "observations" || array.empty())
      return importer_.Take(RowKind::kObservation, element);
    return LeaveOut(array);
  }

  const Converter* ConverterOf(const std::string& array, const Json& element) const {
    if (named_ != nullptr || !auto_) return named_;
    for (const Converter* one : Converters())
      if (one->recognizes(array, element)) return one;
    return engram_ ? &kEngram : nullptr;
  }

  bool IsPartOfObject(const std::string& array, const Json& element) const {
    const bool named = named_ != nullptr && named_->of_conversations;
    if (!named && !auto_) return false;
    if (array == "docs") return named || (element.is_object() && element.contains("filename"));
    return (base::IsOneOf(array, kCollectedLists) || array == "chat_messages") &&
           (named || IsMessage(element));
  }

  Status Collect(const std::string& array, Json element) {
    known_ = is_object_ = true;
    Json& list = object_[base::IsOneOf(array, kCollectedLists) ? "messages" : array];
    if (list.size() >= kMostMessages)
      return Error{Code::kTooLarge, "a conversation has more than 100,000 messages"};
    list.push_back(std::move(element));
    return {};
  }

  Status TakeObject() {
    if (!is_object_) return {};
    const auto found = std::ranges::find_if(Converters(), [&](const Converter* one) {
      return one->of_conversations && one->recognizes("", object_);
    });
    const Converter& converter = found != Converters().end() ? **found
                                 : object_.contains("docs")  ? kClaude
                                                             : kGemini;
    return TakeAs(converter.name, *converter.convert("", object_));
  }

  bool IsOfPerson(const std::string& array, const Json& element) const {
    if (element.contains("normalized_hash") || element.contains("revisions")) return false;
    if (base::StringAt(element, {"content"}).empty() && base::StringAt(element, {"text"}).empty())
      return false;
    if (array.empty()) return true;
    if (!auto_ || engram_ || importer_.ours() || agentos_) return false;
    if (array == "observations") return base::StringAt(element, {"project"}).empty();
    return base::IsOneOf(array, kKnownArrays);
  }

  // A trace of ours has its text elsewhere; arrays of one name tell by what else came.
  bool IsAgentOs(const std::string& array, const Json& element) const {
    if (array == "traces") return element.contains("content");
    if (array.empty())
      return element.contains("content") &&
             (element.contains("retrievalCount") || element.contains("retrieval_count"));
    if (agentos_) return !importer_.ours() && AgentOsImport::IsArray(array);
    // What comes before its traces tells by its fields.
    constexpr std::pair<std::string_view, const char*> kFields[] = {
        {"edges", "from"},
        {"edges", "source_id"},
        {"messages", "conversationId"},
        {"nodes", "label"},
        {"images", "mime_type"},
        {"messages", "conversation_id"},
        {"documents", "chunk_count"},
        {"conversations", "createdAt"},
        {"conversations", "created_at"}};
    return std::ranges::any_of(kFields, [&](const auto& one) {
      return array == one.first && element.contains(one.second);
    });
  }

  Status LeaveOut(const std::string& array) {
    ++unknown_[array];
    return {};
  }

  Status TakeAs(const char* format, const ForeignRows& rows) {
    known_ = true;
    return TakeForeignRows(rows, format, Json(), defaults_, importer_);
  }

  const ForeignDefaults& defaults_;
  Importer& importer_;
  const Converter* const named_;  // null: the format names none
  const bool auto_;
  bool engram_ = false;   // the body says a version
  bool agentos_ = false;  // an array of AgentOS' was there
  bool known_ = false;    // something of an export was there, empty or not
  bool is_object_ = false;
  Json object_ = Json::object();            // the body, if it is one conversation or project
  std::map<std::string, int64_t> unknown_;  // elements of unknown arrays
};

}  // namespace

Status ReadJsonBody(http::BodyReader& body, const ForeignDefaults& defaults, Importer& importer) {
  Status read = JsonBody(defaults, importer).Read(body);
  if (read || importer.any() || read.error().code != Code::kInvalid) return read;
  return Error{Code::kInvalid, read.error().message + "; " + AcceptedBodies()};
}

Status ReadForeignLines(http::BodyReader& body, const Converter& converter,
                        const ForeignDefaults& defaults, Importer& importer) {
  size_t number = 0;
  return ForEachLine(body, kMaxElementBytes, [&](std::string_view line) -> Status {
    const Json where = {{"line", ++number}};
    if (number == 1) line = WithoutByteOrderMark(line);
    if (base::IsBlank(line)) return {};
    const auto json = base::ParseJson(line);
    if (json)
      return TakeForeignRows(*converter.convert("", *json), converter.name, where, defaults,
                             importer);
    importer.RefuseObservation({Code::kInvalid, json.error().message}, where);
    return {};
  });
}

Status TakeForeignRows(const ForeignRows& made, const char* format, const Json& where,
                       ForeignDefaults defaults, Importer& importer) {
  defaults.format = format;
  if (made.deleted) importer.SkipObservation();
  for (Json session : made.sessions) {
    if (session.is_object() && IsEmptyField(FirstOf(session, {"project"})))
      session["project"] = defaults.project;
    RETURN_IF_ERROR(importer.TakeForeignSession(std::move(session), where));
  }
  for (const ForeignRow& one : made.rows) {
    Json row =
        one.episode ? EpisodeOfFields(one.fields, defaults) : RowOfFields(one.fields, defaults);
    if (!one.tool.empty()) row["source"]["tool"] = base::Ellipsize(one.tool, api::kMaxSource);
    RETURN_IF_ERROR(importer.TakeForeign(row, where));
  }
  const bool nothing = made.sessions.empty() && made.rows.empty();
  for (const std::string& what : made.left_out) {
    if (nothing)
      importer.RefuseObservation({Code::kInvalid, what}, where);
    else
      importer.Tell(what, where, true);
  }
  return {};
}

}  // namespace memory
