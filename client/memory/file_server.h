// A file of memories (an export in any format that /import takes) as a memory to look at: a memory
// server of its own on loopback, in a temporary folder, which holds what the file has while this
// lives.
#pragma once

#include <memory>
#include <string>

#include "client/programs/child.h"
#include "lib/http/client/client.h"

namespace client {

class FileServer {
 public:
  // Returns when the file is taken in. kNotFound: no such file; kInvalid: none of its rows can be
  // read.
  static base::Result<std::unique_ptr<FileServer>> Open(const std::string& file);
  ~FileServer();  // ends the server, removes the folder
  const std::string& url() const { return url_; }

 private:
  explicit FileServer(std::string folder) : folder_(std::move(folder)) {}
  base::Status Start();
  base::Status TakeIn(std::string content) const;
  const std::string folder_;
  std::unique_ptr<Child> server_;
  std::string url_;
};

}  // namespace client
