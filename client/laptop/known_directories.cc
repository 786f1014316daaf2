// One small file for a directory, named after its path.
#include "client/laptop/known_directories.h"

#include <unistd.h>

#include <filesystem>

#include "client/laptop/repository.h"
#include "lib/base/process/file.h"

namespace client {
namespace {

constexpr size_t kMostFiles = 1'000, kMostBytes = 16 << 10;

}  // namespace

std::string KnownDirectories::File(const std::string& directory) const {
  return home_.File("directories/" + RepositoryKey(directory));
}

void KnownDirectories::Keep(const std::string& directory, const std::string& root) const {
  const std::string file = File(directory);
  // A home that does not exist yet is made by `up`, with its mode.
  if (Find(directory) == root || access(home_.folder().c_str(), W_OK) != 0) return;
  std::error_code error;
  const std::filesystem::path folder = home_.File("directories");
  if (!base::MakeDirectories(folder.string())) return;
  size_t files = 0;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    ++files;
  if (files >= kMostFiles) std::filesystem::remove_all(folder, error);
  if (files >= kMostFiles && !base::MakeDirectories(folder.string())) return;
  [[maybe_unused]] const auto kept = base::ReplaceFile(file, root);
}

std::string KnownDirectories::Find(const std::string& directory) const {
  return base::ReadFile(File(directory), kMostBytes).value_or("");
}

}  // namespace client
