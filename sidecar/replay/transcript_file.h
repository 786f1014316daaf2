// A file of a transcript: its lines, and their events.
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "lib/base/result.h"
#include "sidecar/replay/transcript_events.h"

namespace sidecar {

// The lines of a file, one after the other, in bounded memory: the part of the file from the
// current line on is kept.
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

// A line that gives nothing because it cannot be read.
struct BrokenLine {
  std::string file;
  int64_t line = 0;
  std::string error;
};

using LineIds = std::set<size_t>;  // hashes of the ids of lines

// The events of one file of a transcript, in its order.
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
  PastEvent Pop();                                  // after a Peek that found one
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
