// A route of the memory server as a row, and the fields of its bodies, answers and queries: name,
// type and limit. The limits are the constants of the decoders. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/api/policy.h"

namespace api {

enum class FieldType { kAny, kText, kWhole, kNumber, kFlag, kTime, kDuration, kObject, kList };

struct Field {
  std::string_view name;
  FieldType type = FieldType::kAny;
  int64_t least = 0;
  // Characters of a text (or bytes: in_bytes), entries of a list, the value of a number, bytes of
  // the JSON of kAny and kObject; 0: no limit.
  int64_t most = 0;
  // The words of a text ("a|b"), the shape of an object, the shape or type of a list's entries;
  // empty: any.
  std::string_view of = {};
  // A text as it is, any other value as JSON. "$name" stands for one of kStandIns. Empty: none.
  std::string_view example = {};
  bool must = false, maybe = false, null = false;
  bool in_bytes = false;  // `most` of a text counts the bytes of its UTF-8
  bool redacted = false;  // of a path: the sidecar redacts it, as in the row that has it

  constexpr Field Example(std::string_view text) const {
    Field field = *this;
    field.example = text;
    return field;
  }
};

constexpr Field Redacted(Field field) {
  field.redacted = true;
  return field;
}

// A field of a body or a query is optional, that of an answer is always there, unless they say so.
constexpr Field Must(Field field) {
  field.must = true;
  return field;
}
constexpr Field Maybe(Field field) {
  field.maybe = true;
  return field;
}
constexpr Field OrNull(Field field) {
  field.null = true;
  return field;
}

constexpr Field Any(std::string_view name, int64_t most = 0) {
  return {name, FieldType::kAny, 0, most};
}
constexpr Field Text(std::string_view name, int64_t most = 0) {
  return {name, FieldType::kText, 0, most};
}
constexpr Field TextOfBytes(std::string_view name, int64_t most) {
  Field field = Text(name, most);
  field.in_bytes = true;
  return field;
}
constexpr Field OneOf(std::string_view name, std::string_view words) {
  return {name, FieldType::kText, 0, 0, words};
}
constexpr Field Whole(std::string_view name, int64_t least = 0, int64_t most = 0) {
  return {name, FieldType::kWhole, least, most};
}
constexpr Field Number(std::string_view name, int64_t least = 0, int64_t most = 0) {
  return {name, FieldType::kNumber, least, most};
}
constexpr Field Flag(std::string_view name) { return {name, FieldType::kFlag}; }
// RFC 3339.
constexpr Field Time(std::string_view name) { return {name, FieldType::kTime}; }
// A Go duration, or nanoseconds.
constexpr Field Duration(std::string_view name) { return {name, FieldType::kDuration}; }
constexpr Field Object(std::string_view name, std::string_view of = {}, int64_t most = 0) {
  return {name, FieldType::kObject, 0, most, of};
}
constexpr Field List(std::string_view name, std::string_view of, int64_t most = 0) {
  return {name, FieldType::kList, 0, most, of};
}

// The rows that examples are about. A client that tries the examples puts its own in their place.
struct StandIn {
  std::string_view name, example;
};
inline constexpr StandIn kStandIns[] = {
    {"$observation", "1"}, {"$project", "billing"}, {"$session", "s1"},   {"$trace", "mt_1"},
    {"$other", "mt_2"},    {"$run", "r1"},          {"$word", "storage"}, {"$conversation", "c1"},
    {"$agent", "coder"},   {"$turn", "t1"}};

// The fields of a JSON object that several rows have.
struct Shape {
  std::string_view name;
  std::vector<Field> fields;
  bool open = false;  // a runtime's own fields are beside these
};

// An answer. `shape`: its body: a Shape, "[Shape]" for a list of them, "any" JSON, "file" in a
// format of the request; empty: none. An answer "Error" is one that does not follow from method,
// path, body and headers.
struct Answer {
  int status = 200;
  std::string_view shape;
};

enum Trait : unsigned {
  kStreams = 1,              // the body is read while it arrives, up to the server's max-stream
  kKeyed = 2,                // takes Idempotency-Key
  kIfMatch = 4,              // takes If-Match
  kIfNoneMatch = 8,          // takes If-None-Match
  kComputes = 16,            // runs on the few threads of requests that compute
  kComputesWithSyntax = 32,  // the same, unless its syntax is plain
  kOfAegis = 64,             // the AEGIS port has it, too
  kHosted = 128,             // a sidecar serves it itself, from its state.db
  kNotInSidecar = 256,       // a sidecar does not serve it; else it forwards it
};

struct Operation {
  std::string_view name;  // of its handler, and the operationId
  std::string_view method;
  std::string_view path;  // a {name} is one segment
  std::string_view text;  // what it does, in one line
  // Of the path (those that it names) and of the query.
  std::vector<Field> parameters = {};
  // Of a JSON object; one field without a name: the body is this value. Empty: no body.
  std::vector<Field> body = {};
  std::vector<Answer> answers = {};
  std::vector<bool Policy::*> needs = {};  // the switches of a policy behind which a sidecar has it
  unsigned traits = 0;                     // Traits
  size_t max_body_bytes = 1 << 20;
  bool Has(Trait trait) const { return (traits & trait) != 0; }
};

}  // namespace api
