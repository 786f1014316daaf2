// The persistent files of each repository below the home: its project's name, its policy, the
// sidecar's state and last address.
#pragma once

#include <string>

#include "client/laptop/home.h"

namespace client {

struct KnownProject {
  std::string root, name;
  std::string address;  // the last address of its sidecar; empty: none yet
};

class ProjectFiles {
 public:
  explicit ProjectFiles(const Home& home) : home_(home) {}

  // The stored project, or a new one with a name that no other existing repository has. A name of a
  // removed root is free, so that a moved repository finds its memories again.
  KnownProject Find(const std::string& root) const;
  base::Status Keep(const KnownProject& project) const;
  std::string Folder(const std::string& root) const;

  std::string ServerAddress() const;
  void KeepServerAddress(const std::string& address) const;

 private:
  bool Taken(const std::string& name, const std::string& root) const;
  const Home home_;
};

}  // namespace client
