// The lines of a file, one after the other, in bounded memory.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace sidecar {

class LineFile {
 public:
  static constexpr size_t kMostLineBytes = 64 << 20;

  static base::Result<LineFile> Open(const std::string& path);

  struct Line {
    int64_t number = 0;     // from 1 on
    std::string_view text;  // until the next call; empty with too_long
    bool too_long = false;  // over kMostLineBytes
    bool ends = true;       // false: the last line of the file, without a line end
  };
  // False: the end of the file.
  bool Next(Line& line);
  int64_t bytes() const { return bytes_; }  // read so far

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit LineFile(std::FILE* file) : file_(file) {}
  bool Fill();  // reads more; false: the end of the file

  std::unique_ptr<std::FILE, Close> file_;
  std::string buffer_;
  size_t at_ = 0, searched_ = 0;
  int64_t number_ = 0, bytes_ = 0;
};

}  // namespace sidecar
