// The events of one file of a transcript, in its order.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "sidecar/replay/line_file.h"
#include "sidecar/replay/transcript_events.h"

namespace sidecar {

// A line that gives nothing because it cannot be read.
struct BrokenLine {
  std::string file;
  int64_t line = 0;
  std::string error;
};

using LineIds = std::set<size_t>;  // hashes of the ids of lines

class TranscriptFile {
 public:
  struct Readers {
    std::function<void(BrokenLine)> on_broken;
    LineIds* seen = nullptr;  // a line with an id in it is a copy and gives nothing
  };
  // `format`: claude-code or codex.
  static base::Result<TranscriptFile> Open(const std::string& path, const std::string& format,
                                           Readers readers);
  const PastEvent* Peek();                          // null: no more
  PastEvent Take();                                 // after a Peek that found one
  int64_t bytes() const { return lines_.bytes(); }  // read so far

 private:
  TranscriptFile(std::string path, LineFile lines, std::unique_ptr<TranscriptFormat> format,
                 Readers readers)
      : path_(std::move(path)),
        lines_(std::move(lines)),
        format_(std::move(format)),
        readers_(std::move(readers)) {}
  void Read(const LineFile::Line& line);

  std::string path_;
  LineFile lines_;
  std::unique_ptr<TranscriptFormat> format_;
  Readers readers_;
  std::deque<PastEvent> ready_;
  bool over_ = false;
};

// The ids of the lines of a file, for a transcript that begins with a copy of them.
base::Result<LineIds> IdsOfLines(const std::string& path);

}  // namespace sidecar
