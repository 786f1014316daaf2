// How much each feature speaks for a sentence that states what lasts. stated_weights.cc is made by
// scripts/bench/statements.py. The table has hashes, since the words of 20,000 features would be
// half a megabyte that each sidecar has in its memory. An unknown feature that shares a known
// one's hash is one in 200,000.
#pragma once

#include <cstdint>
#include <string_view>

namespace sidecar {

// FNV-1a (Fowler, Noll, Vo), 32 bits.
constexpr uint32_t FeatureHash(std::string_view feature) {
  uint32_t hash = 2'166'136'261;
  for (const char byte : feature) hash = (hash ^ static_cast<unsigned char>(byte)) * 16'777'619;
  return hash;
}

// In hundredths of the logarithm of the odds; 0: an unknown feature (stated_features.h).
int StatedWeight(std::string_view feature);

}  // namespace sidecar
