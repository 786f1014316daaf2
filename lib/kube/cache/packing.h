// Compresses similar texts, each deflated against an earlier one: 10,000 objects of one kind differ
// in a few hundred bytes each. Not a storage format: only the same process reads the result.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace kube {

class Packing {
 public:
  struct Packed {
    std::string bytes;
    std::shared_ptr<const std::string> sample;  // the dictionary of `bytes`; null: none
  };
  // Any thread. The first text is the sample (dictionary) of later ones. A text that packs badly
  // replaces the sample, at most once in 64 texts.
  Packed Pack(const std::string& text);
  static std::string Unpack(const Packed& packed);

 private:
  std::shared_ptr<const std::string> SampleFor();
  void Learn(const std::string& text, size_t packed_bytes);

  std::mutex mutex_;
  std::shared_ptr<const std::string> sample_;
  int since_sample_ = 0;  // texts packed with sample_
};

}  // namespace kube
