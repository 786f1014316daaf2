// The parts of a statement that no engine has of its own.
#include "lib/sql/statement.h"

namespace sql {

Statement& Statement::BindRow(const Statement& from, int first) {
  const Cursor& row = *from.cursor_;
  for (int column = first; column < row.Columns(); ++column) {
    const int parameter = next_++;
    if (row.IsNull(column))
      cursor_->BindNull(parameter);
    else if (row.IsInt(column))
      cursor_->BindInt(parameter, row.Int(column));
    else if (row.IsReal(column))
      cursor_->BindReal(parameter, row.Real(column));
    else if (row.IsBlob(column))
      cursor_->BindBlob(parameter, row.Text(column));
    else
      cursor_->BindText(parameter, row.Text(column));
  }
  return *this;
}

base::Status Statement::Run() {
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, Step());
    if (!row) return {};
  }
}

}  // namespace sql
