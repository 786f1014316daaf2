// The targets of an export: a file or a folder that appears when it is complete, or standard
// output.
#pragma once

#include <memory>
#include <string>

#include "lib/http/message/message.h"

namespace memory {

class ExportTarget : public http::BodyWriter {
 public:
  virtual base::Status Finish() = 0;  // after the last write: renames it to its final name
};

// Until Finish the file or folder is "<path>.part-XXXXXX", new and of a name that nobody can plant;
// without Finish it is removed. "-" is standard output. kConflict: `path` exists.
base::Result<std::unique_ptr<ExportTarget>> OpenFileTarget(const std::string& path);
// Receives an archive of TarFile and writes its files into the folder, which may exist if it is
// empty.
base::Result<std::unique_ptr<ExportTarget>> OpenFolderTarget(const std::string& path);

}  // namespace memory
