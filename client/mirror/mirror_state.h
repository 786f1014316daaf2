// What a project's last sync left: the folder, and for each file its memory. A file of this
// machine's home, since ids of memories are this machine's.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "client/laptop/home.h"
#include "lib/base/process/file.h"
#include "lib/base/result.h"

namespace client {

struct MirrorState {
  struct Entry {
    int64_t id = 0, revision = 0;
    std::string digest;  // SHA-256 of the file's bytes
  };
  std::string folder;                  // canonical; empty: the project has no mirror
  bool automatic = false;              // hooks sync it
  std::map<std::string, Entry> files;  // by name
};

class MirrorStates {
 public:
  explicit MirrorStates(const Home& home) : home_(home) {}
  // Empty if there is none. kInvalid: the file is damaged.
  base::Result<MirrorState> Load(const std::string& project) const;
  base::Status Save(const std::string& project, const MirrorState& state) const;
  void Forget(const std::string& project) const;
  bool IsAutomatic(const std::string& project) const;
  // One sync of a project at a time. kConflict: another one works, still after `wait_ms`.
  base::Result<base::DirectoryLock> Lock(const std::string& project, int64_t wait_ms) const;

 private:
  std::string Folder(const std::string& project) const;
  const Home home_;
};

}  // namespace client
