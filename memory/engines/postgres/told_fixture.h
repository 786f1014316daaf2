// What calls on stores answer, as texts to compare: values, order and numbers, without random ids.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "memory/store/store.h"

namespace memory {

inline std::string ToldError(const base::Error& error) {
  return "error " + std::to_string(static_cast<int>(error.code));
}

template <class T>
std::string ToldOf(const base::Result<T>& answer,
                   const std::function<base::Json(const T&)>& encode) {
  return answer ? base::DumpJson(encode(*answer)) : ToldError(answer.error());
}

inline base::Json ToldRows(const std::vector<api::Observation>& rows) {
  base::Json list = base::Json::array();
  for (const api::Observation& row : rows) list.push_back(api::EncodeObservation(row));
  return list;
}

inline base::Json FoundRows(const SearchResult& result) {
  base::Json list = base::Json::array();
  for (const Found& found : result.rows) {
    list.push_back({{"row", api::EncodeObservation(found.row)},
                    {"rank", found.rank},
                    {"method", found.method},
                    {"similarity", found.scores ? found.scores->similarity.value_or(-1) : -2}});
  }
  return {{"rows", list}, {"partial", result.partial}};
}

inline base::Json ToldCell(const Cell& cell) {
  return {
      cell.owner,  cell.key,      cell.value,      cell.version,    cell.expires_ms.value_or(-1),
      cell.ttl_ns, cell.metadata, cell.created_ms, cell.accessed_ms};
}

inline base::Json ToldCells(const std::vector<Cell>& cells) {
  base::Json list = base::Json::array();
  for (const Cell& cell : cells) list.push_back(ToldCell(cell));
  return list;
}

inline base::Json ToldWritten(const CellWritten& written) {
  return {ToldCell(written.cell), written.created, written.differs};
}

inline base::Json ToldTrace(const Trace& trace) {
  return {trace.observation, trace.kind,        trace.content,    trace.strength, trace.tags,
          trace.created_ms,  trace.accessed_ms, trace.retrievals, trace.revisions};
}

inline base::Json ToldTraces(const base::Result<std::vector<Trace>>& traces) {
  if (!traces) return ToldError(traces.error());
  base::Json list = base::Json::array();
  for (const Trace& trace : *traces) list.push_back(ToldTrace(trace));
  return list;
}

}  // namespace memory
