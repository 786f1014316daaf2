// A path is allowed only if the written path and the target of its links both lie below an allowed
// directory, for each directory that the command may be in by then: whether a `cd` succeeds is
// unknown before the command runs (ADR 19). `RealPath` is a parameter, so that the decision stays
// pure and repeatable; it follows links only where the sidecar sees the agent's files.
#include "sidecar/denial/path_judge.h"

#include <algorithm>
#include <iterator>

#include "lib/base/text/text.h"
#include "lib/http/message/message.h"
#include "sidecar/text/normal_path.h"

namespace sidecar {
namespace {

constexpr std::string_view kDevices[] = {"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"};
constexpr size_t kMaxDirectories = 16;    // that a command may be in
constexpr size_t kLongestJudged = 4'096;  // no system opens a longer path
constexpr size_t kRealPathBytes = 1'024;  // budget for following links, beside the text

// Devices that every command may read and write, since they store nothing.
bool IsDevice(std::string_view path) {
  constexpr std::string_view kDescriptors = "/dev/fd/";
  if (path.starts_with(kDescriptors) && path.size() > kDescriptors.size()) {
    return path.find_first_not_of("0123456789", kDescriptors.size()) == std::string_view::npos;
  }
  // bash opens a connection for these; they are no files.
  const bool connection = path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/");
  if (connection) return path.find("..") == std::string_view::npos;
  return std::find(std::begin(kDevices), std::end(kDevices), path) != std::end(kDevices);
}

// A program that a bare name would find in PATH may also be called by its whole path.
bool IsSystemProgram(const std::string& path) {
  const std::string directory = path.substr(0, path.rfind('/'));
  return directory == "/bin" || directory == "/usr/bin" || directory == "/usr/local/bin" ||
         directory == "/sbin" || directory == "/usr/sbin";
}

bool IsInside(const std::string& path, const std::string& prefix) {
  const std::string normal = NormalPath(prefix, "/");
  return normal == "/" || path == normal || path.starts_with(normal + "/");
}

bool IsInsideAny(const std::string& path, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return IsInside(path, prefix); });
}

bool Climbs(std::string_view path) {
  return path == ".." || path.starts_with("../") || path.ends_with("/..") ||
         path.find("/../") != std::string_view::npos;
}

// A wildcard that matches "..": .* or .[.]
bool MayBeParent(const std::string& path) {
  const std::vector<std::string> steps = base::Split(path, '/');
  return std::any_of(steps.begin(), steps.end(), [](const std::string& step) {
    return step.starts_with(".") && step.find_first_of("*?[") != std::string::npos &&
           (base::MatchesGlob(step, "..") || step[1] == '[');
  });
}

}  // namespace

std::optional<std::string> PathOfFileUrl(std::string_view text) {
  constexpr std::string_view kScheme = "file:";
  if (text.size() <= kScheme.size()) return std::nullopt;
  for (size_t i = 0; i < kScheme.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != kScheme[i]) {
      return std::nullopt;
    }
  }
  const std::string_view written = text.substr(kScheme.size());
  const std::string rest = http::PercentDecode(written).value_or(std::string(written));
  if (!rest.starts_with("//")) return rest;
  const std::string host = rest.substr(2, rest.find('/', 2) - 2);
  const std::string path = rest.substr(2 + host.size());
  if (host.empty() || host == "localhost" || host == "127.0.0.1") return path.empty() ? "/" : path;
  // Programs differ on file://a/b: some open a/b, some /b, git /a/b.
  if (IsRootDirectory(host)) return "/" + host + path;
  return IsRootDirectory(FirstStep(path)) ? path : host + path;
}

bool IsPattern(std::string_view text) { return text.starts_with("/*"); }

PathJudge::PathJudge(const api::Policy& policy, const RealPath& real_path,
                     const std::string& directory, WorkBudget& budget)
    : policy_(policy), real_path_(real_path), budget_(budget) {
  if (directory.starts_with("/")) directories_.insert(directory);
  knows_directory_ = !directories_.empty();
  for (const std::string& prefix : policy.allowed_paths)
    real_prefixes_.push_back(real_path(prefix));
}

bool PathJudge::IsPathInCode(std::string_view part) const {
  if (part == ".." || part.starts_with("~/") || Climbs(part)) return true;
  if (const auto path = PathOfFileUrl(part)) return IsPathInCode(*path);
  if (!part.starts_with("/")) return false;
  const std::string_view first = FirstStep(part);
  const auto& allowed = policy_.allowed_paths;
  return IsRootDirectory(first) ||
         (!first.empty() && std::any_of(allowed.begin(), allowed.end(), [&](const auto& path) {
           return FirstStep(path) == first;
         }));
}

std::string PathJudge::Refusal(const std::string& path) const { return RefusalOf(path, true); }

// `globs`: a shell expands *, ? and [ in the path.
std::string PathJudge::RefusalOf(const std::string& path, bool globs) const {
  if (path.starts_with("~")) return NoAccess(path);
  if (IsDevice(path)) return {};
  if (globs && MayBeParent(path)) return NoAccess(path);
  if (path.starts_with("/")) return RefusalIn(path, "/");
  if (!knows_directory_) return RefusalWithoutDirectory(path);
  for (const std::string& directory : directories_) {
    if (std::string refusal = RefusalIn(path, directory); !refusal.empty()) return refusal;
  }
  return {};
}

std::string PathJudge::RefusalOfGuess(const std::string& text) const {
  const bool inside =
      std::all_of(directories_.begin(), directories_.end(), [&](const std::string& directory) {
        return IsInsideAny(NormalPath(directory, "/"), policy_.allowed_paths);
      });
  return Climbs(text) || (knows_directory_ && inside) ? Refusal(text) : "";
}

std::string PathJudge::RefusalOfWord(const ShellWord& word) const {
  if (word.expands && policy_.strict_commands) {
    return "the policy of this agent limits paths, and those of this command are only known when "
           "it runs: write them out";
  }
  if (word.document) return {};  // the words in it are judged one by one
  // The value of an expansion is unknown; the text before it is judged.
  const std::string text = word.expands ? word.text.substr(0, word.literal) : word.text;
  const std::string name = word.assigns ? text.substr(0, text.find('=')) : "";
  if (name.ends_with("PATH") || name == "IFS") return {};
  // docker run --mount type=bind,source=/x,target=/y
  for (const std::string_view key : {",source=", ",src="}) {
    const size_t at = text.find(key);
    if (at == std::string::npos) continue;
    const size_t begin = at + key.size();
    std::string refusal = RefusalOfPart(text.substr(begin, text.find(',', begin) - begin), false);
    if (!refusal.empty()) return refusal;
  }
  if (const size_t equals = text.find('='); equals != std::string::npos) {
    std::string refusal = RefusalOfPart(text.substr(equals + 1), word.wildcard);
    if (!refusal.empty() || text.starts_with("-")) return refusal;
  }
  if (text.starts_with("-")) return RefusalOfOption(text, word.wildcard);
  if (word.names_command && (text.find('/') == std::string::npos || IsSystemProgram(text)))
    return {};
  return RefusalOfPart(text, word.wildcard);
}

std::string PathJudge::Enter(const std::string& path) {
  std::set<std::string> more;
  for (const std::string& directory : directories_) more.insert(NormalPath(path, directory));
  if (path.starts_with("/")) more.insert(NormalPath(path, "/"));
  directories_.insert(more.begin(), more.end());
  if (directories_.size() <= kMaxDirectories) return {};
  return "the policy of this agent limits paths, and this command changes its directory too "
         "often";
}

// Judges the path inside an option: -I../x, -C/x; -xf/x is read as -xf with /x.
std::string PathJudge::RefusalOfOption(const std::string& text, bool globs) const {
  const size_t slash = text.find('/');
  const bool dotted = text.size() > 2 && text[2] == '.';
  if (dotted || (slash == std::string::npos && text.find("..") != std::string::npos)) {
    return RefusalOfPart(text.substr(2), globs);
  }
  return slash == std::string::npos ? "" : RefusalOfPart(text.substr(slash), globs);
}

// Judges the file of `@file` and `name@/file` (curl), and the whole part, since a file's name may
// contain @. Several @ at the beginning count as one.
std::string PathJudge::RefusalOfPart(const std::string& part, bool globs) const {
  const bool url = part.find("://") != std::string::npos;
  if (const size_t at = part.find("@/"); !url && at != std::string::npos && at > 0) {
    if (std::string refusal = RefusalOfPlain(part.substr(at + 1), globs); !refusal.empty())
      return refusal;
  }
  const size_t name = std::min(part.find_first_not_of('@'), part.size());
  if (name > 0 && name < part.size()) {
    if (std::string refusal = RefusalOfPlain(part.substr(name), globs); !refusal.empty())
      return refusal;
  }
  return RefusalOfPlain(part, globs);
}

std::string PathJudge::RefusalOfPlain(const std::string& part, bool globs) const {
  if (part.empty()) return {};
  if (const auto path = PathOfFileUrl(part)) return Refusal(*path);
  if (part.find("://") != std::string::npos || (!globs && IsPattern(part))) return {};
  return RefusalOf(part, globs);
}

// The directory is unknown: a relative path is allowed only if every path is.
std::string PathJudge::RefusalWithoutDirectory(const std::string& path) const {
  if (IsInsideAny("/", policy_.allowed_paths)) return {};
  return "the policy of this agent limits paths, and the event names no cwd in which \"" +
         base::Ellipsize(path, 200) + "\" could be judged: send cwd, or write whole paths";
}

std::string PathJudge::RefusalIn(const std::string& path, const std::string& directory) const {
  if (!budget_.Spend(path.size() + directory.size() + kRealPathBytes)) return {};
  const std::string normal = NormalPath(path, directory);
  if (!IsInsideAny(normal, policy_.allowed_paths)) return NoAccess(normal);
  std::string whole = path.starts_with("/") ? path : directory + "/" + path;
  if (whole.size() > kLongestJudged) whole = normal;
  if (whole.size() > kLongestJudged) return {};  // no system opens it
  const std::string real = real_path_(whole);
  const bool inside = IsInsideAny(real, real_prefixes_) || IsInsideAny(real, policy_.allowed_paths);
  return inside ? "" : NoAccess(real + " (a link leads there)");
}

std::string PathJudge::NoAccess(const std::string& path) const {
  return "the policy of this agent allows no access to " + base::Ellipsize(path, 200) +
         "; allowed: " + base::Join(policy_.allowed_paths, ", ");
}

}  // namespace sidecar
