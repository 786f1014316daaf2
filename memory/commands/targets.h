// Where an export goes: a file or a folder that is there when it is whole, or standard output.
#pragma once

#include <memory>
#include <string>

#include "lib/http/message/message.h"

namespace memory {

class ExportTarget : public http::BodyWriter {
 public:
  virtual base::Status Finish() = 0;  // behind the last write: now it has its name
};

// Until Finish the file is `path` with ".part" behind it, and so is the folder; what is not
// finished is removed. "-" is standard output. kConflict: there is something already.
base::Result<std::unique_ptr<ExportTarget>> OpenFileTarget(const std::string& path);
// Takes an archive of TarFile's and writes its files below the folder. An empty folder may be
// there.
base::Result<std::unique_ptr<ExportTarget>> OpenFolderTarget(const std::string& path);

}  // namespace memory
