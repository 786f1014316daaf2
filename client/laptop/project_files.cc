// Stores project.json in one folder per repository.
#include "client/laptop/project_files.h"

#include <filesystem>

#include "client/laptop/repository.h"
#include "lib/base/process/file.h"

namespace client {
namespace {

constexpr size_t kLongestFile = 64 << 10;

KnownProject ReadProject(const std::string& file) {
  const auto text = base::ReadFile(file, kLongestFile);
  const auto json = text ? base::ParseJson(*text) : base::Result<base::Json>(text.error());
  if (!json || !json->is_object()) return {};
  return {base::StringAt(*json, {"root"}), base::StringAt(*json, {"project"}),
          base::StringAt(*json, {"address"})};
}

}  // namespace

std::string ProjectFiles::Folder(const std::string& root) const {
  return home_.File("projects/" + RepositoryKey(root));
}

KnownProject ProjectFiles::Find(const std::string& root) const {
  KnownProject known = ReadProject(Folder(root) + "/project.json");
  if (known.root == root && !known.name.empty()) return known;
  const auto taken = [&](const std::string& name) { return Taken(name, root); };
  return {root, ProjectName(root, taken), ""};
}

bool ProjectFiles::Taken(const std::string& name, const std::string& root) const {
  std::error_code error, ignored;
  for (std::filesystem::directory_iterator at(home_.File("projects"), error), end;
       !error && at != end; at.increment(error)) {
    const KnownProject other = ReadProject((at->path() / "project.json").string());
    if (other.name == name && other.root != root && std::filesystem::exists(other.root, ignored))
      return true;
  }
  return false;
}

base::Status ProjectFiles::Keep(const KnownProject& project) const {
  const std::string folder = Folder(project.root);
  RETURN_IF_ERROR(base::MakeDirectories(folder));
  return base::ReplaceFile(
      folder + "/project.json",
      base::DumpJson(
          {{"root", project.root}, {"project", project.name}, {"address", project.address}}));
}

std::string ProjectFiles::ServerAddress() const {
  const auto text = base::ReadFile(home_.File("server.address"), kLongestFile);
  return text && text->starts_with("127.0.0.1:") ? *text : "";
}

void ProjectFiles::KeepServerAddress(const std::string& address) const {
  // Ignores errors: without the file the server only gets another port next time.
  [[maybe_unused]] const auto kept = base::ReplaceFile(home_.File("server.address"), address);
}

}  // namespace client
