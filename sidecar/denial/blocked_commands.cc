// An entry is compared with one command, from its program on, and never with the words of another:
// `rm` blocks `sudo rm -rf x`, but neither `git rm` nor `man rm` (ADR 50). Whether an option takes
// the next word as its value is unknown for most programs, so both readings are followed at once,
// as a set of positions: linear in the words of the command for each word of the entry.
#include "sidecar/denial/blocked_commands.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "lib/base/text/text.h"

namespace sidecar {
namespace {

// git's options before its subcommand whose value is the next word.
constexpr std::string_view kGitValues[] = {"-C",          "-c",          "--git-dir",
                                           "--work-tree", "--namespace", "--config-env"};

bool IsOption(std::string_view word) { return word.size() > 1 && word[0] == '-'; }
bool IsLetters(std::string_view word) { return IsOption(word) && word[1] != '-'; }

bool HoldsOption(const std::vector<std::string>& argv, const std::string& wanted) {
  std::string letters;
  for (size_t at = 1; at < argv.size() && argv[at] != "--"; ++at) {
    if (base::MatchesGlob(wanted, argv[at]) || argv[at].starts_with(wanted + "=")) return true;
    if (IsLetters(argv[at])) letters += argv[at].substr(1, 64);
  }
  return IsLetters(wanted) && std::all_of(wanted.begin() + 1, wanted.end(), [&](char c) {
           return letters.find(c) != std::string::npos;
         });
}

// Whether the next word may be the option's value: it has none in its own word.
bool MayTakeNext(const std::vector<std::string>& argv, size_t at) {
  if (argv[0] == "git" || argv[0].ends_with("/git")) {
    const bool before_command =
        std::none_of(argv.begin() + 1, argv.begin() + std::ptrdiff_t(at),
                     [](auto& word) { return word == "push" || word == "commit"; });
    if (before_command)
      return std::find(std::begin(kGitValues), std::end(kGitValues), argv[at]) !=
             std::end(kGitValues);
  }
  return argv[at].find('=') == std::string::npos;
}

}  // namespace

bool MatchesProgram(const std::string& wanted, const std::string& word) {
  const size_t slash = word.rfind('/');
  return base::MatchesGlob(wanted, word) ||
         (slash != std::string::npos && base::MatchesGlob(wanted, word.substr(slash + 1)));
}

bool MatchesAnywhere(const std::vector<std::string>& wanted) {
  return !wanted.empty() && wanted[0].starts_with("*") && (wanted.size() > 1 || wanted[0] != "*");
}

bool MatchesCommand(const std::vector<std::string>& wanted, const std::vector<std::string>& argv) {
  if (wanted.empty() || argv.empty() || !MatchesProgram(wanted[0], argv[0])) return false;
  std::vector<bool> places(argv.size() + 1);  // positions where the entry's next word may be
  places[1] = true;
  for (size_t i = 1; i < wanted.size(); ++i) {
    if (IsOption(wanted[i])) {
      if (!HoldsOption(argv, wanted[i])) return false;
      continue;
    }
    const bool any = wanted[i] == "*";
    std::vector<bool> next(argv.size() + 1);
    for (size_t at = 1; at <= argv.size(); ++at) {
      if (!places[at]) continue;
      if (any) {
        std::fill(next.begin() + static_cast<ptrdiff_t>(at), next.end(), true);
        break;
      }
      if (at == argv.size()) break;
      if (base::MatchesGlob(wanted[i], argv[at])) next[at + 1] = true;
      if (!IsOption(argv[at])) continue;
      places[at + 1] = true;
      if (at + 2 <= argv.size() && MayTakeNext(argv, at)) places[at + 2] = true;
    }
    places = std::move(next);
  }
  return std::find(places.begin(), places.end(), true) != places.end();
}

}  // namespace sidecar
