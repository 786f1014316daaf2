// A line that is no JSON is reported and left out; the others count.
#include "sidecar/replay/transcript_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/base/json/mend.h"
#include "lib/base/text/text.h"

namespace sidecar {
namespace {

constexpr size_t kPiece = 256 << 10;

constexpr size_t kMostMendedBytes = 8 << 20;

size_t IdOf(const std::string& id) { return std::hash<std::string>()(id); }

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

base::Result<TranscriptFile> TranscriptFile::Open(const std::string& path,
                                                  const std::string& format, Readers readers) {
  ASSIGN_OR_RETURN(LineFile lines, LineFile::Open(path));
  auto reads = format == "codex" ? CodexFormat() : ClaudeFormat();
  return TranscriptFile(path, std::move(lines), std::move(reads), std::move(readers));
}

const PastEvent* TranscriptFile::Peek() {
  LineFile::Line line;
  while (ready_.empty() && !over_) {
    over_ = !lines_.Next(line);
    if (!over_) Read(line);
    if (!over_) continue;
    for (PastEvent& event : format_->Finish()) ready_.push_back(std::move(event));
  }
  return ready_.empty() ? nullptr : &ready_.front();
}

PastEvent TranscriptFile::Pop() {
  PastEvent event = std::move(ready_.front());
  ready_.pop_front();
  return event;
}

void TranscriptFile::Read(const LineFile::Line& line) {
  if (base::IsBlank(line.text) && !line.too_long) return;
  if (line.too_long)
    return readers_.on_broken(
        {path_, line.number,
         "it is longer than " + std::to_string(LineFile::kMostLineBytes >> 20) + " MiB"});
  auto read = base::ReadMendedJson(line.text, kMostMendedBytes);
  if (!read)
    return readers_.on_broken(
        {path_, line.number,
         line.ends ? read.error().message : "the file ends in the middle of it"});
  if (!read->value.is_object())
    return readers_.on_broken({path_, line.number, "it is no JSON object"});
  const std::string id = base::StringAt(read->value, {"uuid"});
  if (!id.empty() && readers_.seen != nullptr && !readers_.seen->insert(IdOf(id)).second) return;
  for (PastEvent& event : format_->ReadLine(std::move(read->value)))
    ready_.push_back(std::move(event));
}

base::Result<LineIds> IdsOfLines(const std::string& path) {
  ASSIGN_OR_RETURN(LineFile lines, LineFile::Open(path));
  LineIds ids;
  LineFile::Line line;
  while (lines.Next(line)) {
    const auto read = base::ReadMendedJson(line.text, kMostMendedBytes);
    const std::string id = read ? base::StringAt(read->value, {"uuid"}) : "";
    if (!id.empty()) ids.insert(IdOf(id));
  }
  return ids;
}

}  // namespace sidecar
