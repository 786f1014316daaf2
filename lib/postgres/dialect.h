// From the SQL that both engines run to PostgreSQL's: what differs in notation only.
#pragma once

#include <string>
#include <string_view>

namespace postgres {

// `?N` and `?` become `$N`, `x'..'` a bytea, `char(` `chr(`, `group_concat(` `string_agg(`;
// `INDEXED BY name` and `NOT INDEXED` go; `ON CONFLICT(a)` becomes `ON CONFLICT(tenant, a)`, since
// every key begins with the tenant; row_checksum(…) becomes 0 and row_is_sound(…) 1: PostgreSQL has
// checksums of its own. Literals, quoted names and comments stay as they are.
std::string Translate(std::string_view sql);

// How a statement is sent, from its words outside of literals.
struct Shape {
  bool changes = false;     // INSERT, UPDATE or DELETE
  bool has_rows = true;     // false: INSERT, UPDATE or DELETE without RETURNING
  bool may_be_long = true;  // a SELECT without LIMIT: its rows are read as they come
};
Shape ShapeOf(std::string_view sql);

}  // namespace postgres
