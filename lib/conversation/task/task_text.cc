// The section is built with increasing trims until it fits: cutting the finished text would drop
// its last sections, while less useful items before them stay. All names, tasks and steps are
// untrusted, and each becomes one inert line, so that none can begin a section or imitate a
// heading.
#include "lib/conversation/task/task_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "lib/base/text/inert.h"
#include "lib/base/text/text.h"

namespace conversation {
namespace {

// The limits of one trim. `steps`: of open steps; without `finished_steps` a count replaces the
// finished ones.
struct Trims {
  size_t actions = SIZE_MAX, files_read = SIZE_MAX, files_modified = SIZE_MAX;
  bool finished_steps = true;
  size_t steps = SIZE_MAX;
  size_t width = SIZE_MAX;  // characters of each name or sentence
};
constexpr size_t kActionsLeft = 3, kFilesLeft = 5;
constexpr Trims kTrims[] = {
    {},
    {kActionsLeft, kFilesLeft},
    {kActionsLeft, kFilesLeft, kFilesLeft},
    {kActionsLeft, kFilesLeft, kFilesLeft, false},
    {kActionsLeft, kFilesLeft, kFilesLeft, false, 20, 200},
    {kActionsLeft, kFilesLeft, kFilesLeft, false, 10, 100},
    {1, 3, 3, false, 5, 60},
    {0, 1, 1, false, 1, 40},
};

constexpr std::string_view kBlocksHead =
    "[CONTEXT BLOCKS]\n"
    "Blocks from prior interactions (use recall tool to get full details):\n"
    "recall with {\"block\": n} returns the original messages of #n.\n";

// Whether a bracket and the word of a heading begin here, in any case and with any blanks. A
// non-ASCII character counts as a letter, since it may resemble one. "[id]" in a file name is none.
bool BeginsHeading(std::string_view rest) {
  const size_t bracket = base::BracketBytes(rest);
  if (bracket == 0) return false;
  const auto is_blank = [](char c) { return (c >= 0 && c <= ' ') || c == 0x7F; };
  size_t at = bracket;
  while (at < rest.size() && is_blank(rest[at])) ++at;
  constexpr std::string_view kHeadings[] = {"task", "plan", "budget", "context"};
  std::string word;
  for (; at < rest.size() && word.size() <= std::size("context"); ++at) {
    if (static_cast<unsigned char>(rest[at]) >= 0x80) return true;
    const char letter = static_cast<char>(rest[at] | 0x20);
    if (letter < 'a' || letter > 'z') break;
    word += letter;
  }
  return base::IsOneOf(word, kHeadings);
}

// Escapes the brackets of headings in a line that is already inert.
std::string WithoutHeadings(std::string_view line) {
  std::string text;
  for (size_t at = 0; at < line.size();) {
    const std::string_view rest = line.substr(at);
    const bool heading = BeginsHeading(rest);
    const size_t bytes = heading ? base::BracketBytes(rest) : 1;
    const auto escaped = [](std::string_view) { return true; };
    text += heading ? base::Inert(rest.substr(0, bytes), escaped) : std::string(1, rest.front());
    at += bytes;
  }
  return text;
}

bool IsListMark(std::string_view rest) { return rest.front() == ',' || BeginsHeading(rest); }

std::string Listed(const std::vector<std::string>& items, size_t most, size_t width) {
  std::string text;
  const size_t from = items.size() - std::min(items.size(), most);
  for (size_t i = from; i < items.size(); ++i) {
    if (!text.empty()) text += ", ";
    text += base::Inert(base::Ellipsize(items[i], width), IsListMark);
  }
  return text;
}

void AddList(std::string& text, std::string_view name, const MruRing& ring, size_t most,
             size_t width) {
  const std::string items = Listed(ring.items(), most, width);
  if (!items.empty()) text.append(name).append(": ").append(items).append("\n");
}

// `always`: even without a line, as the heading of the sections that follow.
std::string ContextSection(const TaskState& state, const Trims& trims, bool always) {
  std::string text;
  if (!state.task.empty())
    text += "Task: " + InertInTask(base::Ellipsize(state.task, trims.width)) + "\n";
  AddList(text, "Files read", state.files_read, trims.files_read, trims.width);
  AddList(text, "Files modified", state.files_modified, trims.files_modified, trims.width);
  AddList(text, "Recent", state.actions, trims.actions, trims.width);
  return text.empty() && !always ? "" : "[TASK CONTEXT]\n" + text;
}

std::string PlanSection(const LivePlan& plan, const Trims& trims) {
  if (plan.empty()) return "";
  std::string text = "[PLAN]\n";
  if (!plan.goal.empty())
    text += "Goal: " + InertInTask(base::Ellipsize(plan.goal, trims.width)) + "\n";
  size_t finished = 0, open = 0;
  for (const PlanStep& step : plan.steps) {
    const bool is_open = IsOpen(step);
    ++(is_open ? open : finished);
    if (is_open ? open > trims.steps : !trims.finished_steps) continue;
    text += std::string("- ") + NameOf(step.status) + ": " +
            InertInTask(base::Ellipsize(step.text, trims.width)) + "\n";
  }
  if (!trims.finished_steps && finished > 0)
    text += "- finished before: " + std::to_string(finished) + "\n";
  if (open > trims.steps)
    text += "- further open steps: " + std::to_string(open - trims.steps) + "\n";
  return text;
}

std::string BudgetSection(const TaskBudget& budget) {
  if (!budget.Warns()) return "";
  const int64_t percent = budget.used_tokens * 100 / budget.window_tokens;
  return "[BUDGET]\nWarning: about " + std::to_string(std::min<int64_t>(percent, 100)) +
         "% of the context window is used (" + std::to_string(budget.used_tokens) + " of " +
         std::to_string(budget.window_tokens) +
         " tokens). Finish or summarize before it is full.\n";
}

std::string Sections(const TaskState& state, const Trims& trims, bool has_blocks) {
  std::string text;
  const bool follows = has_blocks || !state.plan.empty() || state.budget.Warns();
  for (std::string section : {ContextSection(state, trims, follows), PlanSection(state.plan, trims),
                              BudgetSection(state.budget)}) {
    if (section.empty()) continue;
    if (!text.empty()) text += "\n";
    text += section;
  }
  return text;
}

// The newest blocks that fit into `room` characters.
std::string BlocksSection(const std::vector<std::string>& catalogue, size_t room) {
  size_t used = kBlocksHead.size(), from = catalogue.size();
  while (from > 0) {
    used += base::CountCharacters(catalogue[from - 1]) + 1;
    if (used > room) break;
    --from;
  }
  if (from == catalogue.size()) return "";
  std::string text(kBlocksHead);
  for (size_t i = from; i < catalogue.size(); ++i) text += catalogue[i] + "\n";
  return text;
}

}  // namespace

std::string InertInTask(std::string_view text) { return base::Inert(text, BeginsHeading); }

std::string TaskText(const TaskState& state, const std::vector<std::string>& lines,
                     size_t max_characters) {
  std::vector<std::string> catalogue;
  for (const std::string& line : lines) catalogue.push_back(WithoutHeadings(line));
  size_t blocks = catalogue.empty() ? 0 : kBlocksHead.size() + 1;
  for (const std::string& line : catalogue) blocks += base::CountCharacters(line) + 1;
  std::string text;
  for (const Trims& trims : kTrims) {
    text = Sections(state, trims, !catalogue.empty());
    // Blocks are trimmed after actions and files, and before steps.
    const size_t beside = &trims == &kTrims[0] || &trims == &kTrims[1] ? blocks : 0;
    if (base::CountCharacters(text) + beside <= max_characters) break;
  }
  text = std::string(base::Prefix(text, max_characters));
  const size_t characters = base::CountCharacters(text) + (text.empty() ? 0 : 1);
  if (characters >= max_characters) return text;
  const std::string section = BlocksSection(catalogue, max_characters - characters);
  if (!text.empty() && !section.empty()) text += "\n";
  return text + section;
}

}  // namespace conversation
