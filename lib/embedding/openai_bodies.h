// Bodies of requests to an OpenAI-compatible embeddings endpoint (POST /v1/embeddings) and of its
// answers. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace embedding {

inline constexpr size_t kMostAnswerDimensions = 4096;
inline constexpr size_t kMaxInputBytes = 8 << 10;  // of a text; the rest is cut

// The body of a request. `dimensions` 0: the model's default.
std::string EncodeEmbeddingRequest(const std::string& model, const std::vector<std::string>& texts,
                                   size_t dimensions);

// The maximum size of an answer for `texts` texts.
size_t MostAnswerBytes(size_t texts);

// The vectors of `texts` texts, in their order, scaled to int8 with a largest value of ±127.
// kInvalid: no JSON, another number of vectors or of `dimensions` (0: any, but the same for all), a
// value that is no finite number, a zero vector. Errors quote nothing of the answer.
base::Result<std::vector<std::vector<int8_t>>> DecodeEmbeddingAnswer(std::string_view body,
                                                                     size_t texts,
                                                                     size_t dimensions);

}  // namespace embedding
