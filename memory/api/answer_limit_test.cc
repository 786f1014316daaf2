// No answer holds more than 8 MiB, whatever rows there are and however many are asked for.
#include "memory/store/answer_limit.h"

#include "lib/api/operations/example_request_fixture.h"
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

constexpr size_t kLimit = 8 << 20;

class AnswerLimit : public ApiTest {
 protected:
  static std::string Large(const std::string& word) {
    std::string text = word + " ";
    while (text.size() < 199'000) text += "\U0001F600";
    return text;
  }
  void ExpectCut(const std::string& target) {
    http::ClientRequest request;
    request.method = "GET";
    request.target = target;
    request.timeout_ms = 60'000;
    auto answer = client_->Send(request);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 200) << target;
    EXPECT_LE(answer->body.size(), kLimit) << target;
    EXPECT_GT(answer->body.size(), kLimit / 4) << target;
    EXPECT_EQ(answer->headers.Get("X-Partial"), "true") << target;
  }
};

TEST_F(AnswerLimit, ListsOfLargeRowsAreCutAndMarkedPartial) {
  for (int i = 0; i < 50; ++i) MustPost(NoteBody(Large("zeppelin" + std::to_string(i))));
  ExpectCut("/observations/recent?limit=1000");
  ExpectCut("/observations/recent?limit=1000&project=p");
  ExpectCut("/timeline?observation_id=2&before=1000&after=1000");
  ExpectCut("/search?limit=1000&syntax=fts5&q=zeppelin*");
  EXPECT_TRUE(Get("/observations/recent?limit=3").headers.Get("X-Next-Cursor"));
  EXPECT_FALSE(Get("/timeline?observation_id=2&before=1&after=1").headers.Get("X-Partial"));
}

// Each read of the table, of all rows and of as many as it gives.
TEST_F(AnswerLimit, NoReadOfTheTableAnswersMore) {
  for (int i = 0; i < 50; ++i) MustPost(NoteBody(Large("storage" + std::to_string(i))));
  api::ExampleRows rows = {{"$observation", "2"}, {"$project", "p"}, {"$word", "storage*"}};
  rows.merge(api::UsualRows());
  for (const api::Operation& row : api::Operations()) {
    if (row.method != "GET" || row.Has(api::kHosted) || row.answers.front().shape == "file")
      continue;
    std::map<std::string, std::string> most;
    for (const api::Field& field : row.parameters)
      if (field.type == api::FieldType::kWhole && !api::InPath(row, field) && !field.must &&
          field.name != "revision" && field.name != "cursor" && field.name != "generation")
        most[std::string(field.name)] = std::to_string(field.most > 0 ? field.most : 1000);
    const auto request = api::ExampleRequestOf(row, rows, most);
    http::ClientRequest asked;
    asked.target = request.target;
    asked.timeout_ms = 60'000;
    const auto answer = client_->Send(asked);
    ASSERT_TRUE(answer) << row.name << ": " << answer.error().message;
    EXPECT_TRUE(answer->status == 200 || answer->status == 404) << row.name << answer->body;
    EXPECT_LE(answer->body.size(), kLimit) << row.name;
  }
}

TEST_F(AnswerLimit, CutRevisionsAreTheNewest) {
  Json body = NoteBody("");
  body["topic_key"] = "k";
  for (int i = 0; i < 50; ++i) {
    body["content"] = Large("text" + std::to_string(i));
    MustPost(body);
  }
  ExpectCut("/observations/1/revisions");
  Json revisions = Get("/observations/1/revisions").body;
  EXPECT_EQ(revisions.back()["revision"], 50);
  EXPECT_LT(revisions.front()["revision"], revisions.back()["revision"]);
  // as_of looks at replaced texts within the same limit.
  EXPECT_EQ(Get("/search?q=text1&limit=1&as_of=0").status, 200);
}

TEST(AnswerBytes, TextCountsAtLeastItsJsonBytes) {
  for (std::string text : {std::string(100, '\x01'), std::string(100, '"'), std::string("é\n\t")})
    EXPECT_GE(JsonBytes(text) + 2, base::DumpJson(text).size());
}

}  // namespace
}  // namespace memory
