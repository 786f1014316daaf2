// mirrors/<digest of the project's name>/mirror.json
#include "client/mirror/mirror_state.h"

#include <unistd.h>

#include "client/mirror/mirror_file.h"
#include "lib/base/json/json.h"
#include "lib/base/process/file.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace client {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr size_t kMostStateBytes = 4 << 20;

}  // namespace

std::string MirrorStates::Folder(const std::string& project) const {
  return home_.File("mirrors/" + base::Sha256Hex(base::FoldCase(project)).substr(0, 16));
}

Result<MirrorState> MirrorStates::Load(const std::string& project) const {
  const std::string file = Folder(project) + "/mirror.json";
  const auto text = base::ReadFile(file, kMostStateBytes);
  if (!text && text.error().code == Code::kNotFound) return MirrorState();
  if (!text) return text.error();
  const auto json = base::ParseJson(*text);
  if (!json || !json->is_object())
    return Error{Code::kInvalid, file +
                                     " is damaged: remove it; the next sync then asks for "
                                     "--take-in, and matches files and memories by their texts"};
  MirrorState state;
  state.folder = base::StringAt(*json, {"folder"});
  state.automatic = json->value("automatic", Json()) == true;
  const Json files = json->value("files", Json::object());
  for (const auto& [name, entry] : files.items()) {
    MirrorState::Entry& one = state.files[name];
    one = {WholeNumberAt(entry, "id"), WholeNumberAt(entry, "revision"),
           base::StringAt(entry, {"digest"})};
  }
  return state;
}

Status MirrorStates::Save(const std::string& project, const MirrorState& state) const {
  Json files = Json::object();
  for (const auto& [name, entry] : state.files)
    files[name] = {{"id", entry.id}, {"revision", entry.revision}, {"digest", entry.digest}};
  RETURN_IF_ERROR(base::MakeDirectories(Folder(project)));
  return base::ReplaceFile(Folder(project) + "/mirror.json",
                           base::DumpJson({{"project", project},
                                           {"folder", state.folder},
                                           {"automatic", state.automatic},
                                           {"files", std::move(files)}}));
}

void MirrorStates::Forget(const std::string& project) const {
  unlink((Folder(project) + "/mirror.json").c_str());
}

bool MirrorStates::IsAutomatic(const std::string& project) const {
  // A hook of a project without a mirror reads nothing.
  if (access((Folder(project) + "/mirror.json").c_str(), F_OK) != 0) return false;
  const auto state = Load(project);
  return state && state->automatic;
}

Result<base::DirectoryLock> MirrorStates::Lock(const std::string& project, int64_t wait_ms) const {
  RETURN_IF_ERROR(base::MakeDirectories(Folder(project)));
  return base::DirectoryLock::Acquire(Folder(project), wait_ms);
}

}  // namespace client
