// Serves a file of memories (any format of /import) for reading: a private memory server on
// loopback, in a temporary folder, with the content of the file. The destructor ends it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/programs/child.h"
#include "lib/http/client/client.h"

namespace client {

class FileServer {
 public:
  // Returns after the import. kNotFound: no such file; kInvalid: it has no readable row.
  static base::Result<std::unique_ptr<FileServer>> Open(const std::string& file);
  ~FileServer();  // ends the server, removes the folder
  const std::string& url() const { return url_; }
  // What the import did not take, a line each.
  const std::vector<std::string>& refused() const { return refused_; }

 private:
  explicit FileServer(std::string folder) : folder_(std::move(folder)) {}
  base::Status Start();
  base::Status TakeIn(std::string content);
  const std::string folder_;
  std::unique_ptr<Child> server_;
  std::string url_;
  std::vector<std::string> refused_;
};

}  // namespace client
