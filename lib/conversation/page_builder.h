// The limits of a page of messages, for engines: Rows::ReadMessages adds rows until one does not
// fit.
#pragma once

#include <iterator>
#include <utility>

#include "lib/base/limits/answer_charge.h"
#include "lib/base/result.h"
#include "lib/conversation/rows.h"

namespace conversation {

class PageBuilder {
 public:
  explicit PageBuilder(const PageLimits& limits) : limits_(limits), tokens_(limits.tokens) {}

  // False: it did not fit, and the page is complete. kUnavailable: the request's memory budget does
  // not grant it.
  base::Result<bool> Add(Message message) {
    const bool counts = limits_.tokens != INT64_MAX && message.checksum_ok;
    if (counts) tokens_ -= Tokens(message);
    const size_t needs = EncodedBytes(message);
    RETURN_IF_ERROR(charge_.Add(needs));
    bytes_ += needs;
    const bool fits =
        tokens_ >= 0 && std::ssize(page_.messages) < limits_.messages && bytes_ <= limits_.bytes;
    if (!fits && (limits_.may_be_empty || !page_.messages.empty())) {
      page_.more = message.sequence;
      page_.out_of_tokens = tokens_ < 0;
      return false;
    }
    page_.messages.push_back(std::move(message));
    return true;
  }
  MessagePage Finish() { return std::move(page_); }

 private:
  const PageLimits limits_;
  MessagePage page_;
  int64_t tokens_;
  size_t bytes_ = 0;
  base::AnswerCharge charge_;
};

}  // namespace conversation
