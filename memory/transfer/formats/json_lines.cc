// Lines of an export, each an object with its kind.
#include "memory/transfer/formats/json_lines.h"

#include "lib/base/text/text.h"
#include "memory/api/json_elements.h"
#include "memory/transfer/rows/body_lines.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

// What one line is for; unknown kinds are of a later version and do no harm.
class LineReader {
 public:
  explicit LineReader(Importer& importer) : importer_(importer) {}

  Status Take(std::string_view line) {
    ++number_;
    if (base::Trim(line).empty()) return {};
    if (ended_) return Wrong("there is something behind the last line");
    Result<Json> json = base::ParseJson(line);
    if (!json) return Error{json.error().code, Wrong(json.error().message).message};
    if (!json->is_object()) return Wrong("it must be a JSON object");
    const std::string kind = base::StringAt(*json, {"kind"});
    const Json where = {{"line", number_}};
    if (kind == "session") return importer_.TakeSession(*json, where);
    if (kind == "observation") return importer_.TakeObservation(*json, where);
    if (kind == "item") return importer_.TakeItem(*json, where);
    if (kind == "episode") return importer_.TakeEpisode(*json, where);
    if (kind == "trace") return importer_.TakeTrace(*json, where);
    if (kind == "trace_edge") return importer_.TakeEdge(*json, where);
    if (kind == "aegis" && json->contains("hash"))
      return importer_.TakeAegis(base::StringAt(*json, {"key"}), std::move((*json)["hash"]), where);
    if (kind == "end") return End(*json);
    if (kind == "export" && json->contains("format")) return importer_.SetFormat((*json)["format"]);
    return {};
  }

  Status Finish() const {
    if (ended_) return {};
    return Error{Code::kInvalid, "the import was cut off behind line " + std::to_string(number_) +
                                     ": the last one must be {\"kind\":\"end\"} with the counts"};
  }

 private:
  Error Wrong(const std::string& why) const {
    return Error{Code::kInvalid, "line " + std::to_string(number_) + ": " + why};
  }
  Status End(const Json& json) {
    ended_ = true;
    auto differs = [&](const char* field, size_t given) {
      return json.contains(field) && json[field] != given;
    };
    if (differs("sessions", importer_.sessions_given()) ||
        differs("observations", importer_.observations_given()) ||
        differs("items", importer_.items_given()) ||
        differs("episodes", importer_.episodes_given()) ||
        differs("traces", importer_.traces_given()) ||
        differs("trace_edges", importer_.edges_given()))
      return Wrong("its counts are not those of the lines before it: some are missing");
    return {};
  }

  Importer& importer_;
  size_t number_ = 0;
  bool ended_ = false;
};

}  // namespace

bool StartsAsLines(std::string_view beginning) {
  const std::string_view line = beginning.substr(0, beginning.find('\n'));
  Result<Json> json = base::ParseJson(line);
  return json && json->is_object() && json->contains("kind");
}

Status ReadLines(http::BodyReader& body, Importer& importer) {
  LineReader reader(importer);
  RETURN_IF_ERROR(ForEachLine(body, kMaxElementBytes,
                              [&](std::string_view line) { return reader.Take(line); }));
  return reader.Finish();
}

}  // namespace memory
