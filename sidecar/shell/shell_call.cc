// Follows the options and operands of shells, and of programs that run other programs (sudo, xargs,
// find -exec), as far as they decide which program and which code run. `sh -c CODE` and `sh FILE`
// name their code; `curl … | sh` reads code that is unknown before it runs, so that strictCommands
// denies it, and it is reported otherwise (ADR 19, 50). The table of runners leads to the program
// that they run: `sudo -u x rm` is `rm`.
#include "sidecar/shell/shell_call.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lib/base/text/text.h"
#include "sidecar/text/normal_path.h"

namespace sidecar {

struct ShellRunner {
  std::string_view name;
  std::string_view values = "";   // options with a value, which may be the next word
  std::string_view shells = "";   // options that make it a shell
  std::string_view lookups = "";  // options with which it runs nothing
  int operands = 0;               // before the program, such as the duration of timeout
  bool builtins = false;          // it also runs builtins of the shell
};

namespace {

constexpr size_t kLongestPlaceholder = 64;  // placeholder of xargs -I

constexpr std::string_view kShells[] = {"sh",  "bash", "dash", "zsh",   "ksh",  "fish", "ash",
                                        "csh", "tcsh", "mksh", "rbash", "yash", "su"};

constexpr ShellRunner kRunners[] = {
    {.name = "sudo", .values = "ughpCrtTDRUac", .shells = "si"},
    {.name = "doas", .values = "uC", .shells = "s"},
    {.name = "env", .values = "uC"},
    {.name = "exec", .values = "a"},
    {.name = "command", .lookups = "vV", .builtins = true},
    {.name = "builtin", .builtins = true},
    {.name = "eval", .builtins = true},
    {.name = "nohup"},
    {.name = "nice", .values = "n"},
    {.name = "ionice", .values = "cnpPu"},
    {.name = "taskset", .operands = 1},
    {.name = "stdbuf", .values = "ioe"},
    {.name = "xargs", .values = "adEILnPs"},
    {.name = "timeout", .values = "ks", .operands = 1},
    {.name = "setsid"},
    {.name = "time", .values = "fo"},
    {.name = "watch", .values = "nq"},
    {.name = "busybox"},
    {.name = "trap", .builtins = true},
    {.name = "flock", .values = "wE", .shells = "c", .operands = 1},
    {.name = "script", .values = "BEIOTmo", .shells = "c"},
    {.name = "strace", .values = "aeIoOpPsSuUXEb"},
    {.name = "ltrace", .values = "aeFlnopsuwxDAX"},
    {.name = "setpriv"},
    {.name = "unshare", .values = "SGRw", .shells = " "},
    {.name = "nsenter", .values = "tSG", .shells = " "},
    {.name = "runuser", .values = "ugGws", .shells = "c"},
    {.name = "chroot", .operands = 1},
    {.name = "ld.so"},
    {.name = "prlimit"},
    {.name = "chrt", .operands = 1},
    {.name = "setarch"},
    {.name = "numactl", .values = "NmCpi"},
    {.name = "pkexec"},
    {.name = "gosu", .operands = 1},
    {.name = "su-exec", .operands = 1},
    {.name = "fakeroot"},
};

// Long options of the runners whose value is the next word; getopt also accepts abbreviations.
constexpr std::string_view kLongValues[] = {"--user",
                                            "--group",
                                            "--host",
                                            "--prompt",
                                            "--close-from",
                                            "--role",
                                            "--type",
                                            "--chroot",
                                            "--other-user",
                                            "--login-class",
                                            "--chdir",
                                            "--command-timeout",
                                            "--unset",
                                            "--adjustment",
                                            "--kill-after",
                                            "--signal",
                                            "--max-args",
                                            "--arg-file",
                                            "--max-procs",
                                            "--max-chars",
                                            "--class",
                                            "--classdata",
                                            "--interval",
                                            "--input",
                                            "--output",
                                            "--error",
                                            "--delimiter",
                                            "--equexit",
                                            "--process-slot-var",
                                            "--format",
                                            "--library-path",
                                            "--preload",
                                            "--argv0",
                                            "--reuid",
                                            "--regid",
                                            "--groups",
                                            "--target",
                                            "--root",
                                            "--timeout"};
constexpr std::string_view kLongShells[] = {"--shell", "--login"};

// Long options of bash, which also accepts them with one dash.
constexpr std::string_view kBashOptions[] = {"debugger", "login", "noediting",  "noprofile",
                                             "norc",     "posix", "restricted", "verbose",
                                             "version",  "help",  "rcfile",     "init-file"};

template <size_t N>
bool BeginsOneOf(std::string_view word, const std::string_view (&words)[N]) {
  return word.size() > 3 && std::any_of(std::begin(words), std::end(words),
                                        [&](std::string_view w) { return w.starts_with(word); });
}

const ShellRunner* FindRunner(std::string_view name) {
  if (name.starts_with("ld-linux") || name.starts_with("ld-musl")) name = "ld.so";
  const auto* found = std::find_if(std::begin(kRunners), std::end(kRunners),
                                   [&](const ShellRunner& runner) { return runner.name == name; });
  return found == std::end(kRunners) ? nullptr : found;
}

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool Sources(std::string_view name) { return name == "." || name == "source"; }
bool IsShell(std::string_view name) { return base::IsOneOf(name, kShells); }

// Whether the path is an open descriptor, in any spelling: //dev/stdin, ../../dev/./stdin.
bool IsInput(const std::string& word) {
  if (!word.starts_with("/") && word.find("..") == std::string::npos) return false;
  const std::string path = NormalPath(word, "/");
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/");
}

}  // namespace

bool RunsArguments(std::string_view name) {
  return IsShell(name) || Sources(name) || FindRunner(name) != nullptr;
}

// find . -exec sh -c '…' ';'
bool ShellCall::BeginsRun(const std::string& word) {
  const bool begins =
      is_find_ && (word == "-exec" || word == "-execdir" || word == "-ok" || word == "-okdir");
  if (begins) {
    Name("nohup");
    is_find_ = runs_words_ = true;
    code_found_ = false;
  }
  return begins;
}

void ShellCall::Name(std::string_view name) {
  is_find_ = name == "find";
  is_make_ = name == "make" || name == "gmake";
  from_input_words_ |= name == "xargs";
  is_shell_ = IsShell(name) || Sources(name);
  takes_code_ = false;
  is_su_ = name == "su";
  is_bash_ = name == "bash" || name == "rbash";
  runner_ = is_shell_ ? nullptr : FindRunner(name);
  operands_ = runner_ ? runner_->operands : 0;
}

bool ShellCall::RunsUnknown() const {
  if (from_placeholder_ || reads_makefile_ || (from_input_words_ && runs_words_ && runner_))
    return true;
  return is_shell_ && !code_found_ && !input_known_ && (!only_reads_ || interactive_);
}

bool ShellCall::HoldsPlaceholder(const std::string& word) const {
  if (placeholder_.size() > kLongestPlaceholder)
    return true;  // bounds the cost of the search below
  return !placeholder_.empty() && word.find(placeholder_) != std::string::npos;
}

// Looks for the program of a runner: the first word that is neither an option, an option's value,
// an assignment nor one of the runner's operands.
void ShellCall::FindProgram(const std::string& word) {
  if (skips_value_) {
    skips_value_ = false;
    if (std::exchange(names_placeholder_, false)) placeholder_ = word;
    return;
  }
  if (word.size() > 1 && word[0] == '-') return ReadRunnerOption(word);
  if (word == "-" || word.find('=') != std::string::npos) return;  // env - X=1
  if (operands_ > 0) {
    --operands_;
    return;
  }
  from_placeholder_ |= HoldsPlaceholder(word);
  at_program_ = true;
  const std::string_view name = NameOf(word);
  const bool sources = Sources(word) && runner_->builtins;
  if (sources || IsShell(name) || FindRunner(name)) {
    runs_words_ = true;
    return Name(name);
  }
  runs_words_ = is_shell_ || runner_->name == "eval" || runner_->name == "trap" ||
                runner_->name == "watch";  // it joins its words
  runner_ = nullptr;
  code_found_ = true;  // sudo -s ls
}

void ShellCall::ReadRunnerOption(const std::string& option) {
  if (option.starts_with("--")) {
    const std::string_view name = std::string_view(option).substr(0, option.find('='));
    if (runner_->name == "xargs" && name.size() > 2 &&
        std::string_view("--replace").starts_with(name)) {
      placeholder_ =
          option.find('=') == std::string::npos ? "{}" : option.substr(option.find('=') + 1);
      return;
    }
    skips_value_ = BeginsOneOf(option, kLongValues);
    is_shell_ |= !runner_->shells.empty() && BeginsOneOf(option, kLongShells);
    return;
  }
  for (size_t i = 1; i < option.size(); ++i) {
    if (runner_->lookups.find(option[i]) != std::string_view::npos) {
      runner_ = nullptr;
      return;
    }
    if (option[i] == 'S' && runner_->name == "env" && i + 1 < option.size()) {
      return FindProgram(option.substr(i + 1, option.find(' ', i) - i - 1));  // env '-Sbash -e'
    }
    is_shell_ |= runner_->shells.find(option[i]) != std::string_view::npos;
    if (runner_->name == "xargs" && (option[i] == 'I' || option[i] == 'i')) {
      placeholder_ = option.substr(i + 1);
      names_placeholder_ = skips_value_ = option[i] == 'I' && placeholder_.empty();
      if (option[i] == 'i' && placeholder_.empty()) placeholder_ = "{}";
      return;
    }
    if (runner_->values.find(option[i]) == std::string_view::npos) continue;
    skips_value_ = i + 1 == option.size();
    return;
  }
}

void ShellCall::Add(const std::string& word) {
  at_program_ = false;
  if (BeginsRun(word)) return;
  reads_makefile_ |= is_make_ && (word == "-" || word == "-f-" || word == "--file=-");
  if (runner_) return FindProgram(word);
  if (!is_shell_ || code_found_) return;
  if (word.size() > 1 && (word[0] == '-' || word[0] == '+')) return AddOption(word);
  if (skipped_ > 0) {
    --skipped_;
    return;
  }
  if (word == "-" || word.empty()) return;
  from_placeholder_ |= HoldsPlaceholder(word);
  if (takes_code_) {
    code_found_ = !IsShell(NameOf(word)) && !Sources(word);  // sh -c sh
  } else {
    code_found_ = !is_su_ && !from_input_ && !IsInput(word);
  }
}

void ShellCall::AddOption(const std::string& option) {
  const bool long_one = option.starts_with("--");
  const std::string_view name = std::string_view(option).substr(long_one ? 2 : 1);
  const bool named = option[0] == '-' && base::IsOneOf(name, kBashOptions);
  if (named && (name == "rcfile" || name == "init-file")) {
    skipped_ = 1;
    return;
  }
  if (long_one) code_found_ = name == "version" || name == "help";
  if (long_one || (named && is_bash_)) return;
  const bool on = option[0] == '-';
  const auto holds = [&](char c) { return name.find(c) != std::string_view::npos; };
  takes_code_ |= on && holds('c');
  from_input_ |= !is_su_ && holds('s');
  interactive_ |= holds('i');
  if (holds('n') && !is_su_) only_reads_ = on && !named;
  skipped_ = std::count(name.begin(), name.end(), 'o') + std::count(name.begin(), name.end(), 'O');
}

// The contents of all $(…) and `…` of a text, one a line.
std::string Substituted(std::string_view text) {
  std::string code;
  for (size_t at = 0; at < text.size(); ++at) {
    const bool ticks = text[at] == '`';
    if (!ticks && !text.substr(at).starts_with("$(")) continue;
    const size_t begin = at + (ticks ? 1 : 2);
    size_t end = begin;
    for (int open = 1; end < text.size(); ++end) {
      if (!ticks && text[end] == '(') ++open;
      if (text[end] == (ticks ? '`' : ')') && --open == 0) break;
    }
    code.append(text.substr(begin, end - begin)).append("\n");
    at = end;
  }
  return code;
}

std::string HeldCode(std::string_view name, std::string_view word) {
  const auto after = [&](std::string_view mark) {
    const size_t at = word.find(mark);
    return std::string(at == std::string_view::npos ? "" : word.substr(at + mark.size()));
  };
  if (name == "env" && word.starts_with("-S")) return std::string(word.substr(2));
  if (name == "env" && word.starts_with("--split-string=")) return after("=");
  if (name == "alias") return after("=");
  if (name == "git" && (word.starts_with("alias.") || word.starts_with("-calias."))) {
    const std::string value = after("=");
    return value.starts_with("!") ? value.substr(1) : value.empty() ? value : "git " + value;
  }
  if (name == "tar") {
    for (const std::string_view mark : {"exec=", "--to-command=", "--use-compress-program="}) {
      if (std::string code = after(mark); !code.empty() && word.starts_with("-")) return code;
    }
  }
  if (name == "sed") {
    const size_t command = word.find_first_not_of("0123456789$, !");
    const bool runs = command != std::string_view::npos && word.substr(command).starts_with("e ");
    return runs ? std::string(word.substr(command + 2)) : "";
  }
  constexpr std::string_view kEvaluators[] = {"declare", "typeset", "local",  "let",
                                              "printf",  "test",    "[",      "[[",
                                              "unset",   "read",    "export", "readonly"};
  if (!base::IsOneOf(name, kEvaluators)) return {};
  return Substituted(word);  // these programs expand arithmetic in their arguments once more
}

}  // namespace sidecar
