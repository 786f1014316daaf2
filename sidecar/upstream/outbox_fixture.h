// Test code: an outbox in its own state.db with checks of its counters, and a delivery with a fake
// server and clock.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "lib/testing/fake_clock.h"
#include "lib/testing/temporary_directory.h"
#include "sidecar/outbox/dead_letters.h"
#include "sidecar/upstream/delivery.h"

namespace sidecar {

class OutboxTest : public ::testing::Test {
 protected:
  void SetUp() override { Open(); }
  void Open() {
    state_.reset();
    auto opened = State::Open(directory_.path(), [](const base::Error&) {});
    ASSERT_TRUE(opened) << opened.error().message;
    state_ = std::move(*opened);
  }
  base::Status TryAdd(const std::string& lane, const std::string& body, OutboxLimits limits) {
    OutboxRow row;
    row.lane = lane;
    row.kind = "observation";
    row.path = "/observations";
    row.body = body;
    row.destination = "http://here:1";
    row.idempotency_key = "key-" + body;
    row.created_ms = clock_.NowMs();
    return state_->Change([&](sqlite::Database& db) { return Enqueue(db, row, limits); });
  }
  void Add(const std::string& lane, const std::string& body) {
    EXPECT_TRUE(TryAdd(lane, body, {}));
  }
  void Apply(std::function<base::Status(sqlite::Database&)> change) {
    EXPECT_TRUE(state_->Change(std::move(change)));
  }
  OutboxTotals Totals() {
    return *state_->Read([](sqlite::Database& db) { return ReadTotals(db); });
  }
  void ExpectBalance() {
    const OutboxTotals totals = Totals();
    EXPECT_EQ(totals.accepted, totals.delivered + totals.pending + totals.dead + totals.discarded);
    auto rows = state_->Read([](sqlite::Database& db) { return PendingRows(db, 0, 100'000); });
    EXPECT_EQ(static_cast<int64_t>(rows->size()), totals.pending);
    const auto causes = state_->Read([](sqlite::Database& db) { return DeadByCause(db); });
    int64_t dead = 0;
    for (const auto& [cause, count] : *causes) dead += count;
    EXPECT_EQ(dead, totals.dead);
    EXPECT_EQ(totals.pending == 0, totals.pending_bytes == 0);
  }
  Delivery Make(SendToServer send, std::string url = "http://here:1") {
    return Delivery(*state_, std::move(send), [url] { return url; }, clock_, {});
  }
  // Runs rounds until nothing is pending, and advances the clock over every pause.
  void Drain(Delivery& delivery) {
    for (int i = 0; i < 10'000 && Totals().pending > 0; ++i) clock_.Advance(delivery.Round());
  }
  static http::Response Status(int status) {
    http::Response response;
    response.status = status;
    response.body =
        R"({"id":1,"error":"said )" + std::to_string(status) + R"(","code":"of a memory server"})";
    return response;
  }
  testing::TemporaryDirectory directory_;
  testing::FakeClock clock_;
  std::unique_ptr<State> state_;
};

}  // namespace sidecar
