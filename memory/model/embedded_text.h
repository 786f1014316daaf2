// The texts that are embedded. An identifier has no meaning (lib/base/text/identifier.h): a vector
// of its pieces resembles those of all other identifiers. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace memory {

// Of a record: the title up to a comma, and the content, without identifiers.
std::string EmbeddedText(std::string_view title, std::string_view content);
// Of a query, and of an item's value: without identifiers. Empty: the text holds nothing else.
std::string EmbeddedText(std::string_view text);

// Whether most letters of a text are of scripts without blanks (Chinese, Japanese, Thai, Korean): a
// table of English pieces knows their single characters only, which mean little.
bool IsMostlyUnspaced(std::string_view text);

// The model of vectors that `table_model` makes of these texts: a change of the functions above
// changes it, so that earlier vectors are made again in the background.
int64_t ModelOfEmbeddedTexts(int64_t table_model);

}  // namespace memory
