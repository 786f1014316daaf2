// Walks the whole input. A list of known argument names is not enough: agents nest paths
// (`edits[].file_path`) and have other names for them (`filename`), so the nearest name above a
// text classifies it (ADR 38). A text under an unknown name is a path if it is spelled like a whole
// one. It is judged as a command only where a blocked one could begin, since a sentence with an
// apostrophe does not parse as a command. Prose is not judged: a file may contain any path. A text
// that contains JSON is parsed and walked.
#include "sidecar/denial/call_arguments.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/base/json/mend.h"
#include "lib/base/text/text.h"
#include "sidecar/denial/path_judge.h"
#include "sidecar/text/normal_path.h"
#include "sidecar/text/tool_text.h"

namespace sidecar {
namespace {

using base::Json;

constexpr int kMaxJsonDepth = 4;        // JSON in a text in JSON
constexpr size_t kLeafBytes = 64;       // budget for a text, beside its length
constexpr size_t kLongestPath = 4'096;  // longer texts are no paths
constexpr size_t kLongestName = 64;     // of a member's name the part that is compared and shown
constexpr size_t kShownName = 200;      // of the dotted names of nested members
constexpr size_t kMostLists = 4;        // of arguments, in the object of one command

enum class Meaning { kUnknown, kCommand, kPath, kGlob, kProse };

// Without case, '_' and '-': filePath is file_path.
constexpr std::string_view kCommandNames[] = {
    "command",      "cmd",         "script",  "cmdline",    "commandline",
    "shellcommand", "bashcommand", "program", "executable", "commands"};
constexpr std::string_view kListNames[] = {"args", "arguments", "argv", "params", "parameters"};
constexpr std::string_view kPathNames[] = {
    "path",     "paths", "source", "destination", "file",    "files",     "filenames",  "filepaths",
    "filename", "dir",   "folder", "cwd",         "workdir", "directory", "directories"};
constexpr std::string_view kPathEnds[] = {"path", "filename", "directory"};
constexpr std::string_view kProseNames[] = {
    "content",     "contents",     "oldcontent", "newcontent",  "text",     "texts",
    "oldtext",     "newtext",      "filetext",   "inserttext",  "oldstr",   "newstr",
    "oldstring",   "newstring",    "newsource",  "code",        "oldcode",  "newcode",
    "patch",       "diff",         "html",       "markdown",    "body",     "message",
    "title",       "subject",      "summary",    "description", "comment",  "note",
    "notes",       "reason",       "thought",    "thoughts",    "question", "answer",
    "explanation", "instructions", "prompt",     "task",        "query",    "search",
    "pattern",     "regex",        "replace",    "replacement", "find",     "separator",
    "delimiter",   "endpoint",     "route",      "image",       "base64",   "blob"};
// Arguments that must be a text or a list of texts; else the call is unreadable.
constexpr std::string_view kPlainNames[] = {"command",   "cmd",    "script",
                                            "file_path", "path",   "notebook_path",
                                            "paths",     "source", "destination"};

std::string PlainName(std::string_view name) {
  std::string plain;
  for (const char c : name.substr(0, kLongestName)) {
    if (c == '_' || c == '-') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

Meaning MeaningOf(std::string_view name, bool glob_tool) {
  const std::string plain = PlainName(name);
  if (plain == "glob" || (glob_tool && plain == "pattern")) return Meaning::kGlob;
  if (base::IsOneOf(plain, kCommandNames)) return Meaning::kCommand;
  if (base::IsOneOf(plain, kProseNames)) return Meaning::kProse;
  const bool ends = std::any_of(std::begin(kPathEnds), std::end(kPathEnds),
                                [&](std::string_view end) { return plain.ends_with(end); });
  return ends || base::IsOneOf(plain, kPathNames) ? Meaning::kPath : Meaning::kUnknown;
}

bool IsListOfTexts(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(), [](const Json& one) { return one.is_string(); });
}

// The list or object that a text contains as JSON. Sets `odd` if parsers may read it differently: a
// duplicate key, half a character.
std::optional<Json> HeldJson(const std::string& text, bool& odd) {
  constexpr size_t kMostMended = 1 << 20;
  const std::string_view trimmed = base::Trim(text);
  if (!trimmed.starts_with("{") && !trimmed.starts_with("[")) return std::nullopt;
  auto held = base::ReadMendedJson(text, kMostMended);
  if (!held || !held->value.is_structured()) return std::nullopt;
  const base::JsonMends& mends = held->mends;
  odd |= mends.characters || mends.cut || mends.levels || mends.duplicates > 0;
  return std::move(held->value);
}

bool IsOneWord(std::string_view text) {
  return text.find_first_of(" \t\r\n") == std::string_view::npos;
}

bool IsHome(std::string_view text) {
  return text == "~" || (text.starts_with("~") && text.find('/') != std::string_view::npos);
}

class Reader {
 public:
  Reader(CallTexts& found, bool glob_tool, WorkBudget& budget)
      : found_(found), glob_tool_(glob_tool), budget_(budget) {}

  void ReadInput(const Json& input) {
    if (input.is_string()) {
      ReadInputText(input.get_ref<const std::string&>());
    } else if (input.is_object()) {
      Walk(input, Meaning::kUnknown, "", 0);
    } else if (!input.is_null()) {
      found_.unreadable = "its input is neither an object nor text";
    }
    if (odd_ && found_.unreadable.empty()) {
      found_.unreadable = "a text in it holds JSON that programs read in different ways";
    }
  }

 private:
  // An input that is plain text is a command.
  void ReadInputText(const std::string& text) {
    if (const auto held = HeldJson(text, odd_)) return Walk(*held, Meaning::kUnknown, "", 0);
    found_.scripts.push_back(text);
  }

  // `name`: of all members above, dotted, for people. `depth`: the number of JSON texts around it.
  void Walk(const Json& value, Meaning meaning, const std::string& name, int depth) {
    if (!budget_.Spend(kLeafBytes)) return;
    if (value.is_string())
      return AddText(value.get_ref<const std::string&>(), meaning, name, depth);
    if (value.is_object()) return WalkObject(value, name, depth);
    if (!value.is_array()) return;
    const bool joined = meaning == Meaning::kUnknown || meaning == Meaning::kCommand;
    if (joined && IsListOfTexts(value)) {
      (meaning == Meaning::kCommand ? found_.scripts : found_.lines).push_back(AsScript(value));
      if (meaning == Meaning::kCommand) return;
    }
    for (const Json& one : value) {
      if (budget_.over()) return;
      Walk(one, meaning, name, depth);
    }
  }

  void WalkObject(const Json& object, const std::string& name, int depth) {
    const bool top = name.empty() && depth == 0;
    const std::vector<std::string> lists = ListsOf(object);
    for (const auto& member : object.items()) {
      if (budget_.over()) return;
      const Json& value = member.value();
      if (top && base::IsOneOf(member.key(), kPlainNames) && !IsPlain(value)) {
        found_.unreadable = "its argument " + member.key() + " is neither text nor a list of it";
        return;
      }
      const Meaning meaning = MeaningOf(member.key(), glob_tool_);
      std::string whole = name.empty() ? "" : name + ".";
      whole += base::Ellipsize(member.key(), kLongestName);
      if (whole.size() > kShownName) whole = name;
      if (PlainName(member.key()) == "commands" && IsListOfTexts(value)) {
        for (const Json& one : value) Walk(one, meaning, whole, depth);
        continue;
      }
      for (const std::string& list : lists) {
        if (meaning != Meaning::kCommand || !value.is_string()) break;
        found_.scripts.push_back(value.get<std::string>() + " " + list);
      }
      Walk(value, meaning, whole, depth);
    }
  }

  static bool IsPlain(const Json& value) {
    return value.is_null() || value.is_string() || (value.is_array() && value.empty()) ||
           IsListOfTexts(value);
  }

  // {"command": "rm", "args": ["-rf", "/x"]} is one command.
  std::vector<std::string> ListsOf(const Json& object) {
    std::vector<std::string> lists;
    for (const auto& member : object.items()) {
      if (lists.size() == kMostLists || !budget_.Spend(kLeafBytes)) break;
      if (!base::IsOneOf(PlainName(member.key()), kListNames)) continue;
      const Json& list = member.value();
      if (IsListOfTexts(list)) lists.push_back(AsScript(list));
      if (!list.is_string()) continue;
      const auto held = HeldJson(list.get_ref<const std::string&>(), odd_);
      lists.push_back(held && IsListOfTexts(*held) ? AsScript(*held) : list.get<std::string>());
    }
    return lists;
  }

  static std::string AsScript(const Json& list) {
    return sidecar::AsScript(list.get<std::vector<std::string>>());
  }

  void AddText(const std::string& text, Meaning meaning, const std::string& name, int depth) {
    if (!budget_.Spend(text.size())) return;
    AddPatch(text);
    if (meaning == Meaning::kProse) {
      found_.prose.push_back({name, text});
      return;
    }
    if (const auto held = meaning == Meaning::kCommand ? std::nullopt : HeldJson(text, odd_)) {
      if (depth < kMaxJsonDepth) return Walk(*held, meaning, name, depth + 1);
      found_.unreadable = "its argument " + name + " holds JSON in JSON too deep";
      return;
    }
    if (meaning == Meaning::kCommand) found_.scripts.push_back(text);
    if (meaning == Meaning::kPath) found_.paths.push_back(text);
    if (meaning == Meaning::kGlob) AddGlob(text);
    if (meaning == Meaning::kUnknown) AddUnknown(text, name);
  }

  // A text for apply_patch names files in its lines, under whatever argument it is passed.
  void AddPatch(std::string_view text) {
    size_t at = text.find("*** Begin Patch");
    while (at < text.size()) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, end - at);
      for (const std::string_view mark :
           {"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "}) {
        if (line.starts_with(mark)) found_.paths.emplace_back(base::Trim(line.substr(mark.size())));
      }
      at = end + 1;
    }
  }

  // The pattern of Glob is a path with wildcards; that of Grep is an expression over contents.
  void AddGlob(const std::string& pattern) {
    const bool climbs = pattern.find("..") != std::string::npos;
    if (climbs && pattern.find('{') != std::string::npos) {
      found_.paths.emplace_back("~");  // denies {a,../..}, which is not expanded here
    } else if (climbs || pattern.starts_with("/") || pattern.starts_with("~")) {
      found_.paths.push_back(pattern);
    }
  }

  void AddUnknown(const std::string& text, const std::string& name) {
    const std::string_view trimmed = base::Trim(text);
    if (trimmed.empty()) return;
    found_.lines.push_back(text);
    if (trimmed.find('\n') == std::string_view::npos) {
      if (!AddLine(trimmed)) found_.prose.push_back({name, text});
      return;
    }
    bool all = true;  // a list of words, one a line
    for (const std::string& line : base::Split(trimmed, '\n')) {
      all = all && IsOneWord(base::Trim(line)) && AddLine(base::Trim(line));
    }
    if (!all) found_.prose.push_back({name, text});
  }

  // False: the line may be anything, so that only commands in it are judged.
  bool AddLine(std::string_view line) {
    if (line.size() > kLongestPath) return false;
    // /compact is a command of a chat, /etc a path.
    if (line.size() > 1 && line.find_first_of("/*?[", 1) == std::string_view::npos &&
        line.starts_with("/") && !IsRootDirectory(line.substr(1))) {
      return false;
    }
    if (line.starts_with("/") || IsHome(line) || PathOfFileUrl(line)) {
      const auto path = PathOfFileUrl(line);
      found_.paths.push_back(path ? *path : std::string(line));
      return true;
    }
    if (!IsOneWord(line)) return false;
    const bool dotted = line.find('/') != std::string_view::npos || line.starts_with("..");
    if (line.starts_with("-")) {
      found_.options.emplace_back(line);
    } else if (dotted && line.find("://") == std::string_view::npos) {
      found_.guesses.emplace_back(line);
    }
    return true;
  }

  CallTexts& found_;
  const bool glob_tool_;
  WorkBudget& budget_;
  bool odd_ = false;
};

}  // namespace

std::string AsScript(const std::vector<std::string>& words) {
  std::string script;
  for (const std::string& word : words) {
    script += script.empty() ? "'" : " '";
    for (const char c : word) {
      if (c == '\'') {
        script += "'\\''";
      } else {
        script += c;
      }
    }
    script += "'";
  }
  return script;
}

CallTexts ReadArguments(const api::HookEvent& event, WorkBudget& budget) {
  CallTexts found;
  Reader(found, ToolMatches("glob", event.tool_name), budget).ReadInput(event.tool_input);
  return found;
}

}  // namespace sidecar
