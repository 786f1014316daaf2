// The code of eval: its words joined to one text. Pure.
#pragma once

#include <string>

#include "sidecar/shell/shell_word.h"

namespace sidecar {

// eval 'echo x |' sh
class JoinedCode {
 public:
  void Add(const std::string& word) { text_ += (words_++ == 0 ? "" : " ") + word; }
  bool One() const { return words_ == 1; }
  bool Several() const { return words_ > 1; }
  ShellWord Code() const { return {.text = text_, .runs = true, .document = true}; }

 private:
  std::string text_;
  size_t words_ = 0;
};

}  // namespace sidecar
