// Keeps texts that are much alike small: each is deflated against one that came before it. For the
// objects of one kind, of which 10,000 differ in a few hundred bytes each. Not a format: what was
// packed is read by the same process only.
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
    std::shared_ptr<const std::string> sample;  // what it is read with; null: nothing
  };
  // Any thread. The first text is the sample of those after it, until one comes that is not alike.
  Packed Pack(const std::string& text);
  static std::string Unpack(const Packed& packed);

 private:
  std::shared_ptr<const std::string> SampleFor();
  void Learn(const std::string& text, size_t packed_bytes);

  std::mutex mutex_;
  std::shared_ptr<const std::string> sample_;
  int since_sample_ = 0;  // texts that were packed with it
};

}  // namespace kube
