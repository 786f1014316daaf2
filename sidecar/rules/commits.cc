// The command tells the message; git's output tells a subject that the command leaves open, and
// files.
#include "sidecar/rules/commits.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/text/text.h"
#include "sidecar/rules/commit_words.h"
#include "sidecar/text/tool_text.h"

namespace sidecar {
namespace {

constexpr const char* kCommandArguments[] = {"command", "cmd", "script", "commands", "input"};
constexpr size_t kMostShownFiles = 20;
constexpr size_t kSubjectCharacters = 200;

// Words of messages that say neither what changed nor why, English and German.
constexpr std::string_view kEmptyWords[] = {"a",
                                            "an",
                                            "the",
                                            "and",
                                            "of",
                                            "in",
                                            "to",
                                            "some",
                                            "more",
                                            "this",
                                            "that",
                                            "it",
                                            "my",
                                            "minor",
                                            "small",
                                            "little",
                                            "misc",
                                            "various",
                                            "stuff",
                                            "things",
                                            "thing",
                                            "wip",
                                            "work",
                                            "progress",
                                            "fix",
                                            "fixes",
                                            "fixed",
                                            "fixing",
                                            "fixup",
                                            "tmp",
                                            "temp",
                                            "update",
                                            "updates",
                                            "updated",
                                            "updating",
                                            "change",
                                            "changes",
                                            "changed",
                                            "save",
                                            "saved",
                                            "commit",
                                            "committed",
                                            "initial",
                                            "first",
                                            "init",
                                            "done",
                                            "cleanup",
                                            "clean",
                                            "up",
                                            "refactor",
                                            "test",
                                            "tests",
                                            "testing",
                                            "typo",
                                            "typos",
                                            "lint",
                                            "linting",
                                            "format",
                                            "formatting",
                                            "style",
                                            "checkpoint",
                                            "bump",
                                            "chore",
                                            "again",
                                            "try",
                                            "ok",
                                            "oops",
                                            "address",
                                            "review",
                                            "comments",
                                            "feedback",
                                            "code",
                                            "file",
                                            "files",
                                            "readme",
                                            "md",
                                            "asdf",
                                            "foo",
                                            "bar",
                                            "x",
                                            "xxx",
                                            "todo",
                                            "edit",
                                            "edits",
                                            "bug",
                                            "bugs",
                                            "bugfix",
                                            "hotfix",
                                            "add",
                                            "latest",
                                            "new",
                                            "änderung",
                                            "änderungen",
                                            "geändert",
                                            "aktualisiert",
                                            "aktualisierung",
                                            "zwischenstand",
                                            "behoben",
                                            "fehler",
                                            "korrektur",
                                            "kleine",
                                            "kleiner",
                                            "diverse",
                                            "aufräumen",
                                            "aufgeräumt",
                                            "tippfehler",
                                            "speichern",
                                            "stand",
                                            "und"};

// What git or a person writes for merges and for a later rebase.
constexpr std::string_view kMerges[] = {"merge branch ",
                                        "merge branches ",
                                        "merge remote-tracking ",
                                        "merge pull request ",
                                        "merge commit ",
                                        "merge tag ",
                                        "fixup! ",
                                        "squash! ",
                                        "amend! "};
constexpr std::string_view kTrailers[] = {
    "co-authored-by:", "signed-off-by:",           "change-id:", "reviewed-by:", "acked-by:",
    "tested-by:",      "\U0001F916 generated with"};

bool StartsWithAny(const std::string& text, auto& beginnings) {
  return std::ranges::any_of(beginnings,
                             [&](std::string_view begin) { return text.starts_with(begin); });
}

std::string_view LineOf(std::string_view& rest) {
  const size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

struct Message {
  std::string subject, body;
};

// The first paragraph is the subject, as for git; trailers say nothing that is worth a memory.
Message ReadMessage(std::string_view text) {
  Message message;
  std::string rest = std::string(base::Trim(text));
  std::string_view lines = rest;
  while (!lines.empty()) {
    const std::string_view line = LineOf(lines);
    if (base::IsBlank(line)) break;
    if (!message.subject.empty()) message.subject += ' ';
    message.subject += base::Trim(line);
  }
  while (!lines.empty()) {
    const std::string line(LineOf(lines));
    if (!StartsWithAny(base::FoldCase(base::Trim(line)), kTrailers)) message.body += line + "\n";
  }
  message.subject = base::CollapseWhitespace(message.subject);
  message.body = base::Trim(message.body);
  return message;
}

struct Printed {
  std::vector<std::string> subjects, files;
  bool nothing = false;  // to commit
};

// "[main 1a2b3c4] subject" → "subject"; empty: another line.
std::string SubjectIn(std::string_view line) {
  const size_t close = line.find("] ");
  if (!line.starts_with('[') || close == std::string_view::npos) return "";
  const std::string_view inside = line.substr(1, close - 1);
  const size_t blank = inside.rfind(' ');
  if (blank == std::string_view::npos) return "";
  const std::string_view hash = inside.substr(blank + 1);
  const bool is_hash = hash.size() >= 4 && hash.size() <= 64 &&
                       hash.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return is_hash ? std::string(line.substr(close + 2)) : "";
}

Printed ReadPrinted(std::string_view output) {
  Printed printed;
  while (!output.empty()) {
    const std::string_view line = LineOf(output);
    if (auto subject = SubjectIn(line); !subject.empty())
      printed.subjects.push_back(std::move(subject));
    for (std::string_view mode : {" create mode ", " delete mode "})
      if (line.starts_with(mode) && line.size() > mode.size() + 7)
        printed.files.emplace_back(line.substr(mode.size() + 7));
    for (std::string_view none :
         {"nothing to commit", "nothing added to commit", "no changes added to commit"})
      printed.nothing |= line.starts_with(none);
  }
  return printed;
}

std::vector<CommitCall> CallsOf(const base::Json& arguments) {
  for (const char* argument : kCommandArguments)
    for (const std::string& text : ArgumentTexts(arguments, argument))
      if (auto calls = CommitCalls(text); !calls.empty()) return calls;
  return {};
}

Capture CaptureOf(const Message& message, const std::vector<std::string>& files) {
  Capture capture;
  capture.rule = kCommitRule;
  capture.type = "change";
  capture.scope = "project";
  capture.title = base::Ellipsize(message.subject, kSubjectCharacters);
  capture.content = base::Ellipsize(message.body, kMostCommitCharacters);
  if (!files.empty()) {
    if (!capture.content.empty()) capture.content += "\n\n";
    const size_t shown = std::min(files.size(), kMostShownFiles);
    capture.content += "Files: " + base::Join({files.begin(), files.begin() + shown}, ", ");
    if (files.size() > shown)
      capture.content += " and " + std::to_string(files.size() - shown) + " more";
  }
  if (capture.content.empty()) capture.content = message.subject;
  capture.trust = api::kOriginRule;
  capture.topic_key =
      "commit/" + api::NormalizedHash(message.subject + "\n" + message.body).substr(0, 16);
  return capture;
}

}  // namespace

bool MakesCommit(const base::Json& arguments) { return !CallsOf(arguments).empty(); }

bool SaysNothing(const std::string& subject, const std::string& body) {
  const std::string folded = base::FoldCase(subject);
  if (StartsWithAny(folded, kMerges)) return true;
  if (!base::IsBlank(body)) return false;
  std::string word;
  bool says = false;
  const auto end = [&] {
    const bool number = word.find_first_not_of("0123456789") == std::string::npos;
    says |=
        word.size() > 1 && !number && std::ranges::find(kEmptyWords, word) == std::end(kEmptyWords);
    word.clear();
  };
  for (const char c : folded) {
    const bool letter =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (letter) word += c;
    if (!letter) end();
  }
  end();
  return !says;
}

std::vector<Capture> CommitsOf(const base::Json& arguments, const std::string& output) {
  std::vector<CommitCall> calls = CallsOf(arguments);
  if (calls.empty()) return {};
  Printed printed = ReadPrinted(output);
  if (printed.nothing && printed.subjects.empty()) return {};
  std::vector<Capture> captures;
  for (size_t i = 0; i < calls.size(); ++i) {
    CommitCall& call = calls[i];
    const bool told = printed.subjects.size() == calls.size();
    if (base::IsBlank(call.message) && told && !call.amends) call.message = printed.subjects[i];
    Message message = ReadMessage(call.message);
    if (told && !message.subject.empty()) message.subject = printed.subjects[i];  // hooks change it
    if (message.subject.empty() || SaysNothing(message.subject, message.body)) continue;
    if (calls.size() == 1)
      for (std::string& file : printed.files)
        if (std::ranges::find(call.files, file) == call.files.end())
          call.files.push_back(std::move(file));
    Capture capture = CaptureOf(message, call.files);
    if (call.amends && !captures.empty()) {
      capture.topic_key = captures.back().topic_key;
      capture.amends = captures.back().amends;
      captures.pop_back();
    } else {
      capture.amends = call.amends;
    }
    captures.push_back(std::move(capture));
  }
  return captures;
}

}  // namespace sidecar
