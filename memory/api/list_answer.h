// Answers of the handlers of sessions and observations: a value, a list in pages.
#pragma once

#include <vector>

#include "lib/http/message/message.h"
#include "memory/api/page_cursor.h"
#include "memory/store/answer_limit.h"

namespace memory {

// The answer of a value with its status, or of an error.
inline http::Response Answer(int status, const base::Result<base::Json>& body) {
  return body ? http::JsonResponse(status, *body) : http::ErrorResponse(body.error());
}

template <class Row>
base::Json Encode(const std::vector<Row>& rows, base::Json (*encode)(const Row&)) {
  base::Json list = base::Json::array();
  for (const Row& row : rows) list.push_back(encode(row));
  return list;
}

// A list that was read with one row more than its limit, to know whether more rows exist. It also
// ends at the limit of an answer.
template <class Row>
http::Response PageAnswer(base::Result<std::vector<Row>> rows, size_t limit,
                          base::Json (*encode)(const Row&)) {
  if (!rows) return http::ErrorResponse(rows.error());
  const bool more = rows->size() > limit || AnswerBytes(*rows) > kAnswerBytes;
  if (rows->size() > limit) rows->resize(limit);
  http::Response response = http::JsonResponse(200, Encode(*rows, encode));
  if (more && !rows->empty()) {
    response.headers.Set("X-Partial", "true");
    response.headers.Set("X-Next-Cursor", CursorAfter(rows->back()));
  }
  return response;
}
}  // namespace memory
