// Mends JSON that agents build from tool output: a byte filter in front of the strict parser, which
// remains the only parser (ADR 47). Text that is not JSON passes, and the parser refuses it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/json/mend_text.h"

namespace base {

// The changes to a text. U+FFFD marks each place where text was replaced or left out.
struct JsonMends : DuplicateKeys {
  bool characters = false;  // NUL, lone surrogates, invalid UTF-8: became U+FFFD
  bool cut = false;         // long strings keep head and tail, long containers their beginning
  bool levels = false;      // values below the depth limit became the text of their JSON
  bool numbers = false;     // out of range, NaN, Infinity: became their text
};

// Bounded: holds little more than `max_bytes` of any input. Valid JSON that is shorter, with
// strings that fit StringRoom, passes unchanged. Linear time.
class JsonMender {
 public:
  explicit JsonMender(size_t max_bytes, size_t max_depth = JsonLimits().max_depth);

  void Feed(std::string_view bytes);
  std::string Finish();  // the mended text; call once
  const JsonMends& mends() const { return mends_; }
  size_t bytes() const { return out_.size(); }  // of the output so far

 private:
  enum class Mode { kPlain, kText, kSkip };
  size_t ReadOutside(char c);
  size_t ReadNested(char c);
  size_t ReadInString(std::string_view rest);
  size_t ReadEscape(char c);
  size_t ReadUtf8(char c);
  void ReadCodeUnit();
  void AddUnit(std::string_view unit);  // of a string; whole characters only
  void WriteUnit(std::string_view unit);
  void Replace();
  void Put(char c);
  void Open(char bracket);
  void Close(char bracket);
  void EndToken();
  void BeginString();
  void EndString();
  bool IsFull() const;
  void BeginSkip();

  const size_t max_bytes_, max_depth_;
  std::string out_;
  JsonMends mends_;
  Mode mode_ = Mode::kPlain;
  size_t level_ = 0;  // depth of brackets inside kText or kSkip
  struct Container {
    char bracket;
    size_t values;
  };
  std::vector<Container> open_;
  size_t values_ = 0;
  bool in_string_ = false;
  CutString string_;                  // the string being written
  std::string escape_, high_, utf8_;  // incomplete input; high_: a high surrogate
  size_t token_ = std::string::npos;  // offset of a number or word in out_
  bool token_cut_ = false;
};

struct MendedJson {
  Json value;
  JsonMends mends;
};

// Parses strictly; a refused text is mended and parsed again. kInvalid: not JSON; kUnavailable,
// kTooLarge: like ParseJson.
Result<MendedJson> ReadMendedJson(std::string_view text, size_t max_bytes);
Result<MendedJson> ReadMendedJson(JsonMender& fed);  // the text that `fed` was fed with

}  // namespace base
