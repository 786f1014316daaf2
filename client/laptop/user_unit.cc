// Renders and writes agent-memory.service.
#include "client/laptop/user_unit.h"

#include <cstdlib>

#include "client/programs/child.h"
#include "lib/base/process/file.h"

namespace client {
namespace {

// Quotes a word of ExecStart; escapes specifiers (%) and variables ($).
std::string Word(const std::string& text) {
  std::string word = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') word += '\\';
    if (c == '%' || c == '$') word += c;
    word += c;
  }
  return word + "\"";
}

}  // namespace

std::string UserUnit(const std::string& program, const std::string& home) {
  return "[Unit]\nDescription=Memory for coding agents\n\n[Service]\nExecStart=" + Word(program) +
         " up --home " + Word(home) +
         "\nRestart=on-failure\n\n[Install]\nWantedBy=default.target\n";
}

base::Result<std::string> InstallUserUnit(const std::string& home) {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* user = std::getenv("HOME");
  std::string folder = config != nullptr && *config == '/' ? config : "";
  if (folder.empty() && user != nullptr && *user == '/') folder = std::string(user) + "/.config";
  if (folder.empty())
    return base::Error{base::Code::kInvalid,
                       "HOME is not set: systemd user units are in its .config/systemd/user"};
  folder += "/systemd/user";
  ASSIGN_OR_RETURN(const std::string program, ThisProgram());
  RETURN_IF_ERROR(base::MakeDirectories(folder));
  const std::string file = folder + "/agent-memory.service";
  RETURN_IF_ERROR(base::ReplaceFile(file, UserUnit(program, home)));
  return file;
}

}  // namespace client
