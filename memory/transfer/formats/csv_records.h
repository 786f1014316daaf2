// Streams an import of comma-separated values (RFC 4180).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/http/message/message.h"
#include "memory/transfer/rows/foreign_rows.h"
#include "memory/transfer/rows/importer.h"

namespace memory {

// Splits a text that arrives in pieces into records (RFC 4180). Lines may also end in LF or CR
// alone; a quote where RFC 4180 has none is text; a byte order mark and empty lines are ignored.
// Memory is bounded by the largest record.
class CsvReader {
 public:
  using OnRecord = std::function<base::Status(const std::vector<std::string>& fields, size_t line)>;
  explicit CsvReader(OnRecord on_record, char separator = ',')
      : on_record_(std::move(on_record)), separator_(separator) {}

  // kInvalid: more than 1,000 fields; kTooLarge: a record over kMaxElementBytes; each with its
  // line. Errors of the callback end the reading.
  base::Status Push(std::string_view piece);
  base::Status Finish();                           // takes a last field whose quote does not end
  size_t open_line() const { return open_line_; }  // of such a record; 0: there is none

 private:
  enum class State { kStart, kPlain, kQuoted, kQuoteInQuoted, kReturn };
  base::Status Take(char c);
  base::Status AfterField(char c);
  base::Status EndRecord();

  OnRecord on_record_;
  const char separator_;
  State state_ = State::kStart;
  std::vector<std::string> fields_;
  std::string field_;
  bool quoted_ = false;  // a field of this record was
  size_t line_ = 1, record_line_ = 1, record_bytes_ = 0, open_line_ = 0;
};

// The separator of a table: a first line `sep=;` names it, else it is the most frequent of comma,
// semicolon, tab and | in the first line outside of quotes.
char SeparatorOf(std::string_view beginning);

// Whether the body is a table: its first line has a field `content`.
bool StartsAsCsv(std::string_view beginning);

// The first record names the columns; `content` must be among them. A record without a type becomes
// an episodic trace of the user with its other columns as metadata. Reports a record whose number
// of fields differs. `beginning`: of the same body.
base::Status ReadCsv(http::BodyReader& body, std::string_view beginning,
                     const ForeignDefaults& defaults, Importer& importer);

}  // namespace memory
