// Judges one tool call: reads its arguments, compares the commands with blockedCommands and the
// paths with allowedPaths, and lists what it could not judge.
//
// What cannot be read is denied: arguments of a wrong type, a command with an open quote, a call
// that exceeds its budget. Otherwise a malformed call would bypass the lists (ADR 19). A word whose
// value is known only at run time is denied only under strictCommands, since `$CC main.c` is
// ordinary work (ADR 50); otherwise it is reported in `unjudged`, like prose that may name a
// command or a path (ADR 38, 51). The lists guard against mistakes; the container is the sandbox.
#include "sidecar/denial/denial.h"

#include <algorithm>
#include <utility>

#include "lib/base/json/mend_text.h"
#include "lib/base/text/text.h"
#include "sidecar/denial/blocked_commands.h"
#include "sidecar/denial/call_arguments.h"
#include "sidecar/denial/script_judge.h"
#include "sidecar/shell/script_words.h"
#include "sidecar/shell/shell_call.h"

namespace sidecar {
namespace {

constexpr size_t kMostUnjudged = 20;  // entries of Denial::unjudged
constexpr size_t kLongestArgv = 256;  // words of a command that are compared with entries
constexpr size_t kWordBytes = 16;     // budget for the comparison of one word

bool HoldsWordsAt(const std::vector<std::string>& words, size_t begin,
                  const std::vector<std::string>& wanted) {
  if (wanted.empty() || begin + wanted.size() > words.size()) return false;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::string& word = words[begin + i];
    if (!(i == 0 ? MatchesProgram(wanted[i], word) : base::MatchesGlob(wanted[i], word)))
      return false;
  }
  return true;
}

bool HoldsWords(const std::vector<std::string>& words, const std::vector<std::string>& wanted) {
  for (size_t begin = 0; begin < words.size(); ++begin) {
    if (HoldsWordsAt(words, begin, wanted)) return true;
  }
  return false;
}

// One of blockedCommands.
struct BlockedCommand {
  const std::string& text;
  std::vector<std::string> words;
  std::string Reason() const {
    return "the policy of this agent blocks the command \"" + text + "\"";
  }
  // False for a lone *, which blocks every command, but not every text that may be one.
  bool NamesOne() const {
    return !words.empty() && words[0].find_first_not_of("*?") != std::string::npos;
  }
};

std::vector<std::string> TextsOf(const std::vector<ShellWord>& words) {
  std::vector<std::string> texts;
  for (const ShellWord& word : words) texts.push_back(word.text);
  return texts;
}

// The words of one command from its program at `begin` on, without redirections and documents.
std::vector<std::string> ArgvAt(const std::vector<ShellWord>& words, size_t begin) {
  std::vector<std::string> argv;
  for (size_t i = begin; i < words.size() && argv.size() < kLongestArgv; ++i) {
    const ShellWord& word = words[i];
    if (i > begin && word.command == words[begin].command && word.names_command) break;
    if (word.command == words[begin].command && !word.file && !word.document)
      argv.push_back(word.text);
  }
  return argv;
}

// The reason of the first entry that matches a command among the words. `whole_call`: a lone *
// counts, too.
std::string BlockedAmong(const std::vector<BlockedCommand>& blocked,
                         const std::vector<ShellWord>& words, bool whole_call, WorkBudget& budget) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (!words[i].program) continue;
    const std::vector<std::string> argv = ArgvAt(words, i);
    for (const BlockedCommand& command : blocked) {
      if (!budget.Spend(argv.size() * kWordBytes)) return {};
      if (!whole_call && !command.NamesOne()) continue;
      if (MatchesCommand(command.words, argv)) return command.Reason();
    }
  }
  return {};
}

bool HoldsAnywhere(const BlockedCommand& command, const std::vector<std::string>& words) {
  std::vector<std::string> wanted = command.words;
  if (wanted[0] == "*") wanted.erase(wanted.begin());
  return HoldsWords(words, wanted);
}

std::string BlockedScript(const std::vector<BlockedCommand>& blocked, bool strict,
                          const std::string& script, WorkBudget& budget) {
  std::vector<ShellWord> words;
  const auto read = AddScriptWords(script, words);
  if (std::string reason = BlockedAmong(blocked, words, true, budget); !reason.empty())
    return reason;
  const std::vector<std::string> texts = TextsOf(words), flat = FlatWords(script);
  for (const BlockedCommand& command : blocked) {
    if (!budget.Spend(script.size())) return {};
    if (!MatchesAnywhere(command.words)) continue;
    if (HoldsAnywhere(command, texts) || HoldsAnywhere(command, flat)) return command.Reason();
  }
  if (!read) {
    return "the policy of this agent blocks commands, and this one cannot be read: " +
           read.error().message;
  }
  const bool hidden = std::any_of(words.begin(), words.end(), [](const ShellWord& word) {
    return word.runs && word.expands && !word.assigns;
  });
  if (!hidden || !strict) return {};
  return "the policy of this agent blocks commands strictly, and what this one runs is only known "
         "when it runs: write it out";
}

// Searches a text that does not parse as a command. A blocked command counts where a command could
// begin: after a line end or an operator, and after a program that runs its arguments.
std::string BlockedInProse(const std::vector<BlockedCommand>& blocked, std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of("\n;|&(){}`"), text.size());
    const std::vector<std::string> words = FlatWords(text.substr(0, end));
    for (const BlockedCommand& command : blocked) {
      if (!command.NamesOne()) continue;
      bool runner = true;
      for (size_t at = 0; runner && at < words.size(); ++at) {
        if (HoldsWordsAt(words, at, command.words)) return command.Reason();
        runner = RunsArguments(words[at]) || words[at].starts_with("-");
      }
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

// Treats an ambiguous text as a command only if a blocked command occurs at a command position.
std::string BlockedLine(const std::vector<BlockedCommand>& blocked, const std::string& line,
                        WorkBudget& budget) {
  std::vector<ShellWord> words;
  if (!AddScriptWords(line, words)) return BlockedInProse(blocked, line);
  return BlockedAmong(blocked, words, false, budget);
}

std::vector<BlockedCommand> BlockedCommands(const api::Policy& policy) {
  std::vector<BlockedCommand> blocked;
  for (const std::string& text : policy.blocked_commands)
    blocked.push_back({text, FlatWords(text)});
  return blocked;
}

std::string BlockedReason(const std::vector<BlockedCommand>& blocked, bool strict,
                          const CallTexts& call, WorkBudget& budget) {
  if (blocked.empty()) return {};
  for (const std::string& script : call.scripts) {
    if (!budget.Spend(script.size())) return {};
    if (std::string reason = BlockedScript(blocked, strict, script, budget); !reason.empty())
      return reason;
  }
  for (const std::string& line : call.lines) {
    if (!budget.Spend(line.size())) return {};
    if (std::string reason = BlockedLine(blocked, line, budget); !reason.empty()) return reason;
  }
  return {};
}

std::string PathReason(const api::Policy& policy, const api::HookEvent& event,
                       const RealPath& real_path, const CallTexts& call, WorkBudget& budget) {
  if (policy.allowed_paths.empty()) return {};
  PathJudge judge(policy, real_path, event.cwd, budget);
  for (const std::string& path : call.paths) {
    if (budget.over()) return {};
    if (std::string refusal = judge.Refusal(path); !refusal.empty()) return refusal;
  }
  for (const std::string& guess : call.guesses) {
    if (budget.over()) return {};
    if (std::string refusal = judge.RefusalOfGuess(guess); !refusal.empty()) return refusal;
  }
  for (const std::string& option : call.options) {
    if (budget.over()) return {};
    if (std::string refusal = judge.RefusalOfWord({option}); !refusal.empty()) return refusal;
  }
  for (const std::string& script : call.scripts) {
    if (!budget.Spend(script.size())) return {};
    if (std::string refusal = RefusalOfScript(script, judge, budget); !refusal.empty())
      return refusal;
  }
  return {};
}

// Whether the policy could deny the text if it were a path or a command.
bool MayMatter(const api::Policy& policy, const std::vector<BlockedCommand>& blocked,
               const std::string& text, WorkBudget& budget) {
  if (!budget.Spend(text.size())) return true;
  if (!policy.allowed_paths.empty() &&
      (text.find_first_of("/~") != std::string::npos || text.find("..") != std::string::npos)) {
    return true;
  }
  if (blocked.empty()) return false;
  const std::vector<std::string> words = FlatWords(text);
  return std::any_of(blocked.begin(), blocked.end(), [&](const BlockedCommand& command) {
    return budget.Spend(text.size()) && HoldsWords(words, command.words);
  });
}

std::vector<std::string> Unjudged(const api::Policy& policy,
                                  const std::vector<BlockedCommand>& blocked, const CallTexts& call,
                                  WorkBudget& budget) {
  std::vector<std::string> names;
  for (const std::string& script : call.scripts) {
    if (!budget.Spend(script.size())) return names;
    for (std::string& reason :
         UnjudgedOfScript(script, !blocked.empty(), !policy.allowed_paths.empty())) {
      const bool known = std::find(names.begin(), names.end(), reason) != names.end();
      if (!known && names.size() < kMostUnjudged) names.push_back(std::move(reason));
    }
  }
  for (const auto& [name, text] : call.prose) {
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (known || names.size() > kMostUnjudged || !MayMatter(policy, blocked, text, budget))
      continue;
    names.push_back(names.size() == kMostUnjudged ? "…" : name);
  }
  return names;
}

bool HoldsReplaced(const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
    return text.find(base::kReplacement) != std::string::npos;
  });
}

// Denies commands and paths that were mended (ADR 47): the tool may read the original bytes
// differently, a NUL as the end of the text, half a character as a question mark. Mended contents
// do not matter.
std::string ReplacedReason(const api::Policy& policy, const api::HookEvent& event,
                           const CallTexts& call) {
  constexpr const char* kLimits = "the policy of this agent limits commands and paths, and ";
  if (!event.unread.empty()) return kLimits + ("this call cannot be judged: " + event.unread);
  if (!event.mended) return {};
  const bool paths = !policy.allowed_paths.empty(), commands = !policy.blocked_commands.empty();
  const bool replaced = HoldsReplaced(call.scripts) || (commands && HoldsReplaced(call.lines)) ||
                        (paths && (HoldsReplaced(call.paths) || HoldsReplaced(call.guesses) ||
                                   HoldsReplaced(call.options) || HoldsReplaced({event.cwd})));
  if (!replaced) return {};
  return std::string(kLimits) +
         "a command or path of this call holds a NUL or half a character, or was cut for its "
         "length, "
         "so that what the tool would do cannot be judged: write it in whole characters, shorter";
}

}  // namespace

Denial DeniedCall(const api::Policy& policy, const api::HookEvent& event, const RealPath& real_path,
                  WorkBudget& budget) {
  if (policy.blocked_commands.empty() && policy.allowed_paths.empty()) return {};
  const CallTexts call = ReadArguments(event, budget);
  if (!call.unreadable.empty()) {
    return {"the policy of this agent limits commands and paths, and this call cannot be read: " +
                call.unreadable,
            {}};
  }
  const std::vector<BlockedCommand> blocked = BlockedCommands(policy);
  Denial denial;
  denial.reason = BlockedReason(blocked, policy.strict_commands, call, budget);
  if (denial.reason.empty()) denial.reason = PathReason(policy, event, real_path, call, budget);
  if (denial.reason.empty()) denial.reason = ReplacedReason(policy, event, call);
  if (denial.reason.empty()) denial.unjudged = Unjudged(policy, blocked, call, budget);
  if (budget.over() && denial.reason.empty()) {
    denial.reason =
        "the policy of this agent limits commands and paths, and this call could not be judged "
        "within " +
        std::to_string(kHookBudgetUs / 1'000) + " ms of processor time: make it smaller";
  }
  return denial;
}

}  // namespace sidecar
