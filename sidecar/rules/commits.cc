// The repository tells the message and the files. Where it is not seen, the command tells the
// message; git's output tells a subject that the command leaves open, and files.
#include "sidecar/rules/commits.h"

#include <algorithm>
#include <iterator>
#include <optional>
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
// A commit without a hash in the output must be as young, else it is of an earlier call.
constexpr int64_t kYoungS = 10 * 60;

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
  std::vector<std::string> subjects, hashes, files;  // a hash for each subject
  bool nothing = false;                              // to commit
};

// Reads "[main 1a2b3c4] subject".
void ReadSubject(std::string_view line, Printed& printed) {
  const size_t close = line.find("] ");
  if (!line.starts_with('[') || close == std::string_view::npos) return;
  const std::string_view inside = line.substr(1, close - 1);
  const size_t blank = inside.rfind(' ');
  if (blank == std::string_view::npos || close + 2 == line.size()) return;
  const std::string_view hash = inside.substr(blank + 1);
  if (hash.size() < 4 || hash.size() > 64 ||
      hash.find_first_not_of("0123456789abcdef") != std::string_view::npos)
    return;
  printed.hashes.emplace_back(hash);
  printed.subjects.emplace_back(line.substr(close + 2));
}

Printed ReadPrinted(std::string_view output) {
  Printed printed;
  while (!output.empty()) {
    const std::string_view line = LineOf(output);
    ReadSubject(line, printed);
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

// What the repository has of a call. Without a hash it must be the commit of the message that the
// command tells, or, if the command tells none, the newest one of the directory that it tells.
std::optional<RepositoryCommit> FindIn(const CommitSource& source, const CommitCall& call,
                                       const std::string& hash, size_t back) {
  if (!source) return std::nullopt;
  const std::string told = ReadMessage(call.message).subject;
  // A runtime may say the directory after the command instead of the one before.
  std::vector<std::string> directories = {call.directory.value_or("")};
  if (!directories[0].empty()) directories.emplace_back();
  for (const std::string& directory : directories) {
    auto found = source({directory, hash, back});
    if (!found) continue;
    if (!hash.empty()) return found;
    if (found->age_s > kYoungS) continue;
    const bool fits = told.empty()
                          ? directory == call.directory
                          : ReadMessage(found->message).subject.find(told) != std::string::npos;
    if (fits) return found;
  }
  return std::nullopt;
}

std::string TopicOf(const Message& message) {
  return "commit/" + api::NormalizedHash(message.subject + "\n" + message.body).substr(0, 16);
}

// An amendment has the topic of the first commit before it that was saved.
std::string TopicOf(const RepositoryCommit& found) {
  for (const std::string& text : found.replaced) {
    const Message message = ReadMessage(text);
    if (!SaysNothing(message.subject, message.body)) return TopicOf(message);
  }
  return TopicOf(ReadMessage(found.message));
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
  capture.topic_key = TopicOf(message);
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

std::vector<Capture> CommitsOf(const base::Json& arguments, const std::string& output,
                               const CommitSource& source) {
  std::vector<CommitCall> calls = CallsOf(arguments);
  if (calls.empty()) return {};
  Printed printed = ReadPrinted(output);
  if (printed.nothing && printed.subjects.empty()) return {};
  std::vector<Capture> captures;
  for (size_t i = 0; i < calls.size(); ++i) {
    CommitCall& call = calls[i];
    const bool told = printed.subjects.size() == calls.size();
    const auto found = FindIn(source, call, told ? printed.hashes[i] : "", calls.size() - 1 - i);
    if (base::IsBlank(call.message) && told && !call.amends) call.message = printed.subjects[i];
    Message message = ReadMessage(found ? found->message : call.message);
    if (told && !found && !message.subject.empty())
      message.subject = printed.subjects[i];  // hooks change it
    if (message.subject.empty() || SaysNothing(message.subject, message.body)) continue;
    if (found && found->files)
      call.files = *found->files;
    else if (calls.size() == 1)
      for (std::string& file : printed.files)
        if (std::ranges::find(call.files, file) == call.files.end())
          call.files.push_back(std::move(file));
    Capture capture = CaptureOf(message, call.files);
    if (found) capture.topic_key = TopicOf(*found);
    if (call.amends && !captures.empty()) {
      capture.topic_key = captures.back().topic_key;
      capture.amends = captures.back().amends;
      captures.pop_back();
    } else {
      capture.amends = call.amends && !found;
    }
    captures.push_back(std::move(capture));
  }
  return captures;
}

}  // namespace sidecar
