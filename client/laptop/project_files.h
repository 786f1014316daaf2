// The persistent files of each repository below the home: its project's name, its policy, the
// sidecar's state and last address. A repository is known by its root commits, so that it keeps its
// memory wherever it lies, and another one in its place gets none of it; without commits by its
// path.
#pragma once

#include <string>
#include <vector>

#include "client/laptop/home.h"

namespace client {

struct KnownProject {
  std::string root, name;
  std::string address;               // the last address of its sidecar; empty: none yet
  std::vector<std::string> commits;  // its root commits; empty: none yet, or of an earlier version
  std::string folder;                // of its files
};

class ProjectFiles {
 public:
  explicit ProjectFiles(const Home& home) : home_(home) {}

  // The stored project of the repository at `root`, or a new one whose name no other project has.
  // Its root is another one if a clone of the same repository is known there. Runs git: call on a
  // long-lived thread (see Child).
  KnownProject Find(const std::string& root) const;
  base::Status Keep(const KnownProject& project) const;
  std::vector<KnownProject> All() const;  // in the order of their names

  std::string ServerAddress() const;
  void KeepServerAddress(const std::string& address) const;

 private:
  KnownProject New(const std::string& root, const std::vector<KnownProject>& all) const;
  const Home home_;
};

}  // namespace client
