// Files change by exchanging names (renameat2), so that a text that a person saved meanwhile is
// seen and put back.
#include "client/mirror/mirror_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "client/mirror/mirror_file.h"
#include "lib/base/process/random.h"

namespace client {
namespace {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

constexpr std::string_view kTemporary = ".agent-memory-";
constexpr size_t kMostBeside = 1'000;

Status WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = write(descriptor, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0)
      return Error{errno == ENOSPC || errno == EDQUOT ? Code::kFull : Code::kInternal,
                   std::string("cannot write: ") + std::strerror(errno)};
    text.remove_prefix(static_cast<size_t>(wrote));
  }
  if (fsync(descriptor) != 0)
    return Error{Code::kInternal, std::string("cannot sync: ") + std::strerror(errno)};
  return {};
}

}  // namespace

Result<MirrorFolder> MirrorFolder::Open(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor >= 0) return MirrorFolder(path, descriptor);
  if (errno == ENOENT) return Error{Code::kNotFound, path + " is not there"};
  if (errno == ENOTDIR || errno == ELOOP)
    return Error{Code::kInvalid, path + " is no folder (a link is not followed)"};
  return Error{Code::kInternal, "cannot open " + path + ": " + std::strerror(errno)};
}

MirrorFolder::MirrorFolder(MirrorFolder&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

MirrorFolder::~MirrorFolder() {
  if (descriptor_ >= 0) close(descriptor_);
}

Error MirrorFolder::Failed(const std::string& what, const std::string& name, int error) const {
  return {error == ENOENT ? Code::kNotFound : Code::kInternal,
          what + " " + path_ + "/" + name + ": " + std::strerror(error)};
}

Result<std::string> MirrorFolder::ReadOne(const std::string& name) const {
  // A FIFO or a device is opened without waiting, and seen below.
  const int descriptor =
      openat(descriptor_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0 && errno == ELOOP)
    return Error{Code::kInvalid, "it is a symbolic link, which is not followed"};
  if (descriptor < 0) return Failed("cannot open", name, errno);
  struct stat found {};
  Result<std::string> text = std::string();
  if (fstat(descriptor, &found) != 0 || !S_ISREG(found.st_mode)) {
    text = Error{Code::kInvalid, "it is no regular file"};
  } else {
    char bytes[64 << 10];
    ssize_t got = 0;
    while ((got = read(descriptor, bytes, sizeof bytes)) > 0 && text->size() <= kMostBytes)
      text->append(bytes, static_cast<size_t>(got));
    if (got < 0) text = Failed("cannot read", name, errno);
    if (text && text->size() > kMostBytes)
      text = Error{Code::kTooLarge, "it has more than 256 KiB"};
  }
  close(descriptor);
  return text;
}

namespace {

// The names of a folder that `wants` takes. kTooLarge: more than `most`.
Result<std::vector<std::string>> NamesOf(int folder, size_t most,
                                         bool (*wants)(std::string_view name)) {
  const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* listing = again < 0 ? nullptr : fdopendir(again);
  if (listing == nullptr) {
    if (again >= 0) close(again);
    return Error{Code::kInternal, std::string("cannot list the folder: ") + std::strerror(errno)};
  }
  std::vector<std::string> names;
  while (const dirent* entry = readdir(listing)) {
    if (!wants(entry->d_name)) continue;
    names.emplace_back(entry->d_name);
    if (names.size() > most) break;
  }
  closedir(listing);
  if (names.size() <= most) return names;
  return Error{Code::kTooLarge, "the folder has more than " + std::to_string(most) +
                                    " Markdown files: a mirror has at most so many"};
}

}  // namespace

Result<MirrorFolder::Files> MirrorFolder::Read() const {
  ASSIGN_OR_RETURN(const auto names, NamesOf(descriptor_, kMostFiles, IsMirrorName));
  Files files;
  for (const std::string& name : names) {
    auto text = ReadOne(name);
    if (text) {
      files.texts[name] = *std::move(text);
    } else if (text.error().code != Code::kNotFound) {  // removed since
      files.odd[name] = text.error().message;
    }
  }
  return files;
}

Result<std::string> MirrorFolder::Write(const std::string& text) const {
  const std::string name = std::string(kTemporary) + base::RandomHex(16);
  const int descriptor =
      openat(descriptor_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (descriptor < 0) return Failed("cannot make", name, errno);
  const Status written = WriteAll(descriptor, text);
  close(descriptor);
  if (written) return name;
  unlinkat(descriptor_, name.c_str(), 0);
  return base::Wrap(path_, written.error());
}

Result<std::string> MirrorFolder::Keep(const std::string& temporary,
                                       const std::string& name) const {
  for (size_t number = 1; number <= kMostBeside; ++number) {
    const std::string beside = ConflictName(name, number);
    if (renameat2(descriptor_, temporary.c_str(), descriptor_, beside.c_str(), RENAME_NOREPLACE) ==
        0)
      return beside;
    if (errno != EEXIST) return Failed("cannot make", beside, errno);
  }
  return Error{Code::kFull,
               path_ + " has " + std::to_string(kMostBeside) + " conflicts of " + name};
}

Status MirrorFolder::Put(const std::string& name, const std::string& text,
                         const std::optional<std::string>& expected) const {
  ASSIGN_OR_RETURN(const std::string made, Write(text));
  const Error changed{Code::kConflict, name + " was changed just now: the next sync takes it"};
  const unsigned how = expected ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  if (renameat2(descriptor_, made.c_str(), descriptor_, name.c_str(), how) != 0) {
    const int error = errno;
    unlinkat(descriptor_, made.c_str(), 0);
    if (error == EEXIST || error == ENOENT) return changed;
    return Failed("cannot write", name, error);
  }
  if (!expected) return {};
  // `made` has what was there.
  const auto before = ReadOne(made);
  if (before && *before == *expected) {
    unlinkat(descriptor_, made.c_str(), 0);
    return {};
  }
  // A person saved it meanwhile: back, unless that changed again.
  if (renameat2(descriptor_, made.c_str(), descriptor_, name.c_str(), RENAME_EXCHANGE) != 0) {
    ASSIGN_OR_RETURN([[maybe_unused]] const std::string beside, Keep(made, name));
    return changed;
  }
  const auto ours = ReadOne(made);
  if (ours && *ours == text) {
    unlinkat(descriptor_, made.c_str(), 0);
  } else {
    ASSIGN_OR_RETURN([[maybe_unused]] const std::string beside, Keep(made, name));
  }
  return changed;
}

Status MirrorFolder::Remove(const std::string& name, const std::string& expected) const {
  const std::string aside = std::string(kTemporary) + base::RandomHex(16);
  if (renameat2(descriptor_, name.c_str(), descriptor_, aside.c_str(), RENAME_NOREPLACE) != 0)
    return errno == ENOENT ? Status() : Status(Failed("cannot remove", name, errno));
  const auto text = ReadOne(aside);
  if (text && *text == expected) {
    unlinkat(descriptor_, aside.c_str(), 0);
    return {};
  }
  if (renameat2(descriptor_, aside.c_str(), descriptor_, name.c_str(), RENAME_NOREPLACE) != 0) {
    ASSIGN_OR_RETURN([[maybe_unused]] const std::string beside, Keep(aside, name));
  }
  return Error{Code::kConflict, name + " was changed just now: the next sync takes it"};
}

Result<std::string> MirrorFolder::PutBeside(const std::string& name,
                                            const std::string& text) const {
  // After a kill it may be there already.
  for (size_t number = 1; number <= kMostBeside; ++number) {
    const std::string beside = ConflictName(name, number);
    const auto there = ReadOne(beside);
    if (!there && there.error().code == Code::kNotFound) break;
    if (there && *there == text) return beside;
  }
  ASSIGN_OR_RETURN(const std::string made, Write(text));
  auto kept = Keep(made, name);
  if (!kept) unlinkat(descriptor_, made.c_str(), 0);
  return kept;
}

void MirrorFolder::Recover(const std::function<bool(const std::string& text)>& is_known) const {
  const auto names = NamesOf(descriptor_, kMostFiles,
                             [](std::string_view name) { return name.starts_with(kTemporary); });
  if (!names) return;
  for (const std::string& name : *names) {
    const auto text = ReadOne(name);
    if (!text) continue;
    if (text->empty() || is_known(*text)) {
      unlinkat(descriptor_, name.c_str(), 0);
    } else {
      [[maybe_unused]] const auto kept = Keep(name, "unsaved.md");
    }
  }
}

}  // namespace client
