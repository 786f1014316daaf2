// The gist of a long text: some of its own sentences, in their order. Pure, without a model.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memory {

// Sentences of `text`, at most `most` characters: the first one, then those whose words are most
// frequent in the text (Luhn, "The automatic creation of literature abstracts", 1958). A text of at
// most `most` characters is its own gist.
std::string GistOf(std::string_view text, size_t most);

}  // namespace memory
