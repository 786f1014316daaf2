// Reads names word by word, so that TOKEN_COUNT is a number and SECRET_KEY_BASE is a secret, and
// distinguishes values from code, types, paths and placeholders.
#include "lib/redaction/values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace redaction {
namespace {

constexpr double kLeastBits = 2.8;  // of entropy per character; English words have about 2.5
constexpr size_t kLeastRandom = 10, kLeastWord = 4;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

template <size_t N>
bool Among(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// Last words of names that describe a secret instead of having one, such as TOKEN_COUNT.
constexpr std::string_view kDescribing[] = {
    "name",       "names",    "id",        "ids",        "type",      "types",    "count",
    "counts",     "file",     "files",     "path",       "dir",       "url",      "uri",
    "endpoint",   "length",   "len",       "size",       "limit",     "max",      "min",
    "ttl",        "expiry",   "expires",   "expiration", "policy",    "ref",      "refs",
    "version",    "index",    "usage",     "manager",    "algorithm", "alg",      "field",
    "label",      "provider", "class",     "format",     "prefix",    "suffix",   "regex",
    "pattern",    "number",   "num",       "budget",     "rotation",  "required", "enabled",
    "reset",      "date",     "time",      "at",         "in",        "age",      "scope",
    "scopes",     "kind",     "used",      "total",      "handler",   "service",  "request",
    "response",   "error",    "validator", "generator",  "parser",    "map",      "list",
    "set",        "sets",     "mount",     "volume",     "store",     "hint",     "status",
    "per",        "left",     "window",    "rate",       "selector",  "template", "projection",
    "projections"};
// A word before "token" that makes the name harmless, such as next_token.
constexpr std::string_view kPublic[] = {
    "public",       "pub",   "primary", "foreign", "sort",  "cache",  "partition", "next",
    "page",         "max",   "num",     "min",     "total", "prompt", "input",     "output",
    "continuation", "known", "host",    "bos",     "eos",   "pad",    "unk"};
constexpr std::string_view kKeyOwners[] = {
    "api",      "access",  "auth",    "private",    "secret",  "encryption",
    "encrypt",  "signing", "sign",    "app",        "master",  "session",
    "client",   "service", "account", "storage",    "shared",  "preshared",
    "deploy",   "jwt",     "hmac",    "webhook",    "license", "subscription",
    "consumer", "root",    "admin",   "decryption", "cipher",  "aes"};
constexpr std::string_view kStrong[] = {"password", "passwd", "passphrase", "pwd", "passcode",
                                        "pass",     "pw",     "passwort",   "cvv", "otp"};
constexpr std::string_view kOrdinary[] = {
    "string",   "str",      "none",      "null",   "nil",     "true",    "false",
    "required", "optional", "undefined", "bool",   "boolean", "int",     "integer",
    "text",     "varchar",  "bytes",     "any",    "object",  "secret",  "password",
    "token",    "redacted", "example",   "hidden", "masked",  "default", "empty",
    "unset",    "number",   "the",       "and",    "not"};

// "jwtSecret_KEY2" → jwt, secret, key. "PGPASSWORD" stays one word.
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words;
  bool apart = true;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!IsLetter(c)) {
      apart = true;
      continue;
    }
    const bool hump = i > 0 && IsUpper(c) &&
                      (!IsUpper(name[i - 1]) ||
                       (i + 1 < name.size() && IsLetter(name[i + 1]) && !IsUpper(name[i + 1])));
    if (apart || hump) words.emplace_back();
    apart = false;
    words.back() += static_cast<char>(IsUpper(c) ? c + 32 : c);
  }
  return words;
}

SecretLikelihood LikelihoodOfWord(const std::string& word, const std::string& before) {
  const auto holds = [&](std::string_view part) { return word.find(part) != std::string::npos; };
  if (Among(word, kStrong) || holds("password") || holds("passwd") || holds("passphrase"))
    return SecretLikelihood::kStrong;
  if (holds("secret") || holds("credential") || holds("apikey") || holds("privatekey") ||
      holds("accesskey"))
    return SecretLikelihood::kWeak;
  const bool token = word == "token" || word.ends_with("token"), key = word == "key";
  if (token && !Among(before, kPublic)) return SecretLikelihood::kWeak;
  if (key && Among(before, kKeyOwners)) return SecretLikelihood::kWeak;
  return word == "cookie" || word == "authorization" || word == "auth" || word == "sessionid"
             ? SecretLikelihood::kWeak
             : SecretLikelihood::kNone;
}

// True for the placeholder of a value: a variable, a call, a mask, a type.
bool IsPlaceholder(std::string_view value) {
  if (value.starts_with("[REDACTED") || value.starts_with("[not stored")) return true;
  if (std::string_view("$<{[(%@&*#").find(value[0]) != std::string_view::npos &&
      !value.starts_with("$2"))
    return true;
  if (value.find_first_of("(){}<>") != std::string_view::npos) return true;
  if (value.find("::") != std::string_view::npos || value.find("->") != std::string_view::npos)
    return true;
  return std::all_of(value.begin(), value.end(), [&](char c) { return c == value[0]; });
}

bool IsPathOrAddress(std::string_view value) {
  if (value.starts_with('/') || value.starts_with("./") || value.starts_with("../") ||
      value.starts_with("~/"))
    return true;
  return value.find("://") != std::string_view::npos;
}

// True for code such as config.password or process.env.API_KEY.
bool IsDotted(std::string_view value) {
  if (value.find('.') == std::string_view::npos) return false;
  return std::all_of(value.begin(), value.end(),
                     [](char c) { return IsLetter(c) || c == '_' || c == '.'; });
}

// True for alternatives such as sk_test|sk_live, none of which looks like a secret.
bool IsAlternation(std::string_view value) {
  if (value.find('|') == std::string_view::npos) return false;
  while (!value.empty()) {
    const std::string_view part = value.substr(0, value.find('|'));
    if (part.size() >= kLeastRandom && LooksRandom(part)) return false;
    const bool name = std::all_of(part.begin(), part.end(), [](char c) {
      return IsLetter(c) || IsDigit(c) || c == '_' || c == '-';
    });
    if (!name || part.size() < 3) return false;
    value.remove_prefix(std::min(part.size() + 1, value.size()));
  }
  return true;
}

// True for a name below a domain, such as kubernetes.io/service-account-token.
bool IsQualifiedName(std::string_view value) {
  const size_t slash = value.find('/');
  if (slash == std::string_view::npos || value.substr(0, slash).find('.') == std::string_view::npos)
    return false;
  return std::all_of(value.begin(), value.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || c == '.' || c == '/' || c == '-';
  });
}

// True for the next name of a command or a text: password=token=
bool IsNextName(std::string_view value) {
  return value.ends_with('=') && std::none_of(value.begin(), value.end(), IsDigit) &&
         LikelihoodOf(value) != SecretLikelihood::kNone;
}

bool IsWordForPassword(std::string_view value, Notation notation) {
  bool digit = false, mark = false, letter = false, blank = false;
  size_t hyphens = 0;
  for (const char c : value) {
    digit |= IsDigit(c);
    letter |= IsLetter(c);
    blank |= c == ' ';
    hyphens += c == '-';
    mark |= std::string_view("!@#%^&*+=?~$/").find(c) != std::string_view::npos;
  }
  if (blank) return false;
  if (digit && (letter || mark)) return true;
  if (digit) return value.size() >= (notation == Notation::kLoose ? 6 : kLeastWord);
  if (letter && mark) return true;
  if (LikelihoodOf(value) != SecretLikelihood::kNone) return false;
  return hyphens >= 2 || (notation == Notation::kQuoted && value.size() >= 6 &&
                          value.find('_') == std::string_view::npos);
}

}  // namespace

SecretLikelihood LikelihoodOf(std::string_view name) {
  const std::vector<std::string> words = WordsOf(name);
  if (words.empty() || (words.size() > 1 && Among(words.back(), kDescribing)))
    return SecretLikelihood::kNone;
  SecretLikelihood most = SecretLikelihood::kNone;
  for (size_t i = 0; i < words.size(); ++i) {
    most = std::max(most, LikelihoodOfWord(words[i], i > 0 ? words[i - 1] : std::string()));
  }
  return most;
}

double EntropyOf(std::string_view text) {
  std::array<int, 256> counts{};
  for (const char c : text) ++counts[static_cast<unsigned char>(c)];
  double entropy = 0;
  const auto length = static_cast<double>(text.size());
  for (const int count : counts) {
    if (count > 0) entropy -= count / length * std::log2(count / length);
  }
  return entropy;
}

bool LooksRandom(std::string_view text) {
  size_t digits = 0, letters = 0;
  for (const char c : text) {
    digits += IsDigit(c);
    letters += IsLetter(c);
  }
  if (digits == 0 || letters == 0) return false;
  if (text.size() - digits - letters > text.size() / 4) return false;  // a path, an expression
  return EntropyOf(text) >= kLeastBits;
}

bool IsSecretValue(SecretLikelihood likelihood, std::string_view value, Notation notation) {
  if (likelihood == SecretLikelihood::kNone || value.size() < kLeastWord) return false;
  if (IsPlaceholder(value) || IsPathOrAddress(value) || IsDotted(value) || IsQualifiedName(value) ||
      IsNextName(value))
    return false;
  if (likelihood == SecretLikelihood::kWeak && IsAlternation(value)) return false;
  std::string lower(value);
  for (char& c : lower) c = static_cast<char>(IsUpper(c) ? c + 32 : c);
  if (Among(lower, kOrdinary)) return false;
  if (value.size() >= kLeastRandom && LooksRandom(value)) return true;
  return likelihood == SecretLikelihood::kStrong && IsWordForPassword(value, notation);
}

}  // namespace redaction
