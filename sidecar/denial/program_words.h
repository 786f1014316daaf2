// The table of ordinary programs with arguments that are no paths: operands and options whose
// values are texts, code or data. script_texts.cc evaluates it. Pure.
#pragma once

#include <string_view>

namespace sidecar::program_words {

// kData: a text, or "@file" and "name=@file" (curl).
enum class Kind { kPath, kText, kCode, kData, kElsewhere };

// A program with an operand or an option value that is no path.
struct ProgramRule {
  std::string_view name;
  Kind first = Kind::kPath;  // of its first operand
  std::string_view letters;  // short options whose value is of that kind, alone or last of several
  std::string_view values = "";  // short options whose value is something else, the next word
  std::string_view texts = "";   // short options whose value is a text: a delimiter, a filter
  std::string_view inputs = "";  // short options whose value is kData
};

inline constexpr std::string_view kApi = "gh api";  // its operand is a route of the service

inline constexpr ProgramRule kProgramRules[] = {
    {"grep", Kind::kText, "e", "ABCmdDf"},
    {"egrep", Kind::kText, "e", "ABCmdDf"},
    {"fgrep", Kind::kText, "e", "ABCmdDf"},
    {"zgrep", Kind::kText, "e", "ABCmdDf"},
    {"rg", Kind::kText, "e", "ABCmtTjMdf", "gr"},
    {"ag", Kind::kText, "", "ABCmG"},
    {"ack", Kind::kText, "", "ABCm"},
    {"jq", Kind::kText, "", "fL"},
    {"yq", Kind::kText, ""},
    {"sed", Kind::kCode, "e", "fl"},
    {"gsed", Kind::kCode, "e", "fl"},
    {"awk", Kind::kCode, "e", "f", "Fv"},
    {"gawk", Kind::kCode, "e", "f", "Fv"},
    {"mawk", Kind::kCode, "", "f", "Fv"},
    {"nawk", Kind::kCode, "", "f", "Fv"},
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
    {"xargs", Kind::kPath, "", "", "dE"},
    {"read", Kind::kPath, "", "", "dp"},
    {"curl", Kind::kPath, "", "CDEKPQTUYbcmotxyz", "AeruwX", "dFH"},
    {kApi, Kind::kText, "", "X", "q", "fFH"},
};

// Programs whose exec runs a command inside a container, with the container's paths.
inline constexpr std::string_view kContainers[] = {"docker", "podman", "nerdctl", "kubectl"};
inline constexpr std::string_view kContainerTexts[] = {"-e",     "--env", "-u",
                                                       "--user", "-w",    "--workdir"};
inline constexpr std::string_view kContainerValues[] = {"--env-file",  "--detach-keys", "--index",
                                                        "-c",          "--container",   "-n",
                                                        "--namespace", "--context"};

inline constexpr std::string_view kOnlyTexts[] = {"echo", "printf", "expr",     "seq",    "man",
                                                  "tr",   "export", "basename", "dirname"};
inline constexpr std::string_view kTests[] = {"test", "[", "[["};
inline constexpr std::string_view kComparisons[] = {"=", "==", "!=", "=~"};
// Programs with options for messages, and these options; not git's --template, which names a file.
inline constexpr std::string_view kVersioned[] = {"git", "hg", "svn", "jj"};
inline constexpr std::string_view kForges[] = {"gh", "glab"};
inline constexpr std::string_view kVersionedOptions[] = {
    "--message", "--grep", "--notes", "--author", "--format", "--pretty", "--date", "--trailer"};
inline constexpr std::string_view kVersionedLetters = "mSGL";  // the value may be in the same word
inline constexpr std::string_view kForgeOptions[] = {
    "-m", "--message", "--title", "--body", "-b", "-t", "--jq", "--search", "-q", "--notes"};
// Options whose value, the next word, is a text.
struct TextOption {
  std::string_view program, option;
};
inline constexpr TextOption kTextOptions[] = {
    {"find", "-name"},   {"find", "-iname"},       {"find", "-path"},
    {"find", "-ipath"},  {"find", "-wholename"},   {"find", "-iwholename"},
    {"find", "-regex"},  {"find", "-iregex"},      {"find", "-regextype"},
    {"find", "-printf"}, {"find", "-perm"},        {"find", "-lname"},
    {"find", "-ilname"}, {"go", "-run"},           {"go", "-bench"},
    {"go", "-ldflags"},  {"pytest", "-k"},         {"pytest", "-m"},
    {"helm", "--set"},   {"helm", "--set-string"}, {"terraform", "-var"},
    {"kubectl", "-p"},   {"kubectl", "--patch"},   {"kubectl", "--raw"}};

inline constexpr std::string_view kLongTexts[] = {"--regexp", "--expression", "--eval", "--print",
                                                  "--execute"};
// Options whose value is the next word, of programs whose first operand is no path.
inline constexpr std::string_view kLongPatterns[] = {
    "--include",        "--exclude",   "--exclude-dir", "--context", "--after-context",
    "--before-context", "--max-count", "--glob",        "--iglob",   "--type",
    "--type-not",       "--replace",   "--max-depth",   "--threads", "--sort",
    "--indent",         "--method",    "--jq",          "--header",  "--raw-field"};
inline constexpr std::string_view kLongFiles[] = {"--ignore-file", "--pre", "--exclude-from",
                                                  "--input", "--library-path"};
inline constexpr std::string_view kLongInputs[] = {"--data",   "--data-raw",   "--data-binary",
                                                   "--json",   "--data-ascii", "--data-urlencode",
                                                   "--header", "--form",       "--field"};
inline constexpr std::string_view kLongCurlTexts[] = {"--user-agent", "--user",        "--request",
                                                      "--write-out",  "--form-string", "--referer",
                                                      "--url-query"};

}  // namespace sidecar::program_words
