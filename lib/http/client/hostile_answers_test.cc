// Servers that never end an answer: the client stops early and keeps little of it.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "lib/http/client/answer_reader.h"
#include "lib/http/client/client.h"
#include "lib/testing/eventually.h"
#include "lib/testing/http_script.h"
#include "lib/testing/streams.h"

namespace http {
namespace {

using testing::HttpScript;

constexpr size_t kMostBody = 1 << 20;
// The body's limit, twice while it grows, and slack. Sanitizers keep memory that was freed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int64_t kMostGrowthKib = 64 << 10;
#else
constexpr int64_t kMostGrowthKib = 6 << 10;
#endif

struct Form {
  const char* name;
  std::string begin, piece;  // `piece` follows without end
  bool of_stream = true;     // a stream refuses it as well; else a stream may be endless
  bool slow = false;         // little body in many bytes: the deadline ends it
};

std::vector<Form> EndlessForms() {
  const std::string ok = "HTTP/1.1 200 OK\r\n", chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string many(1 << 10, 'a');
  return {
      {"no line at all", "", many},
      {"zero bytes", "", std::string(64, '\0')},
      {"line feeds", "", "\n"},
      {"empty lines", "", "\r\n"},
      {"the reason of the status line", "HTTP/1.1 200 ", many},
      {"the status", "HTTP/1.1 2", "0"},
      {"a header's name", ok, many},
      {"a header's value", ok + "X: ", many},
      {"a header's value of blanks", ok + "X:", " "},
      {"many headers", ok, "A: b\r\n"},
      {"many long headers", ok, "X-" + many + ": " + many + "\r\n"},
      {"folded lines", ok + "X: a\r\n", " b\r\n"},
      {"interim answers", "", "HTTP/1.1 100 Continue\r\n\r\n"},
      {"interim answers with headers", "", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"},
      {"an interim answer's header", "HTTP/1.1 102 Processing\r\nX: ", many},
      {"a chunk's extension", chunked + "5;", many},
      {"a chunk's size", chunked, "0"},
      {"a chunk's size of digits", chunked, "f"},
      {"trailers", chunked + "5\r\nhello\r\n0\r\n", "A: b\r\n"},
      {"one trailer", chunked + "0\r\nA: ", many},
      {"one chunk of 2 GiB", chunked + "7fffffff\r\n", many, false},
      {"chunks", chunked, "5\r\nhello\r\n", false},
      {"chunks with extensions", chunked, "1;" + many + "\r\nx\r\n", false, true},
      {"a body with a length", ok + "Content-Length: 99999999999\r\n\r\n", many, false},
      {"a body without a length", ok + "\r\n", many, false},
      {"a body of HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\n", many, false},
      {"a body of an error", "HTTP/1.1 500 No\r\n\r\n", many, false},
  };
}

int64_t StatusKib(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name)) return std::stoll(line.substr(name.size() + 1));
  return 0;
}

// The largest growth of the process since the beginning.
class Growth {
 public:
  Growth() {
    std::ofstream("/proc/self/clear_refs") << "5";  // VmHWM becomes VmRSS
    before_kib_ = StatusKib("VmRSS");
  }
  int64_t Kib() const { return StatusKib("VmHWM") - before_kib_; }

 private:
  int64_t before_kib_ = 0;
};

std::unique_ptr<Client> LimitedClientOf(int port) {
  ClientOptions options;
  options.base_url = "http://127.0.0.1:" + std::to_string(port);
  options.max_response_bytes = kMostBody;
  return std::move(*MakeClient(options));
}

ClientRequest AskHostile() {
  ClientRequest request;
  request.target = "/a";
  return request;
}

void ExpectRefused(const Form& form, const base::Error& error) {
  const bool ended =
      form.slow ? error.code == base::Code::kTimeout
                : error.code == base::Code::kTooLarge || error.code == base::Code::kUnavailable;
  EXPECT_TRUE(ended) << form.name << ": " << error.message;
  EXPECT_NE(error.message.find("answer"), std::string::npos) << form.name << ": " << error.message;
}

TEST(HostileAnswers, EndlessAnswerEndsCallWithLittleMemory) {
  for (const Form& form : EndlessForms()) {
    HttpScript script;
    script.Add({form.begin, HttpScript::kFlood, form.piece});
    const auto client = LimitedClientOf(script.port());
    const Growth growth;
    ClientRequest request = AskHostile();
    if (form.slow) request.timeout_ms = 200;
    const auto answer = client->Send(request);
    ASSERT_FALSE(answer) << form.name;
    ExpectRefused(form, answer.error());
    EXPECT_LT(growth.Kib(), kMostGrowthKib) << form.name;
    EXPECT_EQ(script.requests(), 1) << form.name << ": it came again";
  }
}

TEST(HostileAnswers, EndlessAnswerEndsStreamWithLittleMemory) {
  for (const Form& form : EndlessForms()) {
    if (!form.of_stream) continue;
    HttpScript script;
    script.Add({form.begin, HttpScript::kFlood, form.piece});
    const auto client = LimitedClientOf(script.port());
    const Growth growth;
    const auto end = testing::ReadToEnd(
        *client, AskHostile(), {}, [](const Response&) { return true; },
        [](std::string_view) { return true; });
    ASSERT_FALSE(end) << form.name;
    ExpectRefused(form, end.error());
    EXPECT_LT(growth.Kib(), kMostGrowthKib) << form.name;
  }
}

TEST(HostileAnswers, DrippingHeadEndsAtDeadline) {
  for (const std::string begin :
       {"", "HTTP/1.1 200 ", "HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;"}) {
    HttpScript script;
    script.Add({begin, HttpScript::kDrip, ""});
    ClientRequest request = AskHostile();
    request.timeout_ms = 100;
    const auto answer = LimitedClientOf(script.port())->Send(request);
    ASSERT_FALSE(answer) << begin;
    EXPECT_EQ(answer.error().code, base::Code::kTimeout) << begin;
  }
}

// A reader that consumes `wire` in pieces of `size` bytes.
std::string Outcome(const std::string& wire, size_t size, bool to_head = false) {
  AnswerReader reader(to_head, kMostBody);
  std::string outcome;
  for (size_t at = 0; at < wire.size(); at += size) {
    const auto step = reader.Consume(std::string_view(wire).substr(at, size));
    if (step.head) outcome += std::to_string(step.head->status) + " ";
    outcome += step.body;
    if (step.fault) return outcome + "(" + std::string(base::CodeName(step.fault->code)) + ")";
    if (step.done) return outcome + (reader.reusable() ? "." : "!");
  }
  const auto step = reader.End();
  return outcome + (step.done ? "!" : step.fault ? "(cut)" : "?");
}

TEST(AnswerReader, AnswerIsIndependentOfPieces) {
  const std::string ok = "HTTP/1.1 200 OK\r\n", length = "Content-Length: 2\r\n";
  const std::string chunks = "1\r\na\r\n1;x=y\r\nb\r\n0\r\nT: t\r\n\r\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {ok + length + "\r\nab", "200 ab."},
      {"HTTP/1.1 200\r\n" + length + "\r\nab", "200 ab."},
      {ok + "content-length:2\r\nConnection: close\r\n\r\nab", "200 ab!"},
      {ok + "Transfer-Encoding: Chunked\r\n\r\n" + chunks, "200 ab."},
      {ok + "Transfer-Encoding: chunked\r\n" + length + "\r\n" + chunks, "200 ab!"},
      {ok + length + length + "\r\nab", "200 ab."},
      {"HTTP/1.0 200 OK\r\n" + length + "\r\nab", "200 ab!"},
      {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + length + "\r\nab", "200 ab."},
      {ok + "\r\nab", "200 ab!"},
      {"HTTP/1.1 204 No\r\n\r\n", "204 ."},
      {"HTTP/1.1 304 No\r\n" + length + "\r\n", "304 ."},
      {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nA: b\r\n\r\n" + ok + length + "\r\nab",
       "200 ab."},
      {ok + length + "\r\na", "200 a(cut)"},
      {ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n", "200 a(cut)"},
      {ok + "X: y\r\n", "(cut)"},
      {"HTTP/1.1 100 Continue\r\n\r\n", "(cut)"},
  };
  for (const auto& [wire, outcome] : cases)
    for (const size_t size : {size_t{1}, size_t{3}, wire.size()})
      EXPECT_EQ(Outcome(wire, size), outcome) << size << " of " << wire;
  EXPECT_EQ(Outcome(ok + length + "\r\n", 5, true), "200 .") << "to HEAD";
}

TEST(AnswerReader, RefusesInvalidAnswers) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  for (const std::string& wire : std::vector<std::string>{
           "garbage\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/2 200 OK\r\n\r\n",
           "HTTP/1.1 20\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 099 No\r\n\r\n",
           "HTTP/1.1 101 Switch\r\n\r\n", ok + "no colon\r\n\r\n", ok + " folded: a\r\n\r\n",
           ok + "A : b\r\n\r\n", ok + "A: b\rc\r\n\r\n", ok + "A: b\nC: d\r\n\r\n",
           ok + std::string("A: \0\r\n\r\n", 8), ok + "Content-Length: -1\r\n\r\n",
           ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
           ok + "Content-Length: 1x\r\n\r\na", ok + "Transfer-Encoding: gzip\r\n\r\n",
           ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
           ok + "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n"})
    for (const size_t size : {size_t{1}, wire.size()})
      EXPECT_TRUE(Outcome(wire, size).ends_with("(unavailable)")) << size << " of " << wire;
}

TEST(AnswerReader, AcceptsHeadUpToItsLimit) {
  const std::string begin = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: ";
  const std::string fits = begin + std::string(kMaxAnswerHeadBytes - begin.size() - 4, 'a');
  EXPECT_EQ(Outcome(fits + "\r\n\r\n", 1000), "200 .");
  EXPECT_EQ(Outcome(fits + "a\r\n\r\n", 1000), "(unavailable)");
  std::string fields = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n";
  for (size_t i = 1; i < kMaxAnswerFields; ++i) fields += "A: b\r\n";
  EXPECT_EQ(Outcome(fields + "\r\n", 1000), "200 .");
  EXPECT_EQ(Outcome(fields + "A: b\r\n\r\n", 1000), "(unavailable)");
}

}  // namespace
}  // namespace http
