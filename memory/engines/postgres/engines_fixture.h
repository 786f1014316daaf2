// A file and a server with the same tables, and what compares their rows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "memory/engines/postgres/schema_fixture.h"
#include "memory/sqlite/tables/migrated_file_fixture.h"

namespace memory {

using Value = std::variant<std::monostate, int64_t, double, std::string>;

class EnginesTest : public PostgresSchemaTest {
 protected:
  void SetUp() override {
    PostgresSchemaTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    server_.emplace(Own());
    tenant_ = MakeTenant(*server_, "a");
    MakeTenant(*server_, "other");
    Enter(*server_, tenant_);
    // Words of the tables on both sides: what is compared.
    auto read = server_->Prepare(
        "SELECT c.relname, a.attname, CASE a.atttypid WHEN 'bytea'::regtype THEN 'length(' || "
        "a.attname || ')' "
        "WHEN 'float8'::regtype THEN 'CAST(1000 * ' || a.attname || ' AS BIGINT)' "
        "ELSE '\"' || a.attname || '\"' END FROM pg_class c JOIN pg_attribute a ON a.attrelid = "
        "c.oid "
        "AND a.attnum > 0 WHERE c.relnamespace = 'agent_memory_rows'::regnamespace AND c.relkind = "
        "'r' AND "
        "a.attname <> 'tenant' AND c.relname NOT IN ('tenants', 'probes', 'schema_versions', "
        "'changes', "
        "'numbers', 'salt') "
        "ORDER BY c.relname, a.attnum");
    ASSERT_TRUE(read);
    ASSERT_TRUE(read->ForEachRow([&](const sql::Statement& row) {
      std::string& columns = columns_[row.Text(0)];
      columns += (columns.empty() ? "" : ", ") + row.Text(2);
      ++counts_[row.Text(0)];
    }));
    ASSERT_GT(columns_.size(), 40u);
  }
  using Rows = std::vector<std::string>;
  static base::Result<Rows> RowsOf(sql::Database& database, const std::string& sql, int columns,
                                   const std::vector<Value>& values) {
    ASSIGN_OR_RETURN(sql::Statement run, database.Prepare(sql));
    for (const Value& value : values) {
      if (const auto* number = std::get_if<int64_t>(&value))
        run.Bind(*number);
      else if (const auto* real = std::get_if<double>(&value))
        run.Bind(*real);
      else if (const auto* text = std::get_if<std::string>(&value))
        run.Bind(*text);
      else
        run.BindNull();
    }
    Rows rows;
    RETURN_IF_ERROR(run.ForEachRow([&](const sql::Statement& row) {
      std::string& text = rows.emplace_back();
      for (int i = 0; i < columns; ++i) text += (row.IsNull(i) ? "NULL" : row.Text(i)) + "|";
    }));
    return rows;
  }
  // One transaction on each side. `columns`: of RETURNING. → the first value.
  int64_t Write(const std::string& sql, const std::vector<Value>& values, int columns = 0) {
    std::vector<base::Result<Rows>> both;
    for (sql::Database* database :
         {static_cast<sql::Database*>(&file()), static_cast<sql::Database*>(&*server_)}) {
      auto transaction = sql::Transaction::Begin(*database);
      EXPECT_TRUE(transaction);
      both.push_back(RowsOf(*database, sql, columns, values));
      const base::Status done =
          both.back() ? transaction->Commit() : base::Status(both.back().error());
      if (!done) both.back() = done.error();
    }
    EXPECT_EQ(both[0].has_value(), both[1].has_value())
        << sql << "\n  " << (both[0] ? both[1].error().message : both[0].error().message);
    if (!both[0] || !both[1]) return -1;
    EXPECT_EQ(*both[0], *both[1]) << sql;
    return columns == 0 || both[0]->empty() ? 0 : std::stoll(both[0]->front());
  }
  void CompareTables() {
    Enter(*server_, tenant_);
    for (const auto& [table, columns] : columns_) {
      std::string order;
      for (int i = 1; i <= counts_[table]; ++i) order += (i == 1 ? "" : ", ") + std::to_string(i);
      const std::string sql = "SELECT " + columns + " FROM " + table + " ORDER BY " + order;
      const auto here = RowsOf(file(), sql, counts_[table], {}),
                 there = RowsOf(*server_, sql, counts_[table], {});
      ASSERT_TRUE(here) << here.error().message;
      ASSERT_TRUE(there) << there.error().message;
      EXPECT_EQ(*here, *there) << table;
      rows_ += here->size();
    }
  }

  sqlite::Database& file() { return file_.database(); }

  MigratedFile file_;
  std::optional<postgres::Database> server_;
  int64_t tenant_ = 0;
  std::map<std::string, std::string> columns_;
  std::map<std::string, int> counts_;
  size_t rows_ = 0;
};

}  // namespace memory
