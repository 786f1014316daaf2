// mkdtemp for the directory, so that its name cannot be guessed or taken.
#include "lib/kube/client/private_files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "lib/base/process/file.h"

namespace kube {

base::Result<std::shared_ptr<PrivateFiles>> PrivateFiles::Make() {
  const char* parent = std::getenv("TMPDIR");
  std::string name = std::string(parent && *parent ? parent : "/tmp") + "/kube-XXXXXX";
  if (!mkdtemp(name.data())) {
    return base::Error{base::Code::kInternal, "make a private directory for certificates (" + name +
                                                  "): " + std::strerror(errno)};
  }
  return std::shared_ptr<PrivateFiles>(new PrivateFiles(name));
}

PrivateFiles::~PrivateFiles() {
  std::error_code ignored;  // a destructor cannot report it
  std::filesystem::remove_all(directory_, ignored);
}

base::Result<std::string> PrivateFiles::Add(const std::string& name,
                                            std::string_view content) const {
  std::string path = directory_ + "/" + name;
  RETURN_IF_ERROR(base::ReplaceFile(path, content));
  return path;
}

}  // namespace kube
