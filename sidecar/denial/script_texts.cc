// Follows commands word by word, for those of substitutions stand between them.
#include "sidecar/denial/script_texts.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "lib/base/text/text.h"
#include "sidecar/denial/script_words.h"

namespace sidecar {
namespace {

enum class Kind { kPath, kText, kCode, kElsewhere };

// A program of which one word, or the value of an option, is no path.
struct Taker {
  std::string_view name;
  Kind first = Kind::kPath;  // its first operand
  std::string_view letters;  // short options whose value is of that kind, alone or last of several
  std::string_view values = "";  // short options whose value is something else, the next word
  std::string_view texts = "";   // short options whose value is a text: a delimiter, a filter
};

constexpr Taker kTakers[] = {
    {"grep", Kind::kText, "e", "ABCmdDf"},
    {"egrep", Kind::kText, "e", "ABCmdDf"},
    {"fgrep", Kind::kText, "e", "ABCmdDf"},
    {"zgrep", Kind::kText, "e", "ABCmdDf"},
    {"rg", Kind::kText, "e", "ABCmtTjMrdf", "g"},
    {"ag", Kind::kText, "", "ABCmG"},
    {"ack", Kind::kText, "", "ABCm"},
    {"jq", Kind::kText, "", "f"},
    {"yq", Kind::kText, ""},
    {"sed", Kind::kCode, "e", "fl"},
    {"gsed", Kind::kCode, "e", "fl"},
    {"awk", Kind::kCode, "e", "vf", "F"},
    {"gawk", Kind::kCode, "e", "vf", "F"},
    {"mawk", Kind::kCode, "", "vf", "F"},
    {"nawk", Kind::kCode, "", "vf", "F"},
    {"rename", Kind::kCode, "e"},
    {"perl", Kind::kPath, "eE"},
    {"ruby", Kind::kPath, "e"},
    {"node", Kind::kPath, "ep"},
    {"bun", Kind::kPath, "e"},
    {"tsx", Kind::kPath, "e"},
    {"python", Kind::kPath, "c"},
    {"php", Kind::kPath, "r"},
    {"lua", Kind::kPath, "e"},
    {"osascript", Kind::kPath, "e"},
    {"psql", Kind::kPath, "c"},
    {"mysql", Kind::kPath, "e"},
    {"cut", Kind::kPath, "", "", "d"},
    {"paste", Kind::kPath, "", "", "d"},
    {"sort", Kind::kPath, "", "", "t"},
    {"column", Kind::kPath, "", "", "s"},
    {"rsync", Kind::kPath, "", "", "f"},
};

// Their exec runs a command whose paths are those of a container.
constexpr std::string_view kContainers[] = {"docker", "podman", "nerdctl", "kubectl"};
constexpr std::string_view kContainerTexts[] = {"-e", "--env", "-u", "--user", "-w", "--workdir"};
constexpr std::string_view kContainerValues[] = {"--env-file",  "--detach-keys", "--index",
                                                 "-c",          "--container",   "-n",
                                                 "--namespace", "--context"};

constexpr std::string_view kOnlyTexts[] = {"echo", "printf", "expr", "seq", "man", "export", "tr"};
constexpr std::string_view kMessages[] = {"git", "gh", "glab", "hg", "svn", "jj"};
constexpr std::string_view kMessageOptions[] = {
    "-m", "-am", "--message", "--title",  "--body",   "-b",   "-t", "--grep",
    "-S", "-G",  "--notes",   "--format", "--pretty", "--jq", "-q", "--template"};
constexpr std::string_view kFindTexts[] = {"-name",      "-iname", "-path",   "-ipath",
                                           "-wholename", "-regex", "-iregex", "-regextype",
                                           "-printf",    "-perm"};
constexpr std::string_view kLongTexts[] = {"--regexp", "--expression", "--eval", "--print",
                                           "--execute"};

const Taker* FindTaker(std::string_view name) {
  if (name.starts_with("python")) name = "python";
  const auto* found = std::find_if(std::begin(kTakers), std::end(kTakers),
                                   [&](const Taker& taker) { return taker.name == name; });
  return found == std::end(kTakers) ? nullptr : found;
}

class Marker {
 public:
  void Mark(ShellWord& word) {
    if (word.document || word.file) {
      word.owner = commands_[word.command].program;
      return;
    }
    Command& command = commands_[word.command];
    if (word.program) {
      command = {};
      command.program = word.text.substr(word.text.rfind('/') + 1);
      command.taker = FindTaker(command.program);
    }
    word.owner = command.program;
    const Kind kind = word.program ? Kind::kPath : KindOf(word, command);
    word.elsewhere = kind == Kind::kElsewhere;
    word.text_only = kind == Kind::kText || word.elsewhere;
    word.code = kind == Kind::kCode;
  }

 private:
  struct Command {
    std::string program;
    const Taker* taker = nullptr;
    bool past_first = false;  // of its operands
    int values = 0;           // so many next words are of this kind
    Kind value = Kind::kPath;
    bool executes = false;   // behind exec of a container program
    bool elsewhere = false;  // behind the container's name
  };

  static Kind Await(Command& command, Kind kind, int words = 1) {
    command.values = words;
    command.value = kind;
    return Kind::kPath;
  }

  static Kind KindOf(const ShellWord& word, Command& command) {
    if (command.values > 0) {
      --command.values;
      return command.value;
    }
    if (base::IsOneOf(command.program, kContainers)) return OfContainer(word.text, command);
    if (base::IsOneOf(command.program, kOnlyTexts))
      return word.wildcard ? Kind::kPath : Kind::kText;
    if (command.program == "find" && base::IsOneOf(word.text, kFindTexts))
      return Await(command, Kind::kText);
    const bool option = word.text.size() > 1 && word.text.starts_with("-");
    if (!command.taker && base::IsOneOf(command.program, kMessages)) {
      if (option) return OfMessage(word.text, command);
      if (!std::exchange(command.past_first, true) && word.text == "grep") {
        command.taker = FindTaker("grep");
        command.past_first = false;
      }
      return Kind::kPath;
    }
    if (!command.taker) return Kind::kPath;
    if (option) return OfOption(word.text, command);
    if (word.text.empty() && !word.expands) return Kind::kPath;  // sed -i ''
    return std::exchange(command.past_first, true) ? Kind::kPath : command.taker->first;
  }

  // docker exec -e X=y NAME command; kubectl exec NAME -c x -- command
  static Kind OfContainer(const std::string& text, Command& command) {
    if (command.elsewhere) return Kind::kElsewhere;
    const bool cluster = command.program == "kubectl";
    if (!command.executes) {
      command.executes = text == "exec" && !command.past_first;
      const bool group = text == "compose" || text == "container" || text.starts_with("-");
      command.past_first |= !command.executes && !group;
      return Kind::kPath;
    }
    if (base::IsOneOf(text, kContainerTexts)) return Await(command, Kind::kElsewhere);
    if (base::IsOneOf(text, kContainerValues)) return Await(command, Kind::kPath);
    if (cluster ? text == "--" : !text.starts_with("-")) command.elsewhere = true;
    return Kind::kPath;
  }

  static Kind OfMessage(std::string_view option, Command& command) {
    const std::string_view name = option.substr(0, option.find('='));
    if (!base::IsOneOf(name, kMessageOptions)) {
      if (option == "-C" || option == "-c") Await(command, Kind::kPath);
      return Kind::kPath;
    }
    return name.size() < option.size() ? Kind::kText : Await(command, Kind::kText);
  }

  static Kind OfOption(std::string_view option, Command& command) {
    const Taker& taker = *command.taker;
    const Kind own = taker.first == Kind::kPath ? Kind::kCode : taker.first;
    const std::string_view name = option.substr(0, option.find('='));
    if (base::IsOneOf(name, kLongTexts)) {
      command.past_first = true;
      return name.size() < option.size() ? own : Await(command, own);
    }
    if (name.starts_with("--f")) command.past_first = true;  // --file
    if (taker.name == "jq" && name.starts_with("--arg")) return Await(command, Kind::kText, 2);
    if (option.starts_with("--")) return Kind::kPath;
    if (taker.texts.find(option[1]) != std::string_view::npos && !taker.texts.empty())
      return option.size() > 2 ? Kind::kText : Await(command, Kind::kText);
    if (option.size() > 2 && taker.letters.find(option[1]) != std::string_view::npos) {
      command.past_first = true;
      return own;  // -e's/a/b/'
    }
    const char last = option.back();
    if (taker.letters.find(last) != std::string_view::npos) {
      command.past_first = true;
      return Await(command, own);
    }
    if (taker.values.find(last) == std::string_view::npos || option.size() > 2) return Kind::kPath;
    if (last == 'f') command.past_first = true;
    return Await(command, Kind::kPath);
  }

  std::map<size_t, Command> commands_;
};

// r, R, w, W and the flag w: behind a line's number, an expression or nothing.
bool IsFileCommand(std::string_view text) {
  constexpr std::string_view kBefore = "0123456789$/|#,}!";
  return !text.empty() && std::string_view("rRwW").find(text.back()) != std::string_view::npos &&
         (text.size() == 1 || kBefore.find(text[text.size() - 2]) != std::string_view::npos);
}

std::vector<std::string> FilesOfSed(std::string_view code) {
  std::vector<std::string> files;
  const std::vector<std::string> parts = FlatWords(code);
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t slash = parts[i].find('/');
    if (i > 0 && IsFileCommand(parts[i - 1])) files.push_back(parts[i]);
    if (slash != std::string::npos && slash > 0 &&
        parts[i].find_first_not_of("0123456789,$rRwW") == slash &&
        IsFileCommand(std::string_view(parts[i]).substr(0, slash)))
      files.push_back(parts[i].substr(slash));
  }
  return files;
}

}  // namespace

void MarkTexts(std::vector<ShellWord>& words) {
  Marker marker;
  for (ShellWord& word : words) marker.Mark(word);
}

std::vector<std::string> PartsOfCode(const ShellWord& word) {
  const std::string text = word.text.substr(0, word.literal);
  return word.code && word.owner.ends_with("sed") ? FilesOfSed(text) : FlatWords(text);
}

}  // namespace sidecar
