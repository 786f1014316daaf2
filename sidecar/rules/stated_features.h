// What a sentence is judged by: its words, neighbouring words, parts of words, and its shape. Pure.
#pragma once

#include <string>
#include <vector>

#include "sidecar/rules/stated_words.h"

namespace sidecar {

// Sorted, each once: "we", "we use", "we * here" (any word between), "^ we" (at the beginning),
// "use $" (at the end), "~list" (four letters in a row; < and > are the borders of a word), "#1" (a
// number, a path, a name in code), "\"" (a quote), and marks such as #asks. Linear in the sentence.
std::vector<std::string> StatedFeatures(const std::vector<StatedSentence>& sentences,
                                        size_t number);

}  // namespace sidecar
