// Small secret files for libraries that only read files, in a directory of mode 0700 that the
// destructor removes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace kube {

class PrivateFiles {
 public:
  static base::Result<std::shared_ptr<PrivateFiles>> Make();
  ~PrivateFiles();  // removes the directory and all in it
  PrivateFiles(const PrivateFiles&) = delete;
  PrivateFiles& operator=(const PrivateFiles&) = delete;

  // The path of a new file of mode 0600; `name` has no slash.
  base::Result<std::string> Add(const std::string& name, std::string_view content) const;

 private:
  explicit PrivateFiles(std::string directory) : directory_(std::move(directory)) {}
  const std::string directory_;
};

}  // namespace kube
