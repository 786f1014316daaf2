// A state machine over characters, and the records as rows.
#include "memory/transfer/formats/csv_records.h"

#include <algorithm>
#include <map>

#include "lib/base/text/text.h"
#include "memory/api/json_elements.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr size_t kMaxColumns = 1000;
constexpr std::string_view kAnyCase[] = {"content", "title", "type",     "tags",
                                         "project", "scope", "topic_key"};
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// What the columns are called, without case for the ones that we know; a second one of a name has
// its number.
Result<std::vector<std::string>> ColumnsOf(const std::vector<std::string>& header) {
  std::vector<std::string> columns;
  std::map<std::string, size_t> seen;
  for (const std::string& name : header) {
    std::string column(base::Trim(name));
    column = base::ToUtf8(column);
    if (column.empty()) column = "field " + std::to_string(columns.size() + 1);
    const std::string lower = base::FoldCase(column);
    if (base::IsOneOf(lower, kAnyCase)) column = lower;
    const size_t times = ++seen[column];
    columns.push_back(times == 1 ? column : column + " (" + std::to_string(times) + ")");
  }
  constexpr std::string_view kContents[] = {"content", "text",
                                            "memory"};  // as RowOfFields takes them
  if (std::none_of(columns.begin(), columns.end(),
                   [&](const std::string& column) { return base::IsOneOf(column, kContents); }))
    return Error{Code::kInvalid,
                 "line 1: the first line must name the columns, one of them content"};
  return columns;
}

// A record with more or fewer fields than columns keeps its texts: further ones are fields of their
// own.
Json RowOf(const std::vector<std::string>& columns, const std::vector<std::string>& fields,
           std::string& problem) {
  if (fields.size() != columns.size()) {
    problem = "it has " + std::to_string(fields.size()) + " fields, there are " +
              std::to_string(columns.size()) + " columns";
  }
  Json row = Json::object();
  for (size_t i = 0; i < fields.size(); ++i) {
    const std::string name = i < columns.size() ? columns[i] : "field " + std::to_string(i + 1);
    row[name] = base::ToUtf8(fields[i]);
  }
  return row;
}

}  // namespace

Status CsvReader::Push(std::string_view piece) {
  for (const char c : piece) {
    if (++record_bytes_ > kMaxElementBytes) {
      return Error{Code::kTooLarge, "line " + std::to_string(record_line_) +
                                        ": one record is over " + std::to_string(kMaxElementBytes) +
                                        " bytes"};
    }
    RETURN_IF_ERROR(Take(c));
    if (c == '\n') ++line_;
  }
  return {};
}

// Quotes where RFC 4180 has none are text, and a carriage return alone ends a line, as old files
// have it.
Status CsvReader::Take(char c) {
  if (state_ == State::kReturn) {
    RETURN_IF_ERROR(EndRecord());
    if (c == '\n') return {};
    ++line_;
    record_bytes_ = 1;
  }
  switch (state_) {
    case State::kReturn:
    case State::kStart:
      if (c == '"') {
        state_ = State::kQuoted;
        quoted_ = true;
        return {};
      }
      state_ = State::kPlain;
      [[fallthrough]];
    case State::kPlain:
      if (c == '"' && fields_.empty() && record_line_ == 1 && field_ == kByteOrderMark) {
        field_.clear();
        state_ = State::kQuoted;
        return {};
      }
      if (c == separator_ || c == '\r' || c == '\n') return AfterField(c);
      field_ += c;
      return {};
    case State::kQuoted:
      if (c == '"')
        state_ = State::kQuoteInQuoted;
      else
        field_ += c;
      return {};
    case State::kQuoteInQuoted:
      if (c == separator_ || c == '\r' || c == '\n') return AfterField(c);
      state_ = c == '"' ? State::kQuoted : State::kPlain;
      if (c != '"') field_ += '"';  // it ended nothing
      field_ += c;
      return {};
  }
  return {};
}

Status CsvReader::AfterField(char c) {
  if (fields_.size() >= kMaxColumns) {
    return Error{Code::kInvalid, "line " + std::to_string(record_line_) + ": more than " +
                                     std::to_string(kMaxColumns) + " fields"};
  }
  fields_.push_back(std::exchange(field_, std::string()));
  state_ = c == '\r' ? State::kReturn : State::kStart;
  return c == '\n' ? EndRecord() : Status();
}

Status CsvReader::EndRecord() {
  state_ = State::kStart;
  const bool blank = fields_.size() == 1 && fields_[0].empty() && !quoted_;
  if (record_line_ == 1 && !fields_.empty() && fields_[0].starts_with(kByteOrderMark))
    fields_[0].erase(0, kByteOrderMark.size());
  Status taken = blank ? Status() : on_record_(fields_, record_line_);
  fields_.clear();
  quoted_ = false;
  record_bytes_ = 0;
  record_line_ = line_ + 1;  // the line feed is counted after this
  return taken;
}

Status CsvReader::Finish() {
  open_line_ = state_ == State::kQuoted ? record_line_ : 0;
  if (open_line_ != 0) state_ = State::kPlain;
  if (state_ == State::kStart && fields_.empty()) return {};
  return state_ == State::kReturn ? EndRecord() : AfterField('\n');
}

namespace {

// The line "sep=;" that spreadsheets write before a table, with its end; "": none.
std::string_view SeparatorLine(std::string_view text) {
  const size_t mark = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::string_view line = text.substr(mark, text.find('\n', mark) - mark);
  const std::string_view bare = base::Trim(line);
  const bool is_one =
      (bare.size() == 5 || line.size() > 5) && line.starts_with("sep=") && line.size() <= 6;
  return is_one ? text.substr(0, std::min(mark + line.size() + 1, text.size()))
                : std::string_view();
}

}  // namespace

char SeparatorOf(std::string_view beginning) {
  const std::string_view named = SeparatorLine(beginning);
  if (!named.empty()) return named[named.find('=') + 1];
  constexpr std::string_view kSeparators = ",;\t|";
  size_t counts[kSeparators.size()] = {};
  bool quoted = false;
  for (const char c : beginning) {
    if (c == '"') quoted = !quoted;
    if (c == '\n' && !quoted) break;
    const size_t which = kSeparators.find(c);
    if (!quoted && which != kSeparators.npos) ++counts[which];
  }
  return kSeparators[static_cast<size_t>(std::max_element(std::begin(counts), std::end(counts)) -
                                         counts)];
}

bool StartsAsCsv(std::string_view beginning) {
  beginning.remove_prefix(SeparatorLine(beginning).size());
  std::vector<std::string> names;
  CsvReader reader(
      [&](const std::vector<std::string>& fields, size_t) -> Status {
        if (names.empty()) names = fields;
        return {};
      },
      SeparatorOf(beginning));
  if (!reader.Push(beginning.substr(0, beginning.find('\n'))) || !reader.Finish()) return false;
  // One word alone is rather a line of a text.
  const auto columns = ColumnsOf(names);
  return columns && (columns->size() > 1 || columns->front() == "content");
}

Status ReadCsv(http::BodyReader& body, std::string_view beginning, const ForeignDefaults& defaults,
               Importer& importer) {
  size_t skip = SeparatorLine(beginning).size();
  std::vector<std::string> columns;
  CsvReader reader(
      [&](const std::vector<std::string>& fields, size_t line) -> Status {
        if (columns.empty()) {
          ASSIGN_OR_RETURN(columns, ColumnsOf(fields));
          return {};
        }
        const Json where = {{"line", line + (SeparatorLine(beginning).empty() ? 0 : 1)}};
        std::string problem;
        Json row = RowOf(columns, fields, problem);
        if (!problem.empty()) importer.Tell(problem, where, true);
        return importer.TakeForeign(EpisodeOfFields(std::move(row), defaults), where);
      },
      SeparatorOf(beginning));
  for (;;) {
    ASSIGN_OR_RETURN(std::string piece, body.Read());
    if (piece.empty()) break;
    const size_t cut = std::min(skip, piece.size());
    skip -= cut;
    RETURN_IF_ERROR(reader.Push(std::string_view(piece).substr(cut)));
  }
  RETURN_IF_ERROR(reader.Finish());
  if (reader.open_line() != 0) {
    importer.Tell("a quote that begins here does not end: everything behind it is one field",
                  {{"line", reader.open_line()}}, true);
  }
  if (columns.empty())
    return Error{Code::kInvalid, "the line with the names of the columns is missing"};
  return {};
}

}  // namespace memory
