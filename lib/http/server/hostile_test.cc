// Hostile requests: the server answers or closes each, reads nothing after it, and serves the next
// good request.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <tuple>

#include "lib/base/process/clock.h"
#include "lib/http/server/server.h"
#include "lib/testing/http_server.h"
#include "lib/testing/raw_socket.h"

namespace http {
namespace {

using testing::RawSocket;
using testing::StatusOf;

struct Hostile {
  std::string name;
  std::string bytes;
  std::vector<int> statuses;  // any of these; 0: closed without an answer
  bool closes = true;
};

const std::string kHead = "POST /echo HTTP/1.1\r\nHost: t\r\n";
const std::string kBehind = "GET /behind HTTP/1.1\r\nHost: t\r\n\r\n";

std::string Chunked(const std::string& body) {
  return kHead + "Transfer-Encoding: chunked\r\n\r\n" + body;
}
std::string Field(const std::string& line) {
  return "GET /echo HTTP/1.1\r\nHost: t\r\n" + line + "\r\n\r\n";
}
std::string Target(const std::string& target) {
  return "GET " + target + " HTTP/1.1\r\nHost: t\r\n\r\n";
}

std::vector<Hostile> ChunkCases() {
  return {{"negative small chunk", Chunked("-1\r\nx\r\n0\r\n\r\n"), {400}},
          {"negative large chunk", Chunked("-80000000\r\nx\r\n0\r\n\r\n"), {400}},
          {"chunk 7fffffff", Chunked("7fffffff\r\nx"), {413}},
          {"chunk fffffffff", Chunked("fffffffff\r\nx"), {413}},
          {"chunk over 64 bits", Chunked("10000000000000001\r\nx"), {400, 413}},
          {"chunk not hex", Chunked("zz\r\nx\r\n0\r\n\r\n"), {400}},
          {"chunk with 0x", Chunked("0x5\r\nhello\r\n0\r\n\r\n"), {400}},
          {"chunk with plus", Chunked("+5\r\nhello\r\n0\r\n\r\n"), {400}},
          {"chunk without its CRLF", Chunked("5\r\nhelloX5\r\nhello\r\n0\r\n\r\n"), {400}},
          {"chunk line with bare LF",
           Chunked("5\nhello\r\n0\r\n\r\n" + std::string(8, 'x')),
           {400, 408}},
          {"chunk extension of 1 MiB",
           Chunked("5;a=" + std::string(1 << 20, 'b') + "\r\nhello\r\n0\r\n\r\n"),
           {400}},
          {"trailer of 1 MiB", Chunked("0\r\nA: " + std::string(1 << 20, 'b') + "\r\n\r\n"), {400}},
          {"endless small chunks",
           Chunked([] {
             std::string body;
             for (int i = 0; i < 2000; ++i) body += "1\r\nx\r\n";
             return body;
           }()),
           {413}}};
}

std::vector<Hostile> FramingCases() {
  const std::string te = "Transfer-Encoding: chunked\r\n";
  const std::string chunks = "\r\n5\r\nhello\r\n0\r\n\r\n";
  return {
      {"length negative", kHead + "Content-Length: -5\r\n\r\nhello", {400}},
      {"length over 64 bits", kHead + "Content-Length: 18446744073709551617\r\n\r\nhello", {413}},
      {"length twice equal", kHead + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", {400}},
      {"length twice different",
       kHead + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
       {400}},
      {"length with plus", kHead + "Content-Length: +5\r\n\r\nhello", {400}},
      {"length list", kHead + "Content-Length: 5,5\r\n\r\nhello", {400}},
      {"length hex", kHead + "Content-Length: 0x5\r\n\r\nhello", {400}},
      {"length empty", kHead + "Content-Length:\r\n\r\nhello", {400}},
      {"length of 1 GiB", kHead + "Content-Length: 1073741824\r\n\r\nhello", {413}},
      {"length and coding", kHead + "Content-Length: 5\r\n" + te + chunks, {400}},
      {"coding and length", kHead + te + "Content-Length: 5\r\n" + chunks, {400}},
      {"xchunked", kHead + "Transfer-Encoding: xchunked\r\n" + chunks, {400, 501}},
      {"chunked, identity",
       kHead + "Transfer-Encoding: chunked, identity\r\n" + chunks,
       {400, 501}},
      {"gzip, chunked", kHead + "Transfer-Encoding: gzip, chunked\r\n" + chunks, {400, 501}},
      {"coding twice", kHead + te + te + chunks, {400}},
      {"coding empty", kHead + "Transfer-Encoding:\r\n" + chunks, {400, 501}},
      {"coding in HTTP/1.0", "POST /echo HTTP/1.0\r\nHost: t\r\n" + te + chunks, {400}},
      {"compressed body",
       kHead + "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
       {415}},
      {"unknown expectation", kHead + "Expect: 200-ok\r\nContent-Length: 5\r\n\r\nhello", {417}},
      {"a body the route does not take",
       kHead + "Content-Length: 1001\r\n\r\n" + std::string(1001, 'x'),
       {413}},
      {"a chunked one", Chunked("3e9\r\n" + std::string(1001, 'x') + "\r\n0\r\n\r\n"), {413}}};
}

std::vector<Hostile> LineCases() {
  return {{"no Host", "GET /echo HTTP/1.1\r\n\r\n", {400}},
          {"two Hosts", "GET /echo HTTP/1.1\r\nHost: t\r\nHost: t\r\n\r\n", {400}},
          {"Host with a path", "GET /echo HTTP/1.1\r\nHost: t/x\r\n\r\n", {400}},
          {"empty Host", "GET /echo HTTP/1.1\r\nHost:\r\n\r\n", {400}},
          {"version 9.9", "GET /echo HTTP/9.9\r\nHost: t\r\n\r\n", {400, 505}},
          {"version 2.0", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {400, 505}},
          {"version with a blank", "GET /echo HTTP/1.1 \r\nHost: t\r\n\r\n", {400}},
          {"no version", "GET /echo\r\n\r\n", {400}},
          {"lower-case method", "get /echo HTTP/1.1\r\nHost: t\r\n\r\n", {400, 501}},
          {"empty method", " /echo HTTP/1.1\r\nHost: t\r\n\r\n", {400}},
          {"method with a colon", "GE:T /echo HTTP/1.1\r\nHost: t\r\n\r\n", {400}},
          {"unknown method", "BREW /echo HTTP/1.1\r\nHost: t\r\n\r\n", {501}},
          {"TRACE", "TRACE /echo HTTP/1.1\r\nHost: t\r\nAuthorization: s3cret\r\n\r\n", {405, 501}},
          {"CONNECT", "CONNECT t:443 HTTP/1.1\r\nHost: t\r\n\r\n", {405, 501}},
          {"absolute form with a user", Target("http://me@t/echo"), {400}},
          {"absolute form of another scheme", Target("ftp://t/echo"), {400}},
          {"relative target", Target("echo"), {400}},
          {"target over 15 KiB", Target("/" + std::string(15 << 10, 'x')), {414}},
          {"target with bytes over 127", Target("/\xff\xfe"), {400}},
          {"target with a fragment", Target("/echo#x"), {400}},
          {"two blanks", "GET  /echo HTTP/1.1\r\nHost: t\r\n\r\n", {400}},
          {"LF only", "GET /echo HTTP/1.1\nHost: t\n\n", {400}},
          {"garbage",
           std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + "\r\n\r\n",
           {400}}};
}

std::vector<Hostile> FieldCases() {
  std::string many = "GET /echo HTTP/1.1\r\nHost: t\r\n";
  for (int i = 0; i < 65; ++i) many += "X-" + std::to_string(i) + ": 1\r\n";
  return {
      {"NUL in a value", Field(std::string("X: a") + '\0' + "b"), {400}},
      {"bare CR", Field("X: a\rb"), {400}},
      {"bare LF", Field("X: a\nb"), {400}},
      {"obs-fold", Field("X: a\r\n b"), {400}},
      {"obs-fold with a tab", Field("X: a\r\n\tb"), {400}},
      {"fold before the first field", "GET /echo HTTP/1.1\r\n Host: t\r\n\r\n", {400}},
      {"no colon", Field("Xab"), {400}},
      {"blank before the colon", Field("X : a"), {400}},
      {"blank before the colon of the length", kHead + "Content-Length : 5\r\n\r\nhello", {400}},
      {"empty name", Field(": a"), {400}},
      {"name with a bracket", Field("X(: a"), {400}},
      {"name with bytes over 127", Field("X\xc3\xa4: a"), {400}},
      {"65 fields", many + "\r\n", {431}},
      {"a value of 20 KiB", Field("X: " + std::string(20 << 10, 'a')), {431}}};
}

// Requests after whose answer the connection stays open.
std::vector<Hostile> HarmlessCases() {
  return {{"%zz", Target("/echo/%zz"), {400}, false},
          {"%ff%fe", Target("/echo/%ff%fe"), {400}, false},
          {"%00", Target("/echo/%00"), {400}, false},
          {"..", Target("/../etc"), {400}, false},
          {"..%2f", Target("/echo/..%2f..%2fetc"), {404}, false},
          {"UTF-8 in a value", Field("X: ä日"), {200}, false},
          {"absolute form", Target("http://t/echo"), {200}, false},
          {"OPTIONS", "OPTIONS /echo HTTP/1.1\r\nHost: t\r\n\r\n", {405}, false},
          {"OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: t\r\n\r\n", {404}, false},
          {"an empty line in front", "\r\n" + Target("/echo"), {200}, false},
          {"a chunk extension", Chunked("5;a=b\r\nhello\r\n0\r\n\r\n"), {200}, false},
          {"trailers", Chunked("5\r\nhello\r\n0\r\nA: b\r\n\r\n"), {200}, false},
          {"CHUNKED", kHead + "Transfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n", {200}, false}};
}

class HostileRequests : public ::testing::Test {
 protected:
  HostileRequests() {
    ServerOptions options;
    options.header_timeout_ms = 300;
    options.body_timeout_ms = 300;
    server_ = testing::StartServer(
        {{"GET", "/echo", [](const Request&) { return TextResponse(200, "fine"); }},
         {"POST", "/echo", [](const Request& r) { return TextResponse(200, r.body); }, 1000, false},
         {"GET", "/behind",
          [this](const Request&) {
            ++behind_;
            return TextResponse(200, "behind");
          }}},
        options);
  }

  void Check(const Hostile& hostile) {
    SCOPED_TRACE(hostile.name);
    behind_ = 0;
    RawSocket socket(server_->port());
    socket.Send(hostile.bytes + (hostile.closes ? kBehind : ""));
    const std::string answer = hostile.closes ? socket.ReadAll() : socket.ReadAnswer();
    EXPECT_EQ(std::ranges::count(hostile.statuses, StatusOf(answer)), 1) << answer.substr(0, 300);
    EXPECT_EQ(socket.closed(), hostile.closes);
    EXPECT_EQ(answer.find("s3cret"), std::string::npos);
    EXPECT_EQ(behind_, 0) << "what stood behind a refused request was served";
    if (!hostile.closes) {
      socket.Send(kBehind);
      EXPECT_EQ(StatusOf(socket.ReadAnswer()), 200);
    }
    EXPECT_EQ(StatusOf(testing::Exchange(server_->port(),
                                         testing::GetText("/echo", "Connection: close\r\n"))),
              200);
  }

  std::unique_ptr<Server> server_;
  std::atomic<int> behind_ = 0;
};

TEST_F(HostileRequests, MalformedChunksAreRefused) {
  for (const Hostile& hostile : ChunkCases()) Check(hostile);
}
TEST_F(HostileRequests, AmbiguousFramingIsRefused) {
  for (const Hostile& hostile : FramingCases()) Check(hostile);
}
TEST_F(HostileRequests, MalformedRequestLinesAreRefused) {
  for (const Hostile& hostile : LineCases()) Check(hostile);
}
TEST_F(HostileRequests, MalformedFieldsAreRefused) {
  for (const Hostile& hostile : FieldCases()) Check(hostile);
}
TEST_F(HostileRequests, HarmlessRequestsAreAnswered) {
  for (const Hostile& hostile : HarmlessCases()) Check(hostile);
}

// Sends `head`, then `piece` until `total` bytes are sent or the server closes; returns the status
// of the answer.
int Pour(int port, const std::string& head, const std::string& piece, size_t total) {
  RawSocket socket(port);
  socket.Send(head);
  for (size_t sent = 0; sent < total && socket.Send(piece); sent += piece.size()) {
  }
  return StatusOf(socket.ReadAll(10'000));
}

double ResidentMiB() {
  std::ifstream statm("/proc/self/statm");
  double total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

TEST_F(HostileRequests, OversizedRequestIsRefusedWithoutMemory) {
  const std::string piece(1 << 20, 'a');
  std::string fields;
  for (int i = 0; i < 10'000; ++i) fields += "X: 1\r\n";
  const std::string get = "GET /echo HTTP/1.1\r\nHost: t\r\n";
  const int64_t start_ms = base::SystemClock().MonotonicMs();
  [[maybe_unused]] const double before = ResidentMiB();  // AddressSanitizer keeps freed memory
  // 0: the client was still writing when the server closed, and lost the answer.
  for (const auto& [head, bytes, total, status] :
       {std::tuple{kHead + "Content-Length: 1073741824\r\n\r\n", piece, size_t{1} << 30, 413},
        std::tuple{Chunked("40000000\r\n"), piece, size_t{1} << 30, 413},
        std::tuple{get + "X: ", piece, size_t{256} << 20, 431},
        std::tuple{get, fields, size_t{200'000} * 6, 431}}) {
    const int answered = Pour(server_->port(), head, bytes, total);
    EXPECT_TRUE(answered == status || answered == 0) << answered;
  }
  EXPECT_LT(base::SystemClock().MonotonicMs() - start_ms, 20'000);
#ifndef __SANITIZE_ADDRESS__
  EXPECT_LT(ResidentMiB() - before, 8) << "four connections, 2 MiB each";
#endif
  // A client that reads before it sends the body gets the answer at once.
  EXPECT_EQ(StatusOf(testing::Exchange(server_->port(),
                                       kHead + "Content-Length: 1073741824\r\n\r\n", 1'000)),
            413);
}

TEST_F(HostileRequests, ChunkedBodyMayArriveByteByByte) {
  RawSocket socket(server_->port());
  for (const char byte : Chunked("5\r\nhello\r\n0\r\nA: b\r\n\r\n")) {
    ASSERT_TRUE(socket.Send(std::string(1, byte)));
  }
  EXPECT_TRUE(socket.ReadAnswer().ends_with("hello"));
}

TEST_F(HostileRequests, MutationsGetNoServerErrorOrSilence) {
  const uint64_t seed = std::random_device{}();
  std::mt19937_64 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::vector<Hostile> cases;
  for (const auto& some :
       {ChunkCases(), FramingCases(), LineCases(), FieldCases(), HarmlessCases()}) {
    std::ranges::copy_if(some, std::back_inserter(cases),
                         [](const Hostile& c) { return c.bytes.size() < 4096; });
  }
  for (int i = 0; i < 1'000; ++i) {
    std::string bytes = cases[random() % cases.size()].bytes;
    for (int change = 0; change < 3; ++change) {
      const size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(at, 1 + random() % 4);
          break;
        case 2:
          bytes.insert(at, 1, static_cast<char>(random()));
          break;
        default:
          bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 20));
          break;
      }
      if (bytes.empty()) bytes = "x";
    }
    RawSocket socket(server_->port());
    socket.Send(bytes);
    socket.ShutdownWrite();
    const std::string answer = socket.ReadAll(10'000);
    ASSERT_TRUE(socket.closed()) << "hangs: " << bytes;
    const int status = StatusOf(answer);
    ASSERT_TRUE(status < 500 || status == 501 || status == 505) << answer << bytes;
  }
  EXPECT_EQ(StatusOf(testing::Exchange(server_->port(),
                                       testing::GetText("/echo", "Connection: close\r\n"))),
            200);
}

}  // namespace
}  // namespace http
