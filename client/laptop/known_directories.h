// The repositories of directories in which agents work, for hooks that come when the directory is
// gone. Bounded, and only a memory: a lost entry costs nothing but that.
#pragma once

#include <string>

#include "client/laptop/home.h"

namespace client {

class KnownDirectories {
 public:
  explicit KnownDirectories(const Home& home) : home_(home) {}
  // Errors are ignored.
  void Keep(const std::string& directory, const std::string& root) const;
  std::string Find(const std::string& directory) const;  // empty: not known

 private:
  std::string File(const std::string& directory) const;
  const Home home_;
};

}  // namespace client
