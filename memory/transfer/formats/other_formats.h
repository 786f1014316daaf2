// ChatGPT's, Claude's, Gemini's and the MCP memory server's JSON among the elements of an import;
// and the latter's lines.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/json/json.h"
#include "lib/http/message/message.h"
#include "memory/transfer/rows/importer.h"
#include "memory/transfer/rows/other_programs.h"

namespace memory {

// The rows of `made`; what was left out goes into the report's errors.
base::Status TakeOther(const OtherRows& made, const base::Json& where, Importer& importer);

// Takes elements of JSON of these programs; `defaults.format` names one or is auto.
class OtherFormats {
 public:
  OtherFormats(const ForeignDefaults& defaults, Importer& importer)
      : defaults_(defaults), importer_(importer) {}
  // Whether the element of an array ("": the body is one) is of one of them.
  bool Is(const std::string& array, const base::Json& element) const;
  base::Status Take(const std::string& array, const base::Json& element);
  // A field of the body; false: of none of them.
  bool TakeField(const std::string& name, const base::Json& value);
  base::Status Finish();  // behind the body: a conversation whose messages were elements

 private:
  const ForeignDefaults& defaults_;
  Importer& importer_;
  base::Json conversation_ = base::Json::object(), project_ = base::Json::object();
};

// Lines {"type": "entity", …} and {"type": "relation", …}.
bool StartsAsMcpMemory(std::string_view beginning);
base::Status ReadMcpMemory(http::BodyReader& body, const ForeignDefaults& defaults,
                           Importer& importer);

}  // namespace memory
