// The files of a mirror: one folder, without what lies below it. Follows no link, writes nothing
// outside of the folder, and never overwrites what it was not told of. Not for their contents.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "lib/base/result.h"

namespace client {

// One thread; one MirrorFolder per folder at a time (mirror_state.h has the lock).
class MirrorFolder {
 public:
  static constexpr size_t kMostFiles = 5'000, kMostBytes = 256 << 10;

  // kNotFound; kInvalid: it is no folder, or a symbolic link.
  static base::Result<MirrorFolder> Open(const std::string& path);
  MirrorFolder(MirrorFolder&& other) noexcept;
  MirrorFolder& operator=(MirrorFolder&&) = delete;
  ~MirrorFolder();

  struct Files {
    std::map<std::string, std::string> texts;  // by name
    std::map<std::string, std::string> odd;    // why a name cannot be read; it is left alone
  };
  // The files of mirrors (IsMirrorName). kTooLarge: more than kMostFiles.
  base::Result<Files> Read() const;

  // Writes a file in one step: `expected` is the text that it replaces; nullopt: there is no such
  // file. kConflict: there is another text now, and it stays.
  base::Status Put(const std::string& name, const std::string& text,
                   const std::optional<std::string>& expected) const;
  // Removes a file that has this text. kConflict: it has another one, and stays.
  base::Status Remove(const std::string& name, const std::string& expected) const;
  // Puts a text beside a file, under the first free name of ConflictName. → that name.
  base::Result<std::string> PutBeside(const std::string& name, const std::string& text) const;

  // What a sync that was killed left behind: removes it, or gives it a name beside the files if no
  // other place has the text.
  void Recover(const std::function<bool(const std::string& text)>& is_known) const;

 private:
  MirrorFolder(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}
  base::Result<std::string> Write(const std::string& text) const;  // → a temporary name
  base::Result<std::string> ReadOne(const std::string& name) const;
  base::Error Failed(const std::string& what, const std::string& name, int error) const;
  // Gives a temporary file a name beside `name`.
  base::Result<std::string> Keep(const std::string& temporary, const std::string& name) const;

  std::string path_;
  int descriptor_;
};

}  // namespace client
