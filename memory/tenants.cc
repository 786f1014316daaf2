// Names of tenants and their files.
#include "memory/tenants.h"

#include "lib/base/file.h"
#include "lib/base/json.h"
#include "lib/base/text.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

Result<std::string> TenantFile(const std::string& directory, const std::string& name) {
  const std::string file = base::Sha256Hex(name);
  const std::string table = directory + "/names.json";
  Json names = Json::object();
  Result<std::string> text = base::ReadFile(table);
  if (text) {
    ASSIGN_OR_RETURN(names, base::ParseJson(*text));
    if (!names.is_object()) return Error{Code::kInternal, table + " is not an object of names"};
  } else if (text.error().code != Code::kNotFound) {
    return text.error();
  }
  if (!names.contains(file)) {
    names[file] = name;
    RETURN_IF_ERROR(base::ReplaceFile(table, base::DumpJson(names) + "\n"));
  }
  return directory + "/" + file;
}

}  // namespace memory
