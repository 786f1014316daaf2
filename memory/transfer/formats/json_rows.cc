// Which array and which element is what.
#include "memory/transfer/formats/json_rows.h"

#include <algorithm>

#include "memory/api/json_elements.h"
#include "memory/transfer/formats/detected_format.h"
#include "memory/transfer/formats/other_formats.h"
#include "memory/transfer/rows/format.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

// An engram's export says its version; ours and the reference service's do not have one.
class ObjectReader {
 public:
  ObjectReader(const ForeignDefaults& defaults, Importer& importer)
      : defaults_(defaults),
        importer_(importer),
        format_(defaults.format),
        others_(defaults, importer) {}

  Status Read(http::BodyReader& body) {
    ElementHandlers handlers;
    handlers.list = format_ != "engram";
    handlers.by_member = kAegisSection;
    handlers.on_member = [&](const std::string& key, Json hash) {
      known_ = true;
      return importer_.TakeAegis(key, std::move(hash));
    };
    handlers.on_element = [&](const std::string& array, Json element) {
      return Take(array, std::move(element));
    };
    handlers.on_field = [&](const std::string& name, const Json& value) {
      return TakeField(name, value);
    };
    handlers.on_array = [&](const std::string& array) {
      const bool told = format_ == "agentos-json";
      known_ = known_ || (told ? array.empty() || AgentOsImport::IsArray(array) : IsKnown(array));
      agentos_ = agentos_ || IsAgentOsMark(array);
    };
    RETURN_IF_ERROR(ReadElements(body, handlers));
    RETURN_IF_ERROR(others_.Finish());
    if (known_) return {};
    return Error{Code::kInvalid, "nothing in this JSON is a list of memories"};
  }

 private:
  Status TakeField(const std::string& name, const Json& value) {
    if (name == "format") {
      known_ = true;
      return importer_.SetFormat(value);
    }
    if (name == "version" && format_ == "auto") format_ = "engram";
    known_ = others_.TakeField(name, value) || known_;
    if ((name == "sessions" || name == "observations") && !value.is_null())
      return Error{Code::kInvalid, name + " must be an array"};
    return {};
  }

  Status Take(const std::string& array, Json element) {
    const bool any = format_ == "auto";
    if (others_.Is(array, element)) {
      known_ = true;
      return others_.Take(array, element);
    }
    if (format_ == "agentos-json" || (any && IsAgentOs(array, element))) {
      known_ = known_ || any;
      const std::string name = array.empty() ? "traces" : array;
      return AgentOsImport::IsArray(name) ? importer_.TakeAgentOs(name, std::move(element))
                                          : Status();
    }
    if (array.empty() && (format_ == "chatgpt" || (any && element.contains("mapping"))))
      return TakeConversation(element);
    const bool list = array.empty() || array == "results" || array == "memories";
    if (list && (format_ == "mem0" || (any && (array == "results" || element.contains("memory")))))
      return TakeForeign(RowOfMem0(element, Named("mem0")));
    if (format_ == "engram" || (any && IsEngrams(array, element)))
      return TakeEngram(array, element);
    if (array == "sessions") return importer_.TakeSession(element);
    if (array == "episodes") return importer_.TakeEpisode(element);
    if (array == "items") return importer_.TakeItem(element);
    if (array == "traces") return importer_.TakeTrace(element);
    if (array == "traces_edges") return importer_.TakeEdge(element);
    // A list that somebody wrote: an odd field is no reason to lose its text.
    const bool of_store = element.contains("normalized_hash") || element.contains("revisions");
    if (array.empty() && !of_store && !base::StringAt(element, {"content"}).empty())
      return TakeForeign(RowOfFields(std::move(element), Named("json")));
    if (array == "observations" || array.empty()) return importer_.TakeObservation(element);
    return {};
  }

  // The order of fields says nothing: so each row tells it, too.
  static bool IsEngrams(const std::string& array, const Json& element) {
    return array == "prompts" || element.contains(array == "sessions" ? "directory" : "sync_id");
  }

  // A trace of ours has its text elsewhere; arrays of one name tell by what else came.
  bool IsAgentOs(const std::string& array, const Json& element) const {
    if (array == "traces" || array.empty())
      return element.contains("content") && (array == "traces" || IsTraceOfAgentOs(element));
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
    return std::any_of(std::begin(kFields), std::end(kFields), [&](const auto& one) {
      return array == one.first && element.contains(one.second);
    });
  }
  // No other program's export has one of these; with sorted names one comes first.
  static bool IsAgentOsMark(const std::string& array) {
    return array == "traces" || array == "chunks" || array == "consolidation_log";
  }
  static bool IsTraceOfAgentOs(const Json& element) {
    return element.contains("retrievalCount") || element.contains("retrieval_count");
  }

  static bool IsKnown(const std::string& array) {
    static constexpr std::string_view kArrays[] = {
        "", "results", "memories", "sessions", "observations", "prompts", "traces"};
    return std::find(std::begin(kArrays), std::end(kArrays), array) != std::end(kArrays);
  }

  Status TakeForeign(const Json& row) {
    importer_.TakeSoftly();
    const Status taken = importer_.TakeObservation(row);
    importer_.TakeStrictly();
    return taken;
  }

  Status TakeEngram(const std::string& array, const Json& element) {
    const ForeignDefaults defaults = Named("engram");
    if (array == "sessions") return importer_.TakeSession(SessionOfEngram(element, defaults));
    if (array == "prompts") return TakeForeign(RowOfEngramPrompt(element, defaults));
    if (array != "observations") return {};
    if (!base::StringAt(element, {"deleted_at"}).empty()) {
      importer_.SkipObservation();
      return {};
    }
    return TakeForeign(RowOfEngram(element, defaults));
  }

  Status TakeConversation(const Json& element) {
    Result<ForeignConversation> made = ConversationOfChatGpt(element, Named("chatgpt"));
    if (!made) {
      importer_.RefuseObservation(made.error(), Json());
      return {};
    }
    RETURN_IF_ERROR(importer_.TakeSession(made->session));
    for (const Json& row : made->rows) RETURN_IF_ERROR(TakeForeign(row));
    if (made->textless > 0) {
      importer_.Tell(std::to_string(made->textless) +
                         " parts of the conversation hold no text (pictures, files)",
                     {{"conversation", base::StringAt(made->session, {"id"})}}, true);
    }
    return {};
  }

  ForeignDefaults Named(const char* format) const {
    ForeignDefaults named = defaults_;
    named.format = format;
    return named;
  }

  const ForeignDefaults& defaults_;
  Importer& importer_;
  std::string format_;
  OtherFormats others_;
  bool agentos_ = false;  // an array of AgentOS' was there
  bool known_ = false;    // something of an export was there, empty or not
};

}  // namespace

Status ReadJsonRows(http::BodyReader& body, const ForeignDefaults& defaults, Importer& importer) {
  Status read = ObjectReader(defaults, importer).Read(body);
  const bool taken =
      importer.any_agentos() ||
      importer.sessions_given() + importer.observations_given() + importer.items_given() > 0;
  if (read || taken || read.error().code != Code::kInvalid) return read;
  return Error{Code::kInvalid, read.error().message + "; " + kTaken};
}

}  // namespace memory
