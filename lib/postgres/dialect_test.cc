// The translation of statements, and what it leaves alone.
#include "lib/postgres/dialect.h"

#include <gtest/gtest.h>

namespace postgres {
namespace {

TEST(Dialect, ParametersAreNumberedAsInSqlite) {
  EXPECT_EQ(Translate("SELECT ?1, ?12 WHERE a=?2"), "SELECT $1, $12 WHERE a=$2");
  EXPECT_EQ(Translate("VALUES(?, ?, ?5, ?)"), "VALUES($1, $2, $5, $6)");
}

TEST(Dialect, LiteralsNamesAndCommentsStay) {
  const char* untouched[] = {"SELECT '?1', 'it''s ?2 char(10)'",
                             "SELECT \"?1\" FROM \"NOT INDEXED\"",
                             "SELECT 1 -- ?1 char(10)\n FROM t",
                             "SELECT /* row_checksum(?1) */ 1",
                             "DO $$ SELECT char(10); ?1 $$",
                             "DO $body$ ON CONFLICT(a) $body$",
                             "SELECT characters(1), x, a.x, x + 'a'",
                             "SELECT 'open",
                             "SELECT /* open",
                             "SELECT $1",
                             "INSERT INTO t VALUES($1) ON CONFLICT DO NOTHING"};
  for (const char* sql : untouched) EXPECT_EQ(Translate(sql), sql);
}

TEST(Dialect, HintsOfIndexesGo) {
  EXPECT_EQ(Translate("SELECT a FROM t INDEXED BY t_a WHERE a=?1"), "SELECT a FROM t  WHERE a=$1");
  EXPECT_EQ(Translate("SELECT a FROM t NOT INDEXED WHERE NOT a"), "SELECT a FROM t  WHERE NOT a");
}

TEST(Dialect, FunctionsOfTheOtherEngine) {
  EXPECT_EQ(Translate("SELECT instr(a, char(10)), CHAR (9)"), "SELECT instr(a, chr(10)), chr(9)");
  EXPECT_EQ(Translate("SELECT group_concat(a, char(10))"), "SELECT string_agg(a, chr(10))");
  EXPECT_EQ(Translate("INSERT INTO t VALUES(?1, row_checksum('t', ?1, (?2), ')'), ?3)"),
            "INSERT INTO t VALUES($1, 0, $3)");
  EXPECT_EQ(Translate("WHERE row_is_sound('t', a, max(b, c)) AND d=?1"), "WHERE 1 AND d=$1");
  EXPECT_EQ(Translate("VALUES(x'00FF', X'')"), "VALUES('\\x00FF'::bytea, '\\x'::bytea)");
}

TEST(Dialect, KeysOfConflictsBeginWithTheTenant) {
  EXPECT_EQ(Translate("INSERT INTO t VALUES(?1) ON CONFLICT(a, b) DO UPDATE SET c=1"),
            "INSERT INTO t VALUES($1) ON CONFLICT(tenant, a, b) DO UPDATE SET c=1");
  EXPECT_EQ(Translate("on conflict (tenant, a) do nothing"), "ON CONFLICT(tenant, a) do nothing");
  EXPECT_EQ(Translate("JOIN u ON conflict.a = u.a"), "JOIN u ON conflict.a = u.a");
}

TEST(Dialect, ShapeSaysWhatHasRowsAndWhatMayBeLong) {
  struct Case {
    const char* sql;
    bool has_rows, may_be_long;
  };
  const Case cases[] = {
      {"SELECT a FROM t", true, true},
      {"SELECT a FROM t LIMIT ?1", true, false},
      {"SELECT a FROM (SELECT 1 LIMIT 1) AS s", true, true},
      {"INSERT INTO t VALUES(?1)", false, false},
      {"INSERT INTO t SELECT a FROM u", false, false},
      {"INSERT INTO t VALUES('RETURNING')", false, false},
      {"insert into t values(1) returning a", true, false},
      {"UPDATE t SET a=(SELECT 1)", false, false},
      {"DELETE FROM t WHERE a IN (SELECT 1)", false, false},
      {"WITH s AS (SELECT 1) INSERT INTO t SELECT * FROM s", false, false},
      {"WITH s AS (DELETE FROM t RETURNING a) SELECT a FROM s", true, true},
      {"SELECT a FROM t FOR UPDATE", true, true},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(ShapeOf(c.sql).has_rows, c.has_rows) << c.sql;
    EXPECT_EQ(ShapeOf(c.sql).may_be_long, c.may_be_long) << c.sql;
  }
}

}  // namespace
}  // namespace postgres
