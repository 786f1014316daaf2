// The gist of a long text: some of its own sentences, in their order. Pure, without a model.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memory {

// Nothing but sentences of `text`, at most `most` characters: the first, then those whose words
// occur most in the whole (Luhn, "The automatic creation of literature abstracts", 1958). A text
// that is short enough is its own gist.
std::string GistOf(std::string_view text, size_t most);

}  // namespace memory
