// The reader of tables, case by case after RFC 4180.
#include "memory/transfer/formats/csv_records.h"

#include <gtest/gtest.h>

#include "memory/api/json_elements.h"

namespace memory {
namespace {

using Records = std::vector<std::vector<std::string>>;

// The records, or what is wrong; fed in pieces of `piece` bytes.
base::Result<Records> Read(std::string_view text, size_t piece) {
  Records records;
  CsvReader reader([&](const std::vector<std::string>& fields, size_t) -> base::Status {
    records.push_back(fields);
    return {};
  });
  for (size_t at = 0; at < text.size(); at += piece)
    RETURN_IF_ERROR(reader.Push(text.substr(at, piece)));
  RETURN_IF_ERROR(reader.Finish());
  return records;
}

TEST(CsvReader, Rfc4180RecordsAreParsed) {
  const std::pair<const char*, Records> cases[] = {
      {"a,b\r\nc,d\r\n", {{"a", "b"}, {"c", "d"}}},
      {"a,b\nc,d", {{"a", "b"}, {"c", "d"}}},
      {"\"a,\"\"b\"\"\r\nc\",d\r\n", {{"a,\"b\"\r\nc", "d"}}},
      {",\n", {{"", ""}}},
      {"\"\"\n", {{""}}},
      {"a\n\n\r\nb\n", {{"a"}, {"b"}}},
      {"a,", {{"a", ""}}},
      {" a , b \n", {{" a ", " b "}}},
      {"\xEF\xBB\xBF"
       "a,b\n",
       {{"a", "b"}}},
      {"\xEF\xBB\xBF\"a\",b\n", {{"a", "b"}}},
      {"", {}},
  };
  for (const auto& [text, wanted] : cases) {
    for (size_t piece : {1, 2, 1000}) {
      auto records = Read(text, piece);
      ASSERT_TRUE(records) << text << ": " << records.error().message;
      EXPECT_EQ(*records, wanted) << text;
    }
  }
}

TEST(CsvReader, NonstandardQuotesAndLineEndsAreParsed) {
  const std::pair<const char*, Records> cases[] = {
      {"a\nb\"c\n", {{"a"}, {"b\"c"}}},
      {"5\" pipe,x\n", {{"5\" pipe", "x"}}},
      {"a\n\"b\"c\",d\n", {{"a"}, {"b\"c\"", "d"}}},
      {"\"say \"hi\" to\",d\ne\n", {{"say \"hi\" to\"", "d"}, {"e"}}},
      {"a\n\"b\n\nc", {{"a"}, {"b\n\nc"}}},
      {"a\rb\r", {{"a"}, {"b"}}},
      {"a,b\r\r\nc\r", {{"a", "b"}, {"c"}}},
      {"a\"", {{"a\""}}},
      {"\"", {{""}}},
  };
  for (const auto& [text, wanted] : cases) {
    for (size_t piece : {1, 2, 1000}) {
      auto records = Read(text, piece);
      ASSERT_TRUE(records) << text << ": " << records.error().message;
      EXPECT_EQ(*records, wanted) << text;
    }
  }
}

TEST(CsvReader, RecordsReportTheirFirstLine) {
  std::vector<size_t> lines;
  CsvReader reader([&](const std::vector<std::string>&, size_t line) -> base::Status {
    lines.push_back(line);
    return {};
  });
  ASSERT_TRUE(reader.Push("a\n\"b\n\nc\"\nd\n") && reader.Finish());
  EXPECT_EQ(lines, (std::vector<size_t>{1, 2, 5}));
}

TEST(CsvReader, TooLongRecordIsRefused) {
  CsvReader reader([](const std::vector<std::string>&, size_t) { return base::Status(); });
  const std::string part(1 << 20, 'x');
  base::Status pushed = reader.Push("\"");
  for (size_t i = 0; pushed && i <= kMaxElementBytes / part.size(); ++i) pushed = reader.Push(part);
  ASSERT_FALSE(pushed);
  EXPECT_EQ(pushed.error().code, base::Code::kTooLarge);
}

}  // namespace
}  // namespace memory
