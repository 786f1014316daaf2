// Embeds texts, so that searches find texts of similar meaning without common words: locally
// (lib/embedding), or with a remote model (memory/endpoint).
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "memory/model/fusion.h"
#include "memory/model/piece_meaning.h"

namespace memory {

// Any thread; microseconds.
class Embedder {
 public:
  virtual ~Embedder() = default;
  // Identifies the model: vectors of different models are not comparable. > 0.
  virtual int64_t model() const = 0;
  virtual size_t dimensions() const = 0;
  virtual FusionWeights weights() const = 0;
  // `dimensions()` values, not normalized; empty: the text has no known word.
  virtual std::vector<int8_t> Embed(std::string_view text) const = 0;
  // Null: only whole texts have a meaning.
  virtual const PieceMeaning* pieces() const { return nullptr; }
};

// A model behind a network: slow and often unavailable. Any thread.
class RemoteEmbedder {
 public:
  virtual ~RemoteEmbedder() = default;
  // Like Embedder::model; the first call sends a request. kUnavailable: no answer; further calls
  // fail immediately until a backoff has passed.
  virtual base::Result<int64_t> Model(const std::stop_token& stop) = 0;
  virtual int64_t known_model() const = 0;  // 0: not known yet
  virtual FusionWeights weights() const = 0;
  // Embeds a query within the deadline of queries, or from a cache. Empty: late or unavailable.
  virtual std::vector<int8_t> OfQuestion(const std::string& text, const std::stop_token& stop) = 0;
  // Embeds each text; an empty vector: the model refused that text. Takes seconds. kUnavailable as
  // above, no other error.
  virtual base::Result<std::vector<std::vector<int8_t>>> OfRows(
      const std::vector<std::string>& texts, const std::stop_token& stop) = 0;
};

}  // namespace memory
