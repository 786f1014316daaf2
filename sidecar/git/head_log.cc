// A line is "<before> <after> <name> <<mail>> <time> <zone>\t<what>".
#include "sidecar/git/head_log.h"

#include <charconv>
#include <utility>

#include "lib/base/text/text.h"
#include "sidecar/git/git_objects.h"

namespace sidecar {

std::vector<HeadMove> ReadHeadLog(std::string_view text) {
  std::vector<HeadMove> moves;
  for (const std::string& line : base::Split(text, '\n')) {
    const std::string_view whole = line;
    const size_t tab = whole.find('\t'), first = whole.find(' ');
    if (tab == std::string_view::npos || first == std::string_view::npos) continue;
    const std::string_view who = whole.substr(0, tab), what = whole.substr(tab + 1);
    const size_t second = who.find(' ', first + 1), time = who.rfind("> ");
    if (second == std::string_view::npos || time == std::string_view::npos) continue;
    HeadMove move;
    move.before = BytesOfHex(who.substr(0, first));
    move.after = BytesOfHex(who.substr(first + 1, second - first - 1));
    const auto read = std::from_chars(who.data() + time + 2, who.data() + who.size(), move.at_s);
    if (read.ec != std::errc() || move.at_s < 0 || move.after.empty() ||
        move.before.size() != move.after.size())
      continue;
    move.amends = what.starts_with("commit (amend)");
    move.commits = what.starts_with("commit:") || what.starts_with("commit (");
    moves.push_back(std::move(move));
  }
  return moves;
}

}  // namespace sidecar
