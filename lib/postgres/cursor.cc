// A statement's values, and the rows that it got.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "lib/postgres/connection.h"

namespace postgres {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

Parameter& PgCursor::At(int parameter) {
  if (parameters_.size() < static_cast<size_t>(parameter))
    parameters_.resize(static_cast<size_t>(parameter));
  return parameters_[static_cast<size_t>(parameter - 1)];
}

Status PgCursor::Start() {
  started_ = true;
  if (connection_.broken) return *connection_.broken;
  if (connection_.error) return *connection_.error;
  RETURN_IF_ERROR(connection_.WithinLimits());
  const Shape& shape = text_.shape;
  if (connection_.depth == 0 && shape.changes) return StartAlone();
  if (!shape.has_rows) {
    complete_ = true;
    return connection_.Send(text_, parameters_, nullptr);
  }
  if (connection_.depth == 0) RETURN_IF_ERROR(connection_.SendSettings());
  RETURN_IF_ERROR(connection_.Send(text_, parameters_, this, shape.may_be_long));
  ++connection_.flights;
  connection_.Depart();
  if (!shape.may_be_long) {
    while (!connection_.expected_.empty()) RETURN_IF_ERROR(connection_.ReadOne(Patience::kLimits));
  }
  return {};
}

// In a transaction of its own: its outcome is that of a COMMIT.
Status PgCursor::StartAlone() {
  RETURN_IF_ERROR(connection_.Begin());
  Status ran = connection_.Send(text_, parameters_, this);
  if (ran) ran = connection_.Settle(Patience::kLimits);
  if (ran) ran = connection_.Commit(0);
  if (!ran) connection_.RollBack(0);
  return ran;
}

// Outside of a transaction it waits for Step.
void PgCursor::Send() {
  if (started_ || connection_.depth == 0 || connection_.broken || connection_.error) return;
  if (text_.shape.changes || !text_.shape.has_rows) return;
  started_ = ahead_ = connection_.Send(text_, parameters_, this).has_value();
}

// Takes what came, or comes, of a statement that was sent before.
Status PgCursor::Await() {
  ahead_ = false;
  if (connection_.open_flight_) ++connection_.flights;
  connection_.Depart();
  while (!connection_.expected_.empty()) RETURN_IF_ERROR(connection_.ReadOne(Patience::kLimits));
  return {};
}

Result<bool> PgCursor::Step() {
  if (!started_) RETURN_IF_ERROR(Start());
  if (ahead_) RETURN_IF_ERROR(Await());
  written_.clear();
  ++row_;
  for (;;) {
    if (!results_.empty()) {
      PGresult* const rows = results_.front().get();
      if (row_ < libpq().PQntuples(rows)) {
        for (int column = 0; row_ == 0 && column < libpq().PQnfields(rows); ++column)
          if (!IsReadable(libpq().PQftype(rows, column)))
            return Error{Code::kInternal,
                         "column " + std::to_string(column) + " has a type that is not read (" +
                             std::to_string(libpq().PQftype(rows, column)) + "): cast it"};
        return true;
      }
      results_.pop_front();
      row_ = 0;
    } else if (!complete_) {
      RETURN_IF_ERROR(connection_.ReadOne(Patience::kLimits));
    } else {
      while (!connection_.expected_.empty() && text_.shape.has_rows)
        RETURN_IF_ERROR(connection_.ReadOne(Patience::kLimits));
      if (error_) return *error_;
      return false;
    }
  }
}

int PgCursor::Columns() const {
  return results_.empty() ? 0 : libpq().PQnfields(results_.front().get());
}
unsigned PgCursor::TypeAt(int column) const {
  return libpq().PQftype(results_.front().get(), column);
}
bool PgCursor::IsNull(int column) const {
  return results_.empty() || libpq().PQgetisnull(results_.front().get(), row_, column) == 1;
}
std::string_view PgCursor::Bytes(int column) const {
  if (results_.empty()) return {};
  const PGresult* const rows = results_.front().get();
  return {libpq().PQgetvalue(rows, row_, column),
          static_cast<size_t>(libpq().PQgetlength(rows, row_, column))};
}
std::optional<Number> PgCursor::NumberAt(int column) const {
  return IsNull(column) ? std::nullopt : ReadNumber(TypeAt(column), Bytes(column));
}

// Conversions are SQLite's: of a NULL the least value, of a text its leading number.
int64_t PgCursor::Int(int column) const {
  if (const auto number = NumberAt(column))
    return number->whole ? *number->whole : static_cast<int64_t>(number->real);
  return std::strtoll(std::string(Text(column)).c_str(), nullptr, 10);
}

double PgCursor::Real(int column) const {
  if (const auto number = NumberAt(column)) return number->real;
  return std::strtod(std::string(Text(column)).c_str(), nullptr);
}

std::string_view PgCursor::Text(int column) const {
  const auto number = NumberAt(column);
  if (!number) return IsNull(column) ? std::string_view() : Bytes(column);
  if (number->whole) return written_.emplace_back(std::to_string(*number->whole));
  char text[40];
  const int size = std::snprintf(text, sizeof(text), "%.15g", number->real);
  return written_.emplace_back(text, static_cast<size_t>(size));
}

void PgCursor::GiveBack() {
  for (auto& expected : connection_.expected_)
    if (expected.cursor == this) expected.cursor = nullptr;
  parameters_.clear();
  results_.clear();
  written_.clear();
  error_.reset();
  started_ = complete_ = ahead_ = false;
  row_ = -1;
  text_.idle.push_back(this);
  --connection_.lent_;
}

}  // namespace postgres
