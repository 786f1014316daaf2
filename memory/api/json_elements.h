// Streams a JSON object of any size whose fields are arrays, element by element, from a request
// body. As strict as base::ParseJson; memory is bounded by the largest element.
#pragma once

#include <functional>
#include <string>

#include "lib/base/json/json.h"
#include "lib/http/message/message.h"

namespace memory {

struct ElementHandlers {
  // An element of a top-level array; an error ends the reading with it.
  std::function<base::Status(const std::string& array, base::Json element)> on_element;
  // A top-level field that is no array.
  std::function<base::Status(const std::string& name, base::Json value)> on_field;
  // A top-level object that may be of any size: on_field gets it empty, and on_member what is in
  // it, one by one, an array there empty.
  std::string by_member;
  std::function<base::Status(const std::string& name, base::Json value)> on_member;
  std::function<void(const std::string& array)> on_array;  // one begins; may be empty
  bool list = false;  // the body may be an array, too: its elements are those of the array ""
};

inline constexpr size_t kMaxElementBytes = 16 << 20;

// kInvalid: not one JSON object (or array); kTooLarge: an element over kMaxElementBytes; errors of
// the body.
base::Status ReadElements(http::BodyReader& body, const ElementHandlers& handlers);

}  // namespace memory
