// What an OpenAI-compatible embeddings endpoint (POST /v1/embeddings) is asked, and what it
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
inline constexpr size_t kMostAskedBytes = 8 << 10;  // of a text, its beginning counts

// The body of a request. `dimensions` 0: as many as the model gives.
std::string EncodeEmbeddingRequest(const std::string& model, const std::vector<std::string>& texts,
                                   size_t dimensions);

// An answer to so many texts is never longer.
size_t MostAnswerBytes(size_t texts);

// The vectors of so many texts, in their order, as int8 values: the largest of each is ±127, its
// length says nothing. kInvalid: no JSON, another number of vectors or of `dimensions` (0: any, but
// all alike), a value that is no finite number, zeros alone. Errors hold nothing of the answer.
base::Result<std::vector<std::vector<int8_t>>> DecodeEmbeddingAnswer(std::string_view body,
                                                                     size_t texts,
                                                                     size_t dimensions);

}  // namespace embedding
