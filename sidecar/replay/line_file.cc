// Keeps the part of the file from the current line on.
#include "sidecar/replay/line_file.h"

#include <cerrno>
#include <cstring>

namespace sidecar {
namespace {

constexpr size_t kPiece = 256 << 10;

}  // namespace

base::Result<LineFile> LineFile::Open(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file != nullptr) return LineFile(file);
  return base::Error{errno == ENOENT ? base::Code::kNotFound : base::Code::kDenied,
                     path + ": " + std::strerror(errno)};
}

bool LineFile::Fill() {
  buffer_.erase(0, at_);
  searched_ -= at_;
  at_ = 0;
  const size_t before = buffer_.size();
  buffer_.resize(before + kPiece);
  const size_t read = std::fread(buffer_.data() + before, 1, kPiece, file_.get());
  buffer_.resize(before + read);
  bytes_ += static_cast<int64_t>(read);
  return read > 0;
}

bool LineFile::Next(Line& line) {
  line = {++number_, {}, false, true};
  while (true) {
    const size_t end = buffer_.find('\n', searched_);
    if (end != std::string::npos) {
      if (!line.too_long) line.text = std::string_view(buffer_).substr(at_, end - at_);
      at_ = searched_ = end + 1;
      return true;
    }
    searched_ = buffer_.size();
    if (buffer_.size() - at_ > kMostLineBytes) {
      line.too_long = true;
      at_ = searched_;
    }
    if (Fill()) continue;
    line.ends = false;
    if (!line.too_long) line.text = std::string_view(buffer_).substr(at_);
    const bool any = line.too_long || !line.text.empty();
    at_ = searched_ = buffer_.size();
    return any;
  }
}

}  // namespace sidecar
