// Reads the words of each git command as git does, and of `cd` before it. A message comes from -m,
// or from a here-document after -F, or inside $(cat …).
#include "sidecar/rules/commit_words.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "sidecar/shell/shell_words.h"

namespace sidecar {
namespace {

constexpr int kMostDepth = 4;  // of code in code: sh -c "sh -c '…'"
constexpr size_t kMostCalls = 32, kMostFiles = 100;

// Options before the subcommand whose value is the next word.
constexpr std::string_view kGlobalValues[] = {"-C",          "-c",          "--git-dir",
                                              "--work-tree", "--namespace", "--config-env"};
// Options of `git commit` whose value is the next word, beside messages and files.
constexpr std::string_view kCommitValues[] = {
    "--author",   "--date",          "--cleanup",        "--trailer",
    "--template", "--reuse-message", "--reedit-message", "--pathspec-from-file"};
constexpr std::string_view kValueLetters = "CctmF";  // the rest of the word, else the next word
constexpr std::string_view kTailLetters = "Su";      // only the rest of the word

using Directory = std::optional<std::string>;  // as CommitCall::directory

Directory Below(const Directory& directory, const ShellWord& word) {
  if (word.expands || word.wildcard || word.text.empty() || word.text[0] == '~') return {};
  if (word.text[0] == '/') return word.text;
  if (!directory) return {};
  return directory->empty() ? word.text : *directory + "/" + word.text;
}

bool IsOneOf(std::string_view word, auto& words) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

class Script {
 public:
  Script(std::vector<ShellWord> words, std::vector<ShellDocument> documents)
      : words_(std::move(words)), documents_(std::move(documents)) {}

  const std::vector<ShellWord>& words() const { return words_; }

  // The directory after the command `cd`, whose name is the word `at`.
  Directory ReadCd(size_t at, const Directory& directory) {
    arguments_ = ArgumentsOf(at);
    size_t next = 0;
    while (next < arguments_.size() && Text(next).size() > 1 && Text(next)[0] == '-') ++next;
    if (next >= arguments_.size() || Text(next) == "-") return {};
    return Below(directory, words_[arguments_[next]]);
  }

  // Reads the git command whose name is the word `at`. → whether it is a commit.
  bool ReadGit(size_t at, CommitCall& call) {
    arguments_ = ArgumentsOf(at);
    unknown_ = false;
    for (const ShellWord& word : words_)
      if (word.command == words_[at].command && word.assigns && word.text.starts_with("GIT_DIR="))
        call.directory.reset();
    size_t next = 0;
    while (next < arguments_.size() && Text(next).starts_with('-')) {
      const std::string& option = Text(next);
      if (option == "-C" && next + 1 < arguments_.size())
        call.directory = Below(call.directory, words_[arguments_[next + 1]]);
      if (option.starts_with("--git-dir")) call.directory.reset();
      next += IsOneOf(option, kGlobalValues) ? 2 : 1;
    }
    if (next >= arguments_.size()) return false;
    const std::string_view subcommand = Text(next++);
    if (subcommand == "add" || subcommand == "mv" || subcommand == "rm") {
      for (; next < arguments_.size(); ++next)
        if (!Text(next).starts_with('-')) AddFile(next);
      return false;
    }
    if (subcommand != "commit") return false;
    for (; next < arguments_.size(); ++next) {
      if (!ReadOption(next, call)) return false;
    }
    call.files = std::exchange(files_, {});
    return true;
  }

 private:
  const std::string& Text(size_t argument) const { return words_[arguments_[argument]].text; }

  std::vector<size_t> ArgumentsOf(size_t at) const {
    std::vector<size_t> found;
    for (size_t i = at + 1; i < words_.size(); ++i) {
      const ShellWord& word = words_[i];
      if (word.command == words_[at].command && !word.file && !word.document) found.push_back(i);
    }
    return found;
  }

  void AddFile(size_t argument) {
    const ShellWord& word = words_[arguments_[argument]];
    const bool named = !word.expands && !word.wildcard && !word.text.empty() && word.text != ".";
    if (named && files_.size() < kMostFiles && !IsOneOf(word.text, files_))
      files_.push_back(word.text);
  }

  // Reads the option or file `at`, and moves `at` to its value. → false: nothing is committed.
  bool ReadOption(size_t& at, CommitCall& call) {
    const std::string& word = Text(at);
    if (!word.starts_with('-')) return AddFile(at), true;
    if (!word.starts_with("--")) return ReadLetters(at, call);
    const size_t equals = word.find('=');
    const std::string_view name = std::string_view(word).substr(0, equals);
    if (name == "--dry-run" || name == "--fixup" || name == "--squash") return false;
    call.amends |= name == "--amend";
    const bool message = name == "--message", file = name == "--file";
    if (!message && !file) {
      if (IsOneOf(name, kCommitValues) && equals == std::string::npos) ++at;
      return true;
    }
    if (equals == std::string::npos && ++at >= arguments_.size()) return true;
    const std::string value = equals == std::string::npos ? Text(at) : word.substr(equals + 1);
    message ? AddMessage(arguments_[at], value, call) : AddFileMessage(arguments_[at], value, call);
    return true;
  }

  bool ReadLetters(size_t& at, CommitCall& call) {
    const std::string& word = Text(at);
    for (size_t i = 1; i < word.size(); ++i) {
      if (kTailLetters.find(word[i]) != std::string_view::npos) return true;
      if (kValueLetters.find(word[i]) == std::string_view::npos) continue;
      std::string value = word.substr(i + 1);
      const char letter = word[i];
      if (value.empty() && ++at >= arguments_.size()) return true;
      if (value.empty()) value = Text(at);
      if (letter == 'm') AddMessage(arguments_[at], value, call);
      if (letter == 'F') AddFileMessage(arguments_[at], value, call);
      return true;
    }
    return true;
  }

  // Each -m is a paragraph.
  void AddMessage(size_t word, std::string value, CommitCall& call) {
    if (words_[word].expands) {
      const ShellDocument* inside = nullptr;
      for (const ShellDocument& document : documents_)
        if (document.at == word && document.command != words_[word].command) inside = &document;
      if (!inside) unknown_ = true;
      value = inside ? inside->text : "";
    }
    if (!call.message.empty()) call.message += "\n\n";
    call.message += value;
    if (unknown_) call.message.clear();
  }

  // The here-document that the command reads, that a command before the pipe reads, or that was
  // written to the file.
  void AddFileMessage(size_t word, const std::string& name, CommitCall& call) {
    const ShellDocument *own = nullptr, *after = nullptr, *written = nullptr;
    for (const ShellDocument& document : documents_) {
      if (document.command == words_[word].command) own = &document;
      if (document.at > word && !after) after = &document;
      const auto writes = [&](const ShellWord& other) {
        return other.file && other.command == document.command && other.text == name;
      };
      if (std::ranges::any_of(words_, writes)) written = &document;
    }
    const bool input = name == "-" || name == "/dev/stdin";
    const ShellDocument* const found = input ? (own ? own : after) : written;
    if (found) call.message = found->text;
  }

  const std::vector<ShellWord> words_;
  const std::vector<ShellDocument> documents_;
  std::vector<size_t> arguments_;   // of the git command that is read: indexes of words
  std::vector<std::string> files_;  // named since the last commit
  bool unknown_ = false;            // a part of the message is known only at run time
};

void AddCalls(std::string_view command, int depth, Directory directory,
              std::vector<CommitCall>& calls) {
  if (command.find("commit") == std::string_view::npos) return;
  std::vector<ShellDocument> documents;
  auto words = ParseShellWords(command, &documents);
  if (!words) return;
  Script script(std::move(*words), std::move(documents));
  for (size_t i = 0; i < script.words().size() && calls.size() < kMostCalls; ++i) {
    const ShellWord& word = script.words()[i];
    const std::string_view name = std::string_view(word.text).substr(word.text.rfind('/') + 1);
    if (word.program && name == "git") {
      CommitCall call;
      call.directory = directory;
      if (script.ReadGit(i, call)) calls.push_back(std::move(call));
    } else if (word.program && (name == "cd" || name == "pushd")) {
      directory = script.ReadCd(i, directory);
    } else if (word.runs && !word.names_command && depth < kMostDepth) {
      AddCalls(word.text, depth + 1, directory, calls);
    }
  }
}

}  // namespace

std::vector<CommitCall> CommitCalls(std::string_view command) {
  std::vector<CommitCall> calls;
  AddCalls(command, 0, "", calls);
  return calls;
}

}  // namespace sidecar
