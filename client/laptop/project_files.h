// What is kept of each repository below the home, from one `up` to the next: its project's name,
// its policy, the sidecar's state and where that listened.
#pragma once

#include <string>

#include "client/laptop/home.h"

namespace client {

struct KnownProject {
  std::string root, name;
  std::string address;  // where its sidecar listened last; empty: nowhere yet
};

class ProjectFiles {
 public:
  explicit ProjectFiles(const Home& home) : home_(home) {}

  // What is known of a repository; of one that is new, a name that no other one has which is still
  // there: so a repository that moved finds its memories again.
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
