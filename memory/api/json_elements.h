// Streams a JSON object of any size whose fields are arrays, element by element, from a request
// body. As strict as base::ParseJson; the largest element is charged to the request
// (ValueCharge).
#pragma once

#include <functional>
#include <string>

#include "lib/base/json/json.h"
#include "lib/http/message/message.h"

namespace memory {

struct ElementHandlers {
  // Receives an element of a top-level array; an error ends the reading with that error.
  std::function<base::Status(const std::string& array, base::Json element)> on_element;
  // A top-level field that is no array.
  std::function<base::Status(const std::string& name, base::Json value)> on_field;
  // A top-level object of any size: on_field receives it empty, on_member each of its members;
  // arrays among them arrive empty.
  std::string by_member;
  std::function<base::Status(const std::string& name, base::Json value)> on_member;
  std::function<void(const std::string& array)> on_array;  // one begins; may be empty
  bool list = false;  // accepts an array as body: its elements belong to the array ""
};

inline constexpr size_t kMaxElementBytes = 16 << 20;

// kInvalid: not one JSON object (or array); kTooLarge: an element over kMaxElementBytes, or over
// the request's memory budget (kUnavailable: now); errors of the body.
base::Status ReadElements(http::BodyReader& body, const ElementHandlers& handlers);

}  // namespace memory
