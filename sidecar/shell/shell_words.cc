// A hand-written lexer: no available library parses shell words without a shell (ADR 19). It
// expands nothing; it marks each word whose value is known only at run time, and the caller decides
// what an unknown value means. A text with an open quote or bracket is an error and is never
// guessed at.
#include "sidecar/shell/shell_words.h"

#include <algorithm>
#include <utility>

#include "sidecar/shell/shell_call.h"
#include "sidecar/shell/shell_grammar.h"

namespace sidecar {
namespace {

constexpr int kMaxDepth = 16;             // of substitutions in substitutions
constexpr size_t kLongestVariable = 256;  // name of a variable

struct Heredoc {
  std::string delimiter;
  bool strips_tabs = false, expands = false;
  size_t command = 0;  // that reads it
};

class Lexer {
 public:
  Lexer(std::string_view text, std::vector<ShellWord>& words, int depth,
        std::vector<ShellDocument>* documents)
      : text_(text), words_(words), depth_(depth), documents_(documents) {
    StartCommand();
  }

  // Reads to the end of the text or of a substitution; returns the position after it.
  base::Result<size_t> Read(size_t begin, bool substitution) {
    at_ = begin;
    int brackets = 0;
    while (at_ < text_.size()) {
      if (words_.size() > kMaxShellWords) return Refuse("it has too many words to be judged");
      const char c = text_[at_];
      closes_pattern_ = c == ')' && brackets == 0 && !substitution;  // of a case
      if (c == ')' && substitution && brackets == 0) {
        EndWord();
        StartCommand();
        RunHereStrings();
        if (!heredocs_.empty()) return Refuse("a here-document is not closed");
        return at_ + 1;
      }
      if (c == '(') ++brackets;
      if (c == '(' && at_ > 0 && text_[at_ - 1] == '(' && arithmetic_ == 0) arithmetic_ = brackets;
      if (c == ')' && brackets > 0) --brackets;
      if (brackets < arithmetic_) EndWord(), arithmetic_ = 0;
      RETURN_IF_ERROR(ReadOne(c));
    }
    closes_pattern_ = false;
    EndWord();
    StartCommand();
    RunHereStrings();
    if (substitution || brackets > 0) return Refuse("a bracket is not closed");
    if (!heredocs_.empty()) return Refuse("a here-document is not closed");
    return at_;
  }

 private:
  static base::Error Refuse(const char* why) { return {base::Code::kInvalid, why}; }

  base::Status ReadOne(char c) {
    if (c == '\n') return EndLine();
    if (c == ' ' || c == '\t' || c == '\r') {
      EndWord();
      ++at_;
      return {};
    }
    if (c == '#' && !open_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return {};
    }
    if (c == '<' || c == '>') return ReadRedirection();
    if (std::string_view(";&|()").find(c) != std::string_view::npos) {
      EndWord();
      StartCommand();
      ++at_;
      return {};
    }
    return ReadPart(c);
  }

  // A piece of a word: quoted, escaped, expanded or plain.
  base::Status ReadPart(char c) {
    open_ = true;
    if (c == '\\') return ReadEscape();
    if (c == '\'') return ReadSingleQuoted();
    if (c == '"') return ReadDoubleQuoted();
    if (c == '$') return ReadDollar();
    if (c == '`') return ReadBackticks();
    if (c == '{') brace_ = true;
    if (c == ',' && brace_) Expand();
    if (c == '.' && brace_ && word_.text.ends_with(".")) Expand();
    if (c == '*' || c == '?' || c == '[') wildcard_ = true;
    word_.text += c;
    ++at_;
    return {};
  }

  base::Status ReadEscape() {
    if (at_ + 1 >= text_.size()) return Refuse("it ends in a backslash");
    if (text_[at_ + 1] != '\n') word_.text += text_[at_ + 1];
    at_ += 2;
    return {};
  }

  base::Status ReadSingleQuoted() {
    const size_t end = text_.find('\'', at_ + 1);
    if (end == std::string_view::npos) return Refuse("a quote is not closed");
    word_.text += text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return {};
  }

  base::Status ReadDoubleQuoted() {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      const char c = text_[at_];
      if (c == '$') {
        RETURN_IF_ERROR(ReadDollar());
      } else if (c == '`') {
        RETURN_IF_ERROR(ReadBackticks());
      } else {
        const bool escapes =
            c == '\\' && at_ + 1 < text_.size() &&
            std::string_view("$`\"\\\n").find(text_[at_ + 1]) != std::string_view::npos;
        if (escapes) ++at_;
        if (!escapes || text_[at_] != '\n') word_.text += text_[at_];
        ++at_;
      }
    }
    if (at_ >= text_.size()) return Refuse("a quote is not closed");
    ++at_;
    return {};
  }

  // The word's value is known only at run time. An assignment must have a literal name before =.
  void Expand() {
    if (!word_.expands) word_.literal = word_.text.size();
    word_.expands = true;
    const std::string_view name = std::string_view(word_.text).substr(0, kLongestVariable);
    if (name.find('=') == std::string_view::npos) hides_name_ = true;
  }
  void AddHidden() {
    words_.push_back({.expands = true, .runs = true});
    words_.back().command = command_;
  }

  base::Status ReadDollar() {
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (next == '(') return ReadSubstitution(at_ + 2);
    if (next == '{' || next == '\'') {
      if (next == '{') Expand();
      at_ += 2;
      const char close = next == '{' ? '}' : '\'';
      const size_t begin = at_;
      while (at_ < text_.size() && text_[at_] != close) at_ += text_[at_] == '\\' ? 2 : 1;
      if (at_ >= text_.size()) return Refuse("a quote is not closed");
      const std::string_view inside = text_.substr(begin, at_ - begin);
      if (next == '{' && Substitutes(inside)) AddHidden();
      if (next == '\'') word_.text += DecodeEscapes(inside);
      ++at_;
      return {};
    }
    if (std::string_view("?!#$-").find(next) != std::string_view::npos && next != '\0') {
      word_.text += '0';  // a number or the shell's flags: no path, no command
      at_ += 2;
      return {};
    }
    ++at_;
    if (!IsNameCharacter(next) && next != '@' && next != '*') {
      if (next != '"') word_.text += '$';
      return {};
    }
    const size_t end = EndOfName(text_, at_);
    const bool home = word_.text.empty() && text_.substr(at_, end - at_) == "HOME";
    home ? void(word_.text = "~") : Expand();
    at_ = end;
    return {};
  }

  // The commands inside are read like any others; their output is unknown.
  base::Status ReadSubstitution(size_t begin) {
    Expand();
    ASSIGN_OR_RETURN(at_, ReadInner(text_, begin, true));
    return {};
  }
  base::Result<size_t> ReadInner(std::string_view text, size_t begin, bool substitution) {
    if (depth_ >= kMaxDepth) return Refuse("its substitutions are nested too deep");
    return Lexer(text, words_, depth_ + 1, documents_).Read(begin, substitution);
  }

  base::Status ReadBackticks() {
    Expand();
    std::string inside;
    for (++at_; at_ < text_.size() && text_[at_] != '`'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      inside += text_[at_];
    }
    if (at_ >= text_.size()) return Refuse("a quote is not closed");
    ++at_;
    ASSIGN_OR_RETURN([[maybe_unused]] const size_t end, ReadInner(inside, 0, false));
    return {};
  }

  base::Status ReadRedirection() {
    bool other_descriptor = false;
    if (open_ && std::all_of(word_.text.begin(), word_.text.end(),
                             [](char c) { return c >= '0' && c <= '9'; })) {
      other_descriptor = word_.text != "0";
      word_ = {};  // the number of a descriptor: 2>
      open_ = false;
    }
    EndWord();
    const bool in = text_[at_] == '<';
    ++at_;
    if (at_ < text_.size() && text_[at_] == '(') {  // <(…): its words count, its name is harmless
      ASSIGN_OR_RETURN(at_, ReadInner(text_, at_ + 1, true));
      return {};
    }
    here_string_ = in && text_.substr(at_).starts_with("<<");
    const bool document = in && !here_string_ && text_.substr(at_).starts_with("<");
    if (in && !other_descriptor) call_.InputIs(document || here_string_);
    while (at_ < text_.size() &&
           std::string_view("<>&|").find(text_[at_]) != std::string_view::npos)
      ++at_;
    if (const size_t end = EndOfDescriptor(text_, at_); text_[at_ - 1] == '&' && end > at_) {
      at_ = end;
      return {};
    }
    after_ = document ? After::kHeredoc : After::kRedirection;
    strips_tabs_ = document && at_ < text_.size() && text_[at_] == '-';
    if (strips_tabs_) ++at_;
    quoted_at_ = at_;
    return {};
  }

  base::Status EndLine() {
    EndWord();
    StartCommand();
    ++at_;
    RunHereStrings();
    const bool runs = std::exchange(shell_, false);
    for (const Heredoc& heredoc : std::exchange(heredocs_, {})) {
      RETURN_IF_ERROR(ReadBody(heredoc, runs));
    }
    return {};
  }

  // A here-string that a shell on the same line reads is code.
  void RunHereStrings() {
    for (const size_t index : std::exchange(here_strings_, {})) words_[index].runs |= shell_;
  }

  base::Status ReadBody(const Heredoc& heredoc, bool runs) {
    ShellWord body;
    body.runs = body.document = true;
    while (at_ < text_.size()) {
      const size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
      while (heredoc.strips_tabs && line.starts_with('\t')) line.remove_prefix(1);
      if (line == heredoc.delimiter) {
        if (documents_) documents_->push_back({body.text, heredoc.command, words_.size()});
        if (runs) words_.push_back(std::move(body));
        return {};
      }
      if (heredoc.expands && Substitutes(line)) AddHidden();
      if (!runs && !documents_) continue;
      body.text.append(line).append("\n");
      body.expands |= heredoc.expands && line.find('$') != std::string_view::npos;
    }
    return Refuse("a here-document is not closed");
  }

  void StartCommand() {
    if (std::exchange(call_, {}).RunsUnknown()) AddHidden();
    if (joined_.Several()) words_.push_back(joined_.Code());
    joined_ = {};
    evaluates_ = false;
    command_ = words_.size() * (kMaxDepth + 2) + static_cast<size_t>(depth_);
    expects_command_ = true;
    runner_ = awaits_program_ = after_time_ = false;
    after_ = After::kNothing;
  }

  void EndWord() {
    brace_ = false;
    const bool hides_name = std::exchange(hides_name_, false);
    const bool wildcard = std::exchange(wildcard_, false);
    if (!std::exchange(open_, false)) return;
    ShellWord word = std::exchange(word_, {});
    word.assigns = IsAssignment(word.text) && !hides_name;
    if (after_ == After::kHeredoc) {
      const std::string_view written = text_.substr(quoted_at_, at_ - quoted_at_);
      const bool quoted = written.find_first_of("'\"\\") != std::string_view::npos;
      heredocs_.push_back({word.text, strips_tabs_, !quoted, command_});
      after_ = After::kNothing;
      return;
    }
    if (after_ == After::kRedirection && here_string_) here_strings_.push_back(words_.size());
    word.file = std::exchange(after_, After::kNothing) != After::kNothing;
    word.command = command_;
    word.wildcard = wildcard;
    if (!word.file) Place(word, wildcard);
    words_.push_back(std::move(word));
  }

  // Decides whether the word names a command, and what that means for the words after it.
  void Place(ShellWord& word, bool wildcard) {
    if (after_time_ && time_.Consumes(word.text)) return;
    if (std::exchange(after_coproc_, false) && IsCompound(text_.substr(at_))) return;  // its name
    if (evaluates_) joined_.Add(word.text);
    evaluates_ |= word.text == "eval" && (expects_command_ || awaits_program_);
    word.assigns &= expects_command_ || (assigning_ && awaits_program_);
    word.runs = expects_command_ || (runner_ && !word.text.starts_with("-"));
    const bool evaluated = evaluates_ && joined_.One();
    word.names_command = expects_command_ && !word.assigns;
    const std::string_view name = std::string_view(word.text).substr(word.text.rfind('/') + 1);
    if (!word.names_command) AddArgument(word, evaluated);
    const bool test = word.text == "[" || word.text == "[[" || closes_pattern_;
    const bool program = word.names_command || (word.runs && awaits_program_ && !word.assigns);
    if (program && wildcard && !test && arithmetic_ == 0) word.expands = true;
    const bool number = word.text.find_first_not_of("0123456789.smhd") == std::string::npos;
    if (program && !number) awaits_program_ = false;
    if (word.names_command) Begin(name);
    word.program |= word.names_command;
    shell_ |= call_.CallsShell();
  }

  void AddArgument(ShellWord& word, bool evaluated) {
    const bool shell = call_.CallsShell();
    call_.Add(word.text);
    word.from_input = call_.AtProgram() && call_.AddsInput();
    runner_ = (runner_ && !call_.AtProgram()) || call_.RunsWords();  // code is what shells get
    word.program =
        call_.AtProgram() || evaluated || (shell && word.runs && !word.text.starts_with("-"));
    std::string code = HeldCode(name_, word.text);
    if (!code.empty()) words_.push_back({.text = std::move(code), .runs = true, .document = true});
  }

  void Begin(std::string_view name) {
    expects_command_ = IsBeforeCommand(name);
    after_time_ = name == "time";
    after_coproc_ = name == "coproc";
    runner_ = awaits_program_ = RunsArguments(name);
    call_.Name(name);
    name_ = name;
    assigning_ = name == "env" || name == "sudo" || name == "doas";
  }

  enum class After { kNothing, kRedirection, kHeredoc };
  const std::string_view text_;
  std::vector<ShellWord>& words_;
  const int depth_;
  std::vector<ShellDocument>* const documents_;
  size_t at_ = 0;
  ShellWord word_;
  bool open_ = false;            // a word has begun, perhaps an empty one
  bool brace_ = false;           // it holds an unquoted {
  bool wildcard_ = false;        // it holds an unquoted *, ? or [
  bool hides_name_ = false;      // it is expanded before its first =
  bool closes_pattern_ = false;  // it ends at the bracket after a pattern of case
  bool expects_command_ = true, runner_ = false, strips_tabs_ = false;
  ShellCall call_;    // of this command
  std::string name_;  // of its program
  size_t command_ = 0;
  bool after_coproc_ = false;  // the next word may be the name of the coprocess
  bool evaluates_ = false;     // after eval
  JoinedCode joined_;
  bool after_time_ = false;  // the next word may be an option of time
  TimeOptions time_;
  bool awaits_program_ = false;       // after a runner, before the program that it runs
  bool assigning_ = false;            // after a runner that takes assignments: env, sudo
  int arithmetic_ = 0;                // brackets open at ((, where * multiplies; 0: none
  bool shell_ = false;                // a command of this line is a shell
  bool here_string_ = false;          // the redirection is <<<
  std::vector<size_t> here_strings_;  // words of this line
  After after_ = After::kNothing;
  size_t quoted_at_ = 0;
  std::vector<Heredoc> heredocs_;
};

}  // namespace

base::Result<std::vector<ShellWord>> ParseShellWords(std::string_view command,
                                                     std::vector<ShellDocument>* documents) {
  std::vector<ShellWord> words;
  Lexer lexer(command, words, 0, documents);
  ASSIGN_OR_RETURN([[maybe_unused]] const size_t end, lexer.Read(0, false));
  return words;
}

}  // namespace sidecar
