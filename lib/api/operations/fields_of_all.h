// Fields, objects and switches that rows of several kinds have. Pure.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/api/limits.h"
#include "lib/api/memory_api.h"
#include "lib/api/operations/operation.h"

namespace api {

// In rows of items, episodes and traces, absent: the project "default".
inline constexpr Field kProject = Text("project", kMaxProject).Example("$project");
// More than kMaxRows counts as kMaxRows.
inline constexpr Field kLimit = Whole("limit");
inline constexpr Field kCursor = Text("cursor");
// RFC 3339, or milliseconds since 1970.
inline constexpr Field kAsOf = Text("as_of");
inline constexpr Field kTags = List("tags", "text", kMaxTags).Example(R"(["database"])");
inline constexpr Field kSource = Object("source", "Source").Example(R"({"origin": "agent"})");
inline constexpr Field kReplaceUser = Flag("replace_user").Example("false");
// Also says that the row answers what the user and Agent of kUserHeader and kAgentHeader may see.
inline constexpr Field kConversation = Text("conversation", kMaxScopeId);
inline constexpr Field kConversationId =
    TextOfBytes("id", kMaxConversationBytes).Example("$conversation");

inline const std::vector<bool Policy::*> kSave = {&Policy::auto_save},
                                         kSearch = {&Policy::auto_search};
inline constexpr bool Policy::*kAdmin = &Policy::allow_admin;

// Of answers.
inline const Field kTrust = Text("trust"), kScores = Maybe(Object("scores", "Scores")),
                   kOrigin = Object("source", "Source"), kPartial = Maybe(Flag("partial")),
                   kTexts = List("tags", "text");

using FieldList = std::vector<Field>;
inline const FieldList kPage = {kPartial, Maybe(Text("next_cursor"))};

inline FieldList With(FieldList fields, const FieldList& more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}
inline Shape Made(std::string_view name, FieldList fields, bool open = false) {
  return {name, std::move(fields), open};
}

inline Operation Row(std::string_view name, std::string_view method, std::string_view path,
                     std::string_view text, std::vector<Field> parameters, std::vector<Field> body,
                     std::vector<Answer> answers, std::vector<bool Policy::*> needs = {},
                     unsigned traits = 0, size_t max_body_bytes = 1 << 20) {
  return {name,
          method,
          path,
          text,
          std::move(parameters),
          std::move(body),
          std::move(answers),
          std::move(needs),
          traits,
          max_body_bytes};
}
inline Operation Get(std::string_view name, std::string_view path, std::string_view text,
                     std::vector<Field> parameters, std::vector<Answer> answers,
                     std::vector<bool Policy::*> needs = {}, unsigned traits = 0) {
  return Row(name, "GET", path, text, std::move(parameters), {}, std::move(answers),
             std::move(needs), traits);
}

template <class Row>
std::vector<Row> Joined(std::initializer_list<std::vector<Row>> lists) {
  std::vector<Row> all;
  for (const std::vector<Row>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace api
