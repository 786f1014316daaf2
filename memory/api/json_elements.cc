// A SAX reader that builds one element at a time.
#include "memory/api/json_elements.h"

#include <algorithm>
#include <cmath>
#include <istream>
#include <set>
#include <streambuf>

#include "lib/base/json/value_charge.h"
#include "lib/base/text/text.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Status;

namespace {

// Of an element, which may nest as deep as a line of the same rows does: the body and the list
// around it do not count.
constexpr size_t kMaxDepth = base::JsonLimits().max_depth;
constexpr size_t kSectionDepth = 2;  // in by_member: the section, and a list of it
constexpr size_t kShownBytes = 40;   // of an erroneous text

// Adapts a request body to the iterator of the JSON parser.
class BodyBuffer : public std::streambuf {
 public:
  explicit BodyBuffer(http::BodyReader& body) : body_(body) {}
  Status status;  // of reading the body
  void StartElement() { since_element_ = 0; }
  size_t since_element() const { return since_element_; }
  // Of what was read last; a line's end belongs to its line.
  size_t Line() const {
    const auto read = gptr() > eback() ? std::count(eback(), gptr() - 1, '\n') : 0;
    return lines_ + static_cast<size_t>(read) + 1;
  }

  // What was read last, of one line.
  std::string Last() const {
    std::string_view read(eback(), static_cast<size_t>(gptr() - eback()));
    read = base::Trim(read.substr(read.size() - std::min(read.size(), kShownBytes)));
    return base::ToUtf8(base::Trim(read.substr(read.rfind('\n') + 1)));
  }

 protected:
  int_type underflow() override {
    if (!status) return traits_type::eof();
    if (since_element_ > kMaxElementBytes) {
      status = Error{Code::kTooLarge,
                     "one element is over " + std::to_string(kMaxElementBytes) + " bytes"};
      return traits_type::eof();
    }
    base::Result<std::string> piece = body_.Read();
    if (!piece) status = piece.error();
    if (!piece || piece->empty()) return traits_type::eof();
    lines_ += static_cast<size_t>(std::count(piece_.begin(), piece_.end(), '\n'));
    piece_ = std::move(*piece);
    since_element_ += piece_.size();
    setg(piece_.data(), piece_.data(), piece_.data() + piece_.size());
    return traits_type::to_int_type(*gptr());
  }

 private:
  http::BodyReader& body_;
  std::string piece_;
  size_t since_element_ = 0, lines_ = 0;
};

class ElementReader : public nlohmann::json_sax<Json> {
 public:
  ElementReader(const ElementHandlers& handlers, BodyBuffer& buffer)
      : handlers_(handlers), buffer_(buffer) {}
  Status status;

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(number_integer_t value) override { return Add(value); }
  bool number_unsigned(number_unsigned_t value) override { return Add(value); }
  bool number_float(number_float_t value, const string_t& text) override {
    return std::isfinite(value) ? Add(value) : Fail("the number " + text + " is out of range");
  }
  bool binary(binary_t&) override { return Fail("binary values are not JSON"); }
  bool string(string_t& value) override {
    if (value.find('\0') != std::string::npos) return Fail("a string has a NUL character");
    return Add(std::move(value));
  }
  bool start_object(size_t) override { return Open(Json::object()); }
  bool start_array(size_t) override { return Open(Json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(string_t& name) override {
    if (name.find('\0') != std::string::npos) return Fail("a name has a NUL character");
    if (building_.empty()) {
      if (!seen_.insert(name).second) return Fail("the field \"" + name + "\" occurs twice");
      if (seen_.size() > 1000) return Fail("the body has more than 1000 fields");
      field_ = std::move(name);
      return true;
    }
    if (building_.back().contains(name)) return Fail("the field \"" + name + "\" occurs twice");
    keys_.back() = std::move(name);
    return true;
  }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    if (!status) return false;
    return Fail("line " + std::to_string(buffer_.Line()) + ", byte " + std::to_string(position) +
                ": not valid JSON behind " + base::DumpJson(buffer_.Last()));
  }

 private:
  bool Fail(std::string message) {
    status = Error{Code::kInvalid, std::move(message)};
    return false;
  }

  bool Open(Json container) {
    const bool section = !in_array_ && handlers_.on_member && field_ == handlers_.by_member;
    if (building_.size() >= kMaxDepth + (section ? kSectionDepth : 0))
      return Fail("nested deeper than " + std::to_string(kMaxDepth));
    ++depth_;
    if (depth_ == 1) return OpenBody(container.is_array());
    if (depth_ == 2 && !in_array_ && container.is_array()) {
      in_array_ = true;
      if (handlers_.on_array) handlers_.on_array(field_);
      return true;
    }
    building_.push_back(std::move(container));
    keys_.emplace_back();
    return true;
  }

  bool OpenBody(bool list) {
    in_array_ = list;
    if (list && handlers_.list && handlers_.on_array) handlers_.on_array("");
    return !list || handlers_.list ? true : Fail("the body must be a JSON object");
  }

  bool Close() {
    --depth_;
    if (building_.empty()) {
      in_array_ = false;
      return true;
    }
    Json done = std::move(building_.back());
    building_.pop_back();
    keys_.pop_back();
    return Add(std::move(done));
  }

  bool Add(Json value) {
    if (depth_ == 0) return Fail("the body must be a JSON object");
    if (!charge_.Add(buffer_.since_element())) {
      status = charge_.Refusal();
      return false;
    }
    if (!building_.empty()) {
      Json& parent = building_.back();
      if (!in_array_ && handlers_.on_member && field_ == handlers_.by_member) {
        if (building_.size() == 1) return AddMember(std::move(value));
        if (building_.size() == 2 && parent.is_array()) {
          StartElement();
          return true;
        }
      }
      if (parent.is_array())
        parent.push_back(std::move(value));
      else
        parent[keys_.back()] = std::move(value);
      return true;
    }
    StartElement();
    status = in_array_ ? handlers_.on_element(field_, std::move(value))
                       : handlers_.on_field(field_, std::move(value));
    return status.has_value();
  }

  void StartElement() {
    buffer_.StartElement();
    charge_.StartText();
  }

  bool AddMember(Json value) {
    StartElement();
    status = handlers_.on_member(keys_.back(), std::move(value));
    return status.has_value();
  }

  const ElementHandlers& handlers_;
  BodyBuffer& buffer_;
  base::ValueCharge charge_;    // of the element that is read
  std::set<std::string> seen_;  // top-level fields
  std::string field_;           // the one that is read
  bool in_array_ = false;       // inside a top-level array, or the body is one
  size_t depth_ = 0;
  std::vector<Json> building_;     // containers of the element that is read, outermost first
  std::vector<std::string> keys_;  // the pending key of each
};

}  // namespace

Status ReadElements(http::BodyReader& body, const ElementHandlers& handlers) {
  BodyBuffer buffer(body);
  std::istream stream(&buffer);
  ElementReader reader(handlers, buffer);
  bool whole = Json::sax_parse(stream, &reader, nlohmann::json::input_format_t::json, true);
  if (!buffer.status) return buffer.status;
  if (!reader.status) return reader.status;
  if (!whole) return Error{Code::kInvalid, "not valid JSON"};
  return {};
}

}  // namespace memory
