// Status line, fields, framing; the body's bytes go through BodyDecoder.
#include "lib/http/client/answer_reader.h"

#include <algorithm>
#include <utility>

#include "lib/http/message/fields.h"

namespace http {

namespace {

using base::Code;
using base::Error;

constexpr size_t kEndBytes = 4;  // CRLF CRLF

// A head over its limit is kUnavailable as well, since it does not depend on the request.
Error Malformed(const std::string& reason) {
  return {Code::kUnavailable, "the answer is not HTTP: " + reason};
}

// "HTTP/1.x NNN", and any reason.
std::optional<Error> ReadStatusLine(std::string_view line, int& status, bool& http_1_0) {
  const bool version = line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 ");
  const std::string_view digits = line.substr(std::min<size_t>(line.size(), 9), 3);
  const bool number = digits.size() == 3 && digits[0] >= '1' && digits[0] <= '9' &&
                      std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (!version || !number || (line.size() > 12 && line[12] != ' '))
    return Malformed("its status line");
  http_1_0 = line[7] == '0';
  status = (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0');
  return std::nullopt;
}

struct Framed {
  BodyExtent framing;
  ConnectionOptions connection;
  int lengths = 0;
};

std::optional<Error> ReadFraming(const Headers& headers, Framed& out) {
  for (const auto& [name, value] : headers.all()) {
    if (SameText(name, "Content-Length")) {
      const uint64_t before = out.framing.content_length;
      if (const auto refusal = ReadLength(value, out.framing.content_length))
        return Malformed(refusal->reason);
      if (out.lengths++ > 0 && before != out.framing.content_length)
        return Malformed("two lengths");
    } else if (SameText(name, "Transfer-Encoding")) {
      if (!SameText(value, "chunked")) return Malformed("a transfer coding that is not chunked");
      out.framing.chunked = true;
    } else if (SameText(name, "Connection")) {
      ReadConnection(value, out.connection);
    }
  }
  return std::nullopt;
}

}  // namespace

AnswerReader::Step AnswerReader::Consume(std::string_view bytes) {
  Step step;
  began_ |= !bytes.empty();
  rest_.append(bytes);
  if (!body_) ReadHeads(step);
  if (body_ && !step.fault) ReadBody(step);
  return step;
}

void AnswerReader::ReadHeads(Step& step) {
  while (!body_) {
    const size_t at = rest_.find("\r\n\r\n", scanned_);
    const size_t head_bytes = at == std::string::npos ? rest_.size() : at + kEndBytes;
    if (head_bytes_ + head_bytes > kMaxAnswerHeadBytes) {
      step.fault = Error{Code::kUnavailable, "the head of the answer is larger than " +
                                                 std::to_string(kMaxAnswerHeadBytes) + " bytes"};
      return;
    }
    if (at == std::string::npos) {
      scanned_ = rest_.size() - std::min(rest_.size(), kEndBytes - 1);
      return;
    }
    if (!ReadOneHead(std::string_view(rest_).substr(0, head_bytes), step)) return;
    head_bytes_ += head_bytes;
    scanned_ = 0;
    rest_.erase(0, head_bytes);
  }
}

bool AnswerReader::ReadOneHead(std::string_view raw, Step& step) {
  Response head;
  bool http_1_0 = false;
  Framed framed;
  const size_t line_end = raw.find("\r\n");
  step.fault = ReadStatusLine(raw.substr(0, line_end), head.status, http_1_0);
  if (!step.fault && !HasCleanBytes(raw)) step.fault = Malformed("a control character in its head");
  if (step.fault) return false;
  if (const auto refusal = ReadFields(raw, line_end + 2, kMaxAnswerFields, head.headers)) {
    step.fault = refusal->status == 431
                     ? Error{Code::kUnavailable, "the head of the answer has more than " +
                                                     std::to_string(kMaxAnswerFields) + " fields"}
                     : Malformed(refusal->reason);
    return false;
  }
  if (head.status == 101) step.fault = Malformed("a switch of protocols that nobody asked for");
  if (!step.fault) step.fault = ReadFraming(head.headers, framed);
  if (step.fault) return false;
  if (head.status < 200) return true;  // an interim answer; the final one follows
  const bool bodiless = to_head_ || head.status == 204 || head.status == 304;
  const bool both = framed.framing.chunked && framed.lengths > 0;  // the coding counts
  until_end_ = !bodiless && !framed.framing.chunked && framed.lengths == 0;
  keep_alive_ =
      !until_end_ && !both && !framed.connection.close && (!http_1_0 || framed.connection.keep);
  if (framed.framing.chunked) framed.framing.content_length = 0;
  body_.emplace(bodiless ? BodyExtent{} : framed.framing, max_body_bytes_);
  step.head = std::move(head);
  return true;
}

void AnswerReader::ReadBody(Step& step) {
  if (until_end_) {
    step.body = std::exchange(rest_, {});
    return;
  }
  const auto consumed = body_->Consume(rest_, step.body);
  rest_.erase(0, consumed.used);
  if (consumed.refusal && consumed.refusal->status == 413) {
    step.fault = Error{Code::kTooLarge,
                       "the answer is larger than " + std::to_string(max_body_bytes_) + " bytes"};
  } else if (consumed.refusal) {
    step.fault = Malformed(consumed.refusal->reason);
  }
  step.done = body_->done();
}

AnswerReader::Step AnswerReader::End() {
  Step step;
  if (until_end_) {
    step.done = true;
  } else {
    step.fault = Error{Code::kUnavailable, began_ ? "the connection ended within the answer"
                                                  : "the connection ended before the answer"};
  }
  return step;
}

}  // namespace http
