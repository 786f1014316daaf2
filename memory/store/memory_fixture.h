// What the tests of this folder share: a directory that goes away, and observations to save. Test
// code.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "lib/api/memory_api.h"
#include "memory/store/store.h"

namespace memory {

class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "memory-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~ScratchDirectory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }
  void Clear(const std::string& name) { std::filesystem::remove_all(File(name)); }

 private:
  std::string path_;
};

inline api::NewObservation Note(const std::string& content, const std::string& project = "p") {
  api::NewObservation note;
  note.session_id = "s-" + project;
  note.type = "discovery";
  note.title = "note";
  note.content = content;
  note.project = project;
  return note;
}

inline constexpr int64_t kMinute = 60'000;
inline constexpr int64_t kDay = 24 * 60 * kMinute;
inline constexpr int64_t kMidnight = 1'775'952'000'000;  // 2026-04-12T00:00:00Z

}  // namespace memory
