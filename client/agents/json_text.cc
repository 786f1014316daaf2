// The text with comments and trailing commas as blanks is plain JSON of the same length, so that
// offsets agree.
#include "client/agents/json_text.h"

#include <algorithm>
#include <vector>

#include "lib/base/json/json.h"

namespace client {
namespace {

using base::Result;

constexpr std::string_view kMark = "\xEF\xBB\xBF";  // byte order mark

struct Node {
  size_t begin = 0, end = 0;  // of the value
  size_t key = 0;             // where the member begins, in an object
  std::string name;
  std::vector<Node> inner;
};

size_t EndOfString(const std::string& text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

void Blank(std::string& text, size_t begin, size_t end) {
  for (size_t at = begin; at < end; ++at)
    if (text[at] != '\n' && text[at] != '\r') text[at] = ' ';
}

// Without comments, the byte order mark and commas before a closing bracket.
std::string Plain(std::string text) {
  if (text.starts_with(kMark)) Blank(text, 0, kMark.size());
  size_t comma = std::string::npos;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = EndOfString(text, at);
      comma = std::string::npos;
      continue;
    }
    if (c == '/' && at + 1 < text.size() && (text[at + 1] == '/' || text[at + 1] == '*')) {
      const bool line = text[at + 1] == '/';
      const size_t close = line ? text.find('\n', at) : text.find("*/", at + 2);
      const size_t end = close == std::string::npos ? text.size() : close + (line ? 0 : 2);
      Blank(text, at, end);
      at = end;
      continue;
    }
    if (c == ',') comma = at;
    if ((c == '}' || c == ']') && comma != std::string::npos) text[comma] = ' ';
    if (c != ',' && c != ' ' && c != '\t' && c != '\n' && c != '\r') comma = std::string::npos;
    ++at;
  }
  return text;
}

// Of valid JSON.
class JsonScanner {
 public:
  explicit JsonScanner(const std::string& text) : text_(text) {}
  Node Value() {
    SkipBlanks();
    Node node;
    node.begin = at_;
    const char open = text_[at_];
    if (open == '{' || open == '[') {
      ++at_;
      for (SkipBlanks(); text_[at_] != '}' && text_[at_] != ']'; SkipBlanks()) {
        const size_t key = at_;
        std::string name;
        if (open == '{') {
          at_ = EndOfString(text_, at_);
          name = nlohmann::json::parse(text_.substr(key, at_ - key)).get<std::string>();
          SkipBlanks();
          ++at_;  // the colon
        }
        node.inner.push_back(Value());
        node.inner.back().key = open == '{' ? key : node.inner.back().begin;
        node.inner.back().name = std::move(name);
        SkipBlanks();
        if (text_[at_] == ',') ++at_;
      }
      ++at_;
    } else if (open == '"') {
      at_ = EndOfString(text_, at_);
    } else {
      at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    }
    node.end = at_;
    return node;
  }

 private:
  void SkipBlanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  const std::string& text_;
  size_t at_ = 0;
};

struct Edit {
  size_t begin, end;
  std::string text;
};

class Editor {
 public:
  explicit Editor(const std::string& text) : text_(text), plain_(Plain(text)) {
    line_end_ = text.find("\r\n") != std::string::npos ? "\r\n" : "\n";
    const size_t indented = plain_.find_first_of(" \t", plain_.find('\n') + 1);
    if (plain_.find("\n\t") != std::string::npos) {
      step_ = "\t";
    } else if (indented != std::string::npos && indented > 0 && plain_[indented - 1] == '\n') {
      const size_t word = plain_.find_first_not_of(' ', indented);
      if (word != std::string::npos && word - indented <= 8) step_.assign(word - indented, ' ');
    }
  }

  std::string Apply(const Settings& before, const Settings& after) {
    JsonScanner scanner(plain_);
    Change(scanner.Value(), before, after, 0);
    std::string result = text_;
    std::sort(edits_.begin(), edits_.end(),
              [](const Edit& a, const Edit& b) { return a.begin > b.begin; });
    for (const Edit& edit : edits_) result.replace(edit.begin, edit.end - edit.begin, edit.text);
    return result;
  }

 private:
  // `after` as it stands at this depth, in the file's style.
  std::string Dumped(const Settings& value, size_t depth) const {
    const std::string dumped = value.dump(1, '\t');
    std::string text;
    for (size_t at = 0; at < dumped.size(); ++at) {
      if (dumped[at] != '\n') {
        text += dumped[at];
        continue;
      }
      text += line_end_;
      for (size_t i = 0; i < depth; ++i) text += step_;
      for (; at + 1 < dumped.size() && dumped[at + 1] == '\t'; ++at) text += step_;
    }
    return text;
  }

  void Change(const Node& node, const Settings& before, const Settings& after, size_t depth) {
    if (before == after) return;
    if (before.is_object() && after.is_object()) return ChangeObject(node, before, after, depth);
    if (before.is_array() && after.is_array()) return ChangeArray(node, before, after, depth);
    edits_.push_back({node.begin, node.end, Dumped(after, depth)});
  }

  void ChangeObject(const Node& node, const Settings& before, const Settings& after, size_t depth) {
    std::vector<bool> gone;
    for (const Node& member : node.inner) {
      gone.push_back(!after.contains(member.name));
      if (!gone.back()) Change(member, before[member.name], after[member.name], depth + 1);
    }
    std::vector<std::string> added;
    for (const auto& [name, value] : after.items())
      if (!before.contains(name))
        added.push_back(Settings(name).dump() + ": " + Dumped(value, depth + 1));
    Splice(node, gone, added, depth);
  }

  // Elements are added at the end; one that was changed beside equal neighbours is changed in
  // place.
  void ChangeArray(const Node& node, const Settings& before, const Settings& after, size_t depth) {
    if (before.size() == after.size()) {
      for (size_t i = 0; i < before.size(); ++i)
        Change(node.inner[i], before[i], after[i], depth + 1);
      return;
    }
    std::vector<bool> gone(before.size(), true);
    size_t next = 0;
    for (size_t i = 0; i < before.size() && next < after.size(); ++i) {
      if (before[i] != after[next]) continue;
      gone[i] = false;
      ++next;
    }
    std::vector<std::string> added;
    for (; next < after.size(); ++next) added.push_back(Dumped(after[next], depth + 1));
    Splice(node, gone, added, depth);
  }

  // Takes members away and adds others after the rest. `gone`: of each member.
  void Splice(const Node& node, const std::vector<bool>& gone,
              const std::vector<std::string>& added, size_t depth) {
    const size_t open = node.begin + 1, close = node.end - 1, count = gone.size();
    size_t left = count;  // number of members up to the last that stays
    while (left > 0 && gone[left - 1]) --left;
    for (size_t first = 0; first < left; ++first) {
      if (!gone[first]) continue;
      size_t next = first;
      while (gone[next]) ++next;
      // With the comma after them, so that the line of the first is that of the next.
      edits_.push_back({node.inner[first].key, node.inner[next].key, ""});
      first = next;
    }
    std::string text;
    for (const std::string& one : added)
      text += (text.empty() && left == 0 ? "" : ",") + line_end_ + Indent(depth + 1) + one;
    const std::string last_line = line_end_ + Indent(depth);
    if (left == 0) {
      if (!text.empty()) text += last_line;
      if (count > 0 || !text.empty()) edits_.push_back({count > 0 ? open : close, close, text});
      return;
    }
    const size_t end = node.inner[left - 1].end;
    if (left < count) {
      edits_.push_back({end, node.inner[count - 1].end, text});
      return;
    }
    if (text.empty()) return;
    if (plain_.find('\n', end) >= close) text += last_line;
    const size_t comma =
        CommaAfter(end);  // only of the last element: there is no other after `end`
    const bool trailing = comma < close;
    if (trailing) text.erase(0, 1);
    const size_t at = trailing ? comma + 1 : end;
    edits_.push_back({at, at, text});
  }

  // The comma in the text, also one that Plain blanked; npos: something else comes first.
  size_t CommaAfter(size_t end) const {
    for (size_t at = end; at < text_.size(); ++at) {
      if (text_[at] == ',' && !InComment(at)) return at;
      if (plain_[at] != ' ' && plain_[at] != '\t' && plain_[at] != '\n' && plain_[at] != '\r')
        return std::string::npos;
    }
    return std::string::npos;
  }
  // A comma in a comment is blank in plain_, and so are its neighbours that are not blank in the
  // text.
  bool InComment(size_t at) const {
    if (plain_[at] == ',') return false;
    const size_t line = text_.rfind('\n', at) == std::string::npos ? 0 : text_.rfind('\n', at) + 1;
    for (size_t i = line; i + 1 < at; ++i)
      if (text_[i] == '/' && plain_[i] == ' ') return true;
    const size_t open = text_.rfind("/*", at), shut = text_.rfind("*/", at);
    return open != std::string::npos && plain_[open] == ' ' &&
           (shut == std::string::npos || shut < open);
  }
  std::string Indent(size_t depth) const {
    std::string text;
    for (size_t i = 0; i < depth; ++i) text += step_;
    return text;
  }

  const std::string& text_;
  const std::string plain_;
  std::string line_end_, step_ = "  ";
  std::vector<Edit> edits_;
};

}  // namespace

Result<Settings> ReadSettings(const std::string& text) {
  const std::string plain = Plain(text);
  if (plain.find_first_not_of(" \t\r\n") == std::string::npos) return Settings::object();
  // The strict parser gives the error message; the second one keeps the order of the keys.
  if (const auto strict = base::ParseJson(plain); !strict) {
    const std::string& why = strict.error().message;
    const size_t number = why.find_first_of("0123456789", std::min(why.find("near byte "), why.size()));
    if (number == std::string::npos) return strict.error();
    const auto at = std::min<size_t>(std::strtoull(why.c_str() + number, nullptr, 10), plain.size());
    const auto end = plain.begin() + static_cast<std::ptrdiff_t>(at);
    return base::Error{strict.error().code,
                       "line " + std::to_string(1 + std::count(plain.begin(), end, '\n')) + ": " + why};
  }
  return Settings::parse(plain, nullptr, false);
}

std::string WithChanges(const std::string& text, const Settings& before, const Settings& after) {
  if (before == after) return text;
  if (after.empty()) return "";
  if (Plain(text).find_first_not_of(" \t\r\n") == std::string::npos) return after.dump(2) + "\n";
  return Editor(text).Apply(before, after);
}

}  // namespace client
