// The sidecars rewrite their own rows (POST /v1/erase); files are only read.
#include "client/commands/erase.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "client/laptop/control.h"
#include "client/laptop/project_files.h"
#include "client/memory/calls.h"
#include "client/terminal/call.h"
#include "lib/base/text/text.h"

namespace client {
namespace {

using base::Json;
namespace files = std::filesystem;

constexpr size_t kShortest = 12, kLongest = 60, kMostNeedles = 3;  // bytes
constexpr size_t kPiece = 1 << 20;
constexpr int64_t kEraseMs = 120'000;

// Reads the file in pieces that overlap by the longest needle.
bool Has(const files::path& file, const std::vector<std::string>& needles) {
  std::ifstream in(file, std::ios::binary);
  std::string piece;
  while (in) {
    const size_t kept = std::min(piece.size(), kLongest);
    piece.erase(0, piece.size() - kept);
    const size_t before = piece.size();
    piece.resize(before + kPiece);
    in.read(piece.data() + before, static_cast<std::streamsize>(kPiece));
    piece.resize(before + static_cast<size_t>(in.gcount()));
    for (const std::string& needle : needles)
      if (piece.find(needle) != std::string::npos) return true;
  }
  return false;
}

std::string RemedyOf(const files::path& file) {
  const std::string name = file.filename().string();
  if (name.find(".log") != std::string::npos)
    return "a log, which is replaced at 4 MiB: 'agent-memory down' and delete it";
  if (name.starts_with("state.db"))
    return "what a sidecar keeps of conversations: 'agent-memory down' and delete it, if you need "
           "none of them";
  return "delete it, if you do not need it";
}

void LookIntoFiles(const Home& home, const std::vector<std::string>& needles, ErasedHere& here) {
  std::error_code error;
  files::recursive_directory_iterator at(home.folder(), error), end;
  for (; !error && at != end; at.increment(error)) {
    // The server says what is left of the memories, and overwrites their file within a minute.
    if (at.depth() == 0 && at->path().filename() == "memory") {
      at.disable_recursion_pending();
      continue;
    }
    std::error_code unknown;
    if (at->is_symlink(unknown) || !at->is_regular_file(unknown)) continue;
    if (Has(at->path(), needles))
      here.left.push_back(at->path().string() + ": " + RemedyOf(at->path()));
  }
}

base::Result<Json> AskSidecar(const ControlClient& control, const KnownProject& project,
                              const Json& body) {
  ASSIGN_OR_RETURN(const Project used, control.Use(project.root));
  http::ClientOptions options;
  options.base_url = used.url;
  ASSIGN_OR_RETURN(const auto client, http::MakeClient(std::move(options)));
  http::ClientRequest request;
  request.method = "POST";
  request.target = "/v1/erase";
  request.body = base::DumpJson(body);
  request.timeout_ms = kEraseMs;
  request.headers.Set("Content-Type", "application/json");
  ASSIGN_OR_RETURN(const auto answer, MemoryCalls(*client, used.url).Raw(std::move(request)));
  return base::ParseJson(answer.body);
}

}  // namespace

std::vector<std::string> NeedlesOf(const std::string& text) {
  std::vector<std::string> runs;
  std::string run;
  for (const char c : text + '\0') {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && c != '"' && c != '\\') {
      run += c;
    } else {
      runs.push_back(std::exchange(run, ""));
    }
  }
  std::erase_if(runs, [](const std::string& one) { return one.size() < kShortest; });
  std::ranges::stable_sort(runs, std::ranges::greater(), &std::string::size);
  if (runs.size() > kMostNeedles) runs.resize(kMostNeedles);
  for (std::string& one : runs) one = one.substr(0, kLongest);
  return runs;
}

ErasedHere EraseHere(const Call& call, const std::vector<std::string>& titles,
                     const std::vector<std::string>& texts) {
  ErasedHere here;
  const auto home = Home::Find(call.settings);
  if (!home || texts.empty()) return here;
  const auto control = ControlClient::Reach(*home);
  if (!control) return here;
  const Json body = {{"titles", titles}, {"texts", texts}};
  for (const KnownProject& project : ProjectFiles(*home).All()) {
    std::error_code error;
    const std::string state = project.folder + "/state/state.db";
    if (!files::exists(state, error)) continue;
    const auto answer = AskSidecar(*control, project, body);
    if (!answer) {
      here.left.push_back(state + ": its sidecar did not erase it (" + answer.error().message +
                          "); run the command again in " + project.root);
      continue;
    }
    const Json erased = answer->value("erased", Json::object());
    if (!erased.empty()) here.erased[project.name] = erased;
    for (const Json& one : answer->value("left", Json::array())) {
      here.left.push_back("project " + project.name + ", " + base::StringAt(one, {"place"}) + ": " +
                          base::StringAt(one, {"why"}) + "; " + base::StringAt(one, {"how"}));
    }
  }
  std::vector<std::string> needles;
  for (const std::string& text : texts)
    for (std::string& needle : NeedlesOf(text)) needles.push_back(std::move(needle));
  if (needles.empty()) {
    here.left.push_back("files of " + home->folder() +
                        " were not searched: the text is too short to be told apart");
  } else {
    LookIntoFiles(*home, needles, here);
  }
  return here;
}

}  // namespace client
