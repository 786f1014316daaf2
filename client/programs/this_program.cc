// Compares /proc/self/exe with the files on PATH.
#include "client/programs/this_program.h"

#include <cstdlib>
#include <filesystem>

#include "lib/base/text/text.h"

namespace client {

base::Result<std::string> ThisProgram() {
  std::error_code error, ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return base::Error{base::Code::kInternal, "cannot find this program's own file"};
  const char* path = std::getenv("PATH");
  for (const std::string& folder : base::Split(path == nullptr ? "" : path, ':')) {
    const std::string found = folder + "/agent-memory";
    if (folder.starts_with('/') && std::filesystem::equivalent(found, self, ignored)) return found;
  }
  return self.string();
}

}  // namespace client
