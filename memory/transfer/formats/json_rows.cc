// Which array and which element is what.
#include "memory/transfer/formats/json_rows.h"

#include <algorithm>
#include <map>

#include "lib/base/text/text.h"
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
      known_ = known_ || (told ? AgentOsImport::IsArray(array) : IsKnown(array));
      // An empty list is one of memories when somebody says so.
      known_ = known_ || (array.empty() && format_ != "auto" && format_ != "json");
      agentos_ = agentos_ || IsAgentOsMark(array);
    };
    RETURN_IF_ERROR(ReadElements(body, handlers));
    RETURN_IF_ERROR(others_.Finish());
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
    if (name == "version" && format_ == "auto") format_ = "engram";
    known_ = others_.TakeField(name, value) || known_;
    if ((name == "sessions" || name == "observations") && !value.is_null())
      return Error{Code::kInvalid, name + " must be an array"};
    return {};
  }

  Status Take(const std::string& array, Json element) {
    const bool any = format_ == "auto";
    known_ = known_ || (array.empty() && (element.is_object() || element.is_string()));
    if (others_.Is(array, element)) {
      known_ = true;
      return others_.Take(array, element);
    }
    if (format_ == "agentos-json" || (any && IsAgentOs(array, element))) {
      known_ = known_ || any;
      const std::string name = array.empty() ? "traces" : array;
      return AgentOsImport::IsArray(name) ? importer_.TakeAgentOs(name, std::move(element))
                                          : LeaveOut(array);
    }
    const bool list = array.empty() || array == "results" || array == "memories";
    if (list && (format_ == "mem0" || (any && (array == "results" || element.contains("memory")))))
      return importer_.TakeForeign(RowOfMem0(element, Named("mem0")));
    if (format_ == "engram" || (any && IsEngrams(array, element)))
      return TakeEngram(array, element);
    if (array == "sessions") return importer_.TakeSession(element);
    if (array == "episodes") return importer_.TakeEpisode(element);
    if (array == "items") return importer_.TakeItem(element);
    if (array == "traces") return importer_.TakeTrace(element);
    if (array == "traces_edges") return importer_.TakeEdge(element);
    // A list that somebody wrote: an odd field or name is no reason to lose its text.
    if (array.empty() && element.is_string()) element = {{"content", std::move(element)}};
    if (IsSomebodys(array, element)) {
      known_ = true;
      return importer_.TakeForeign(RowOfFields(std::move(element), Named("json")));
    }
    if (array == "observations" || array.empty()) return importer_.TakeObservation(element);
    return LeaveOut(array);
  }

  bool IsSomebodys(const std::string& array, const Json& element) const {
    if (element.contains("normalized_hash") || element.contains("revisions")) return false;
    if (base::StringAt(element, {"content"}).empty() && base::StringAt(element, {"text"}).empty())
      return false;
    if (array.empty()) return true;
    if (format_ != "auto" || importer_.ours() || agentos_) return false;
    if (array == "observations") return base::StringAt(element, {"project"}).empty();
    return IsKnown(array);
  }

  Status LeaveOut(const std::string& array) {
    ++unknown_[array];
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
    static constexpr std::string_view kArrays[] = {"results",      "memories", "sessions",
                                                   "observations", "prompts",  "traces"};
    return std::find(std::begin(kArrays), std::end(kArrays), array) != std::end(kArrays);
  }

  Status TakeEngram(const std::string& array, const Json& element) {
    const ForeignDefaults defaults = Named("engram");
    if (array == "sessions")
      return importer_.TakeForeignSession(SessionOfEngram(element, defaults));
    if (array == "prompts") return importer_.TakeForeign(RowOfEngramPrompt(element, defaults));
    if (array != "observations") return LeaveOut(array);
    if (!base::StringAt(element, {"deleted_at"}).empty()) {
      importer_.SkipObservation();
      return {};
    }
    return importer_.TakeForeign(RowOfEngram(element, defaults));
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
  std::map<std::string, int64_t> unknown_;  // elements of arrays that nobody knows
  bool agentos_ = false;                    // an array of AgentOS' was there
  bool known_ = false;                      // something of an export was there, empty or not
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
