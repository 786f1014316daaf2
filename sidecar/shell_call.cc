// Operands and options of shells, as far as they say where the code comes from.
#include "sidecar/shell_call.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sidecar {
namespace {

constexpr std::string_view kShells[] = {"sh",   "bash", "dash", "zsh",   "ksh",
                                        "fish", "su",   ".",    "source"};

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool IsInput(std::string_view path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/");
}

}  // namespace

bool IsShell(std::string_view name) {
  return std::find(std::begin(kShells), std::end(kShells), name) != std::end(kShells);
}

void ShellCall::Name(std::string_view name, bool runner) {
  begun_ = IsShell(name);
  is_su_ = name == "su";
  looks_up_ = name == "command";
  seeks_ = runner && !begun_;
}

// The program of a runner is its first word; one behind an option may be the option's value, so
// that the next one is looked at too.
void ShellCall::Seek(const std::string& word) {
  const bool option = word.starts_with("-");
  if (looks_up_ && (word == "-v" || word == "-V")) seeks_ = false;
  const bool other = word.find('=') != std::string::npos ||
                     word.find_first_not_of("0123456789.smhd") == std::string::npos;
  if (IsShell(NameOf(word))) return Name(NameOf(word), false);
  if (!option && !other) seeks_ = after_option_;
  after_option_ = option;
}

void ShellCall::Add(const std::string& word) {
  if (seeks_) return Seek(word);
  if (!begun_ || told_) return;
  const bool skips = std::exchange(skips_operand_, false);
  if (word.size() > 1 && (word[0] == '-' || word[0] == '+')) return AddOption(word);
  if (skips || word == "-" || word.empty()) return;
  if (takes_code_) {
    told_ = !IsShell(NameOf(word));  // sh -c sh
  } else {
    told_ = !is_su_ && !from_input_ && !IsInput(word);
  }
}

void ShellCall::AddOption(const std::string& option) {
  if (option.starts_with("--")) {
    told_ = option == "--version" || option == "--help";
    skips_operand_ = option == "--rcfile" || option == "--init-file";
    return;
  }
  takes_code_ |= option[0] == '-' && option.find('c') != std::string::npos;
  from_input_ |= !is_su_ && option.find('s') != std::string::npos;
  skips_operand_ = option.ends_with('o') || option.ends_with('O');
}

}  // namespace sidecar
