// Looks at every text of a value.
#include "memory/transfer/rows/checked_texts.h"

#include <algorithm>

#include "lib/base/text/text.h"

namespace memory {

using base::Json;

namespace {

bool IsText(const Json& json) {
  if (json.is_string()) {
    const std::string& text = json.get_ref<const std::string&>();
    return base::IsUtf8(text) && text.find('\0') == text.npos;
  }
  if (!json.is_structured()) return true;
  return std::all_of(json.begin(), json.end(), [](const Json& value) { return IsText(value); });
}

}  // namespace

base::Status CheckTexts(const Json& json) {
  if (IsText(json)) return {};
  return base::Error{base::Code::kInvalid, "a text is not UTF-8, or holds a NUL"};
}

}  // namespace memory
