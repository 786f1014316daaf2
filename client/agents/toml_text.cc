// Follows https://toml.io/en/v1.0.0 as far as names and ends of values go.
#include "client/agents/toml_text.h"

#include <algorithm>

namespace client {
namespace {

using base::Result;
using base::Status;

constexpr int kDepth = 64;  // of arrays and inline tables

class TomlScanner {
 public:
  explicit TomlScanner(const std::string& text) : text_(text) {
    if (text.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  Result<std::vector<TomlKey>> Scan() {
    std::vector<std::string> header;
    for (SkipToStatement(); at_ < text_.size(); SkipToStatement()) {
      if (text_[at_] == '[') {
        const bool list = text_.compare(at_, 2, "[[") == 0;
        at_ += list ? 2 : 1;
        ASSIGN_OR_RETURN(header, Path());
        if (text_.compare(at_, list ? 2 : 1, list ? "]]" : "]") != 0)
          return Wrong("a header without its end");
        at_ += list ? 2 : 1;
        keys_.push_back({header, at_, at_, list});
      } else {
        RETURN_IF_ERROR(Assignment(header, 0));
      }
      SkipBlanks();
      if (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r' && text_[at_] != '#')
        return Wrong("something after a value");
    }
    return std::move(keys_);
  }

 private:
  base::Error Wrong(const std::string& what) const {
    const auto here = text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size()));
    return {base::Code::kInvalid,
            "line " + std::to_string(1 + std::count(text_.begin(), here, '\n')) + ": " + what};
  }
  void SkipBlanks() { at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size()); }
  // Also over comments and line ends.
  void SkipToStatement() {
    for (;;) {
      at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
      if (at_ == text_.size() || text_[at_] != '#') return;
      at_ = std::min(text_.find('\n', at_), text_.size());
    }
  }

  Result<std::vector<std::string>> Path() {
    std::vector<std::string> path;
    for (;;) {
      SkipBlanks();
      const size_t begin = at_;
      if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
        RETURN_IF_ERROR(String());
        path.push_back(text_.substr(begin + 1, at_ - begin - 2));
      } else {
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_' ||
                text_[at_] == '-' || static_cast<unsigned char>(text_[at_]) >= 0x80))
          ++at_;
        if (at_ == begin) return Wrong("a key is expected");
        path.push_back(text_.substr(begin, at_ - begin));
      }
      SkipBlanks();
      if (at_ >= text_.size() || text_[at_] != '.') return path;
      ++at_;
    }
  }

  Status Assignment(const std::vector<std::string>& header, int depth) {
    ASSIGN_OR_RETURN(std::vector<std::string> path, Path());
    if (at_ >= text_.size() || text_[at_] != '=') return Wrong("'=' is expected after a key");
    ++at_;
    SkipBlanks();
    path.insert(path.begin(), header.begin(), header.end());
    const size_t known = keys_.size(), begin = at_;
    keys_.push_back({path, begin, begin, false});
    RETURN_IF_ERROR(Value(path, depth));
    keys_[known].value_end = at_;
    return {};
  }

  Status Value(const std::vector<std::string>& path, int depth) {
    if (depth > kDepth) return Wrong("more than 64 levels");
    if (at_ >= text_.size()) return Wrong("a value is expected");
    if (text_[at_] == '"' || text_[at_] == '\'') return String();
    if (text_[at_] != '[' && text_[at_] != '{') {
      const size_t begin = at_;
      at_ = std::min(text_.find_first_of(",]}#\r\n", at_), text_.size());
      while (at_ > begin && (text_[at_ - 1] == ' ' || text_[at_ - 1] == '\t')) --at_;
      return at_ > begin ? Status() : Status(Wrong("a value is expected"));
    }
    const bool table = text_[at_] == '{';
    const char close = table ? '}' : ']';
    for (++at_, SkipToStatement(); at_ < text_.size() && text_[at_] != close; SkipToStatement()) {
      RETURN_IF_ERROR(table ? Assignment(path, depth + 1) : Value(path, depth + 1));
      SkipToStatement();
      if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
      } else if (at_ < text_.size() && text_[at_] != close) {
        return Wrong("',' is expected");
      }
    }
    if (at_ >= text_.size()) return Wrong(std::string("'") + close + "' is missing");
    ++at_;
    return {};
  }

  Status String() {
    const char quote = text_[at_];
    const std::string three(3, quote);
    const bool lines = text_.compare(at_, 3, three) == 0;
    for (at_ += lines ? 3 : 1; at_ < text_.size(); ++at_) {
      if (quote == '"' && text_[at_] == '\\') {
        ++at_;
      } else if (!lines && text_[at_] == '\n') {
        break;
      } else if (lines ? text_.compare(at_, 3, three) == 0 : text_[at_] == quote) {
        at_ += lines ? 3 : 1;
        while (lines && at_ < text_.size() && text_[at_] == quote)
          ++at_;  // up to two before the end
        return {};
      }
    }
    return Wrong("a string without its end");
  }

  const std::string& text_;
  size_t at_ = 0;
  std::vector<TomlKey> keys_;
};

}  // namespace

Result<std::vector<TomlKey>> KeysOf(const std::string& toml) { return TomlScanner(toml).Scan(); }

}  // namespace client
