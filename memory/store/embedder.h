// What makes vectors of texts, so that what means the same is found without a common word: at once
// (lib/embedding), or by asking a model somewhere else (memory/endpoint).
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "memory/model/fusion.h"

namespace memory {

// Any thread; microseconds.
class Embedder {
 public:
  virtual ~Embedder() = default;
  // Names what the vectors depend on: vectors of two numbers cannot be compared. > 0.
  virtual int64_t model() const = 0;
  virtual size_t dimensions() const = 0;
  virtual FusionWeights weights() const = 0;
  // `dimensions()` values, of any length; empty: the text says nothing that is known.
  virtual std::vector<int8_t> Embed(std::string_view text) const = 0;
};

// A model that is asked over the network: slow, and often away. Any thread.
class RemoteEmbedder {
 public:
  virtual ~RemoteEmbedder() = default;
  // As Embedder::model; asks once for what it depends on. kUnavailable: away, or asked again only
  // after a while, for which this answers at once.
  virtual base::Result<int64_t> Model(const std::stop_token& stop) = 0;
  virtual int64_t known_model() const = 0;  // 0: not asked for yet
  virtual FusionWeights weights() const = 0;
  // Within the deadline of questions, or from what was asked lately. Empty: late or away.
  virtual std::vector<int8_t> OfQuestion(const std::string& text, const std::stop_token& stop) = 0;
  // Of each text a vector, or an empty one when the model refuses that text. Seconds. kUnavailable
  // as above, nothing else.
  virtual base::Result<std::vector<std::vector<int8_t>>> OfRows(
      const std::vector<std::string>& texts, const std::stop_token& stop) = 0;
};

}  // namespace memory
