// One pass over each line.
#include "memory/transfer/notes/note_links.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "lib/api/limits.h"
#include "lib/base/json/json.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/slug.h"
#include "lib/base/text/text.h"
#include "memory/store/traces.h"
#include "memory/transfer/notes/markdown.h"

namespace memory {

using base::Json;

namespace {

constexpr size_t kNameBytes = 38;
constexpr std::string_view kOpens = "[[", kCloses = "]]", kDash = "—";

// Collects links, each name once.
class LinkSet {
 public:
  void Add(NoteLink link) {
    if (link.name.empty() || names_.contains(link.name)) return;
    if (found_.links.size() >= kMaxNoteLinks) {
      found_.cut = true;
      return;
    }
    names_.insert(link.name);
    found_.links.push_back(std::move(link));
  }
  FoundLinks Take() { return std::move(found_); }

 private:
  FoundLinks found_;
  std::set<std::string> names_;
};

// Where each run of backticks ends as code: at the next run of the same length in the line.
class CodeSpans {
 public:
  explicit CodeSpans(std::string_view line) {
    for (size_t at = line.find('`'); at != line.npos; at = line.find('`', at)) {
      const size_t end = std::min(line.find_first_not_of('`', at), line.size());
      runs_.push_back({at, end, line.npos});
      at = end;
    }
    std::map<size_t, size_t> next;  // length → the run's end
    for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
      size_t& same = next.try_emplace(run->end - run->begin, line.npos).first->second;
      run->closed = std::exchange(same, run->end);
    }
  }
  // Behind the code that begins with the backtick at `at`, or behind all backticks there. Each call
  // is behind the one before.
  size_t Behind(size_t at) {
    while (runs_[next_].end <= at) ++next_;
    const Run& run = runs_[next_];
    const bool whole = run.begin == at;  // the first of them may be escaped
    return whole && run.closed != std::string_view::npos ? run.closed : run.end;
  }

 private:
  struct Run {
    size_t begin, end, closed;
  };
  std::vector<Run> runs_;
  size_t next_ = 0;
};

void AddLinksOfLine(std::string_view line, LinkSet& links) {
  if (line.find(kOpens) == line.npos) return;
  CodeSpans code(line);
  size_t open = line.npos;
  for (size_t at = 0; at < line.size();) {
    if (line[at] == '`') {
      at = code.Behind(at);
      open = line.npos;
    } else if (line[at] == '\\') {
      at += 2;
    } else if (line.substr(at).starts_with(kOpens)) {
      open = at + kOpens.size();
      ++at;  // of [[[ the last two count
    } else if (open != line.npos && line.substr(at).starts_with(kCloses)) {
      links.Add({LinkName(line.substr(open, at - open))});
      open = line.npos;
      at += kCloses.size();
    } else {
      ++at;
    }
  }
}

bool IsPlainKind(std::string_view kind) {
  return !kind.empty() && base::Trim(kind) == kind && !kind.starts_with('"') &&
         !kind.ends_with(')') && kind.find(kOpens) == kind.npos &&
         std::none_of(kind.begin(), kind.end(),
                      [](unsigned char c) { return c < ' ' || c == 127; });
}

// "(0.5)" at the end of what stands behind a link is taken off it.
std::optional<double> TakeWeight(std::string_view& text) {
  const size_t open = text.rfind('(');
  if (open == text.npos || !text.ends_with(')')) return std::nullopt;
  const std::string_view digits = text.substr(open + 1, text.size() - open - 2);
  double weight = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), weight);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (!(weight >= 0 && weight <= 1)) return std::nullopt;
  text = base::Trim(text.substr(0, open));
  return weight;
}

std::optional<NoteLink> LinkOfLine(std::string_view line) {
  line = base::Trim(line);
  if (!line.starts_with("- ") && !line.starts_with("* ")) return std::nullopt;
  line = base::Trim(line.substr(2));
  const size_t end = line.find(kCloses);
  if (!line.starts_with(kOpens) || end == line.npos) return std::nullopt;
  NoteLink link{LinkName(line.substr(kOpens.size(), end - kOpens.size()))};
  line = base::Trim(line.substr(end + kCloses.size()));
  for (const std::string_view dash : {kDash, std::string_view("-")}) {
    if (!line.starts_with(dash)) continue;
    line = base::Trim(line.substr(dash.size()));
    break;
  }
  if (const auto weight = TakeWeight(line)) link.weight = *weight;
  std::string kind(line);
  if (line.starts_with('"')) {
    const auto quoted = base::ParseJson(line);
    if (quoted && quoted->is_string()) kind = quoted->get<std::string>();
  }
  if (!base::IsBlank(kind) && base::Prefix(kind, api::kMaxEdgeKind) == kind) link.kind = kind;
  return link;
}

}  // namespace

std::string TraceFileName(const std::string& trace_id) {
  const bool plain = std::ranges::all_of(trace_id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return plain ? trace_id : kTraceIdPrefix + base::Sha256Hex(trace_id).substr(0, 32);
}

std::string NoteName(std::string_view type, const std::string& trace_id) {
  const std::string folder = base::Slug(type, kNameBytes);
  return (folder.empty() ? "other" : folder) + "/" + TraceFileName(trace_id);
}

std::string LinkName(std::string_view link) {
  if (link.size() > kMaxLinkBytes) return "";
  link = base::Trim(link.substr(0, std::min(link.find_first_of("#|^"), link.size())));
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view above : {"/", "./", "../"}) {
      if (!link.starts_with(above)) continue;
      link.remove_prefix(above.size());
      more = true;
    }
  }
  while (link.ends_with('\\') || link.ends_with('/')) link.remove_suffix(1);  // \| of a table
  std::string name = base::FoldCase(base::Trim(link));
  if (name.ends_with(".md")) name.resize(name.size() - 3);
  return name;
}

FoundLinks LinksIn(std::string_view text) {
  LinkSet links;
  CodeFences fences;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = WithoutEnd(TakeLine(rest));
    if (!fences.Inside(line)) AddLinksOfLine(line, links);
  }
  return links.Take();
}

std::string RelatedLine(const std::string& name, const std::string& kind, double weight) {
  std::string line = "- [[" + name + "]] " + std::string(kDash) + " ";
  line += IsPlainKind(kind) ? kind : base::DumpJson(kind);
  if (weight != 1) line += " (" + base::DumpJson(weight) + ")";
  return line + "\n";
}

FoundLinks RelatedIn(std::string_view footer) {
  LinkSet links;
  bool inside = false;
  for (std::string_view rest = footer; !rest.empty();) {
    const std::string_view line = WithoutEnd(TakeLine(rest));
    if (base::Trim(line) == kRelatedHeading) {
      inside = true;
    } else if (inside && !base::IsBlank(line)) {
      std::optional<NoteLink> link = LinkOfLine(line);
      if (!link) break;
      links.Add(std::move(*link));
    }
  }
  return links.Take();
}

size_t RelatedAt(std::string_view text) {
  const size_t heading = text.rfind(kRelatedHeading);
  if (heading == text.npos || (heading > 0 && text[heading - 1] != '\n')) return text.npos;
  std::string_view rest = text.substr(heading);
  if (base::Trim(WithoutEnd(TakeLine(rest))) != kRelatedHeading) return text.npos;
  while (!rest.empty()) {
    const std::string_view line = WithoutEnd(TakeLine(rest));
    if (!base::IsBlank(line) && !LinkOfLine(line)) return text.npos;
  }
  return heading;
}

}  // namespace memory
