// Test code: observations in memory, the second engine of the seam. Keeps no transactions: what a
// refused call wrote stays. Rows have no expiry, and no trace is of one user.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/text/text.h"
#include "memory/rows/observations.h"

namespace memory {

class FakeObservations final : public Observations {
 public:
  base::Result<Location> FindOrAddLocation(const std::string& session, const std::string& project,
                                           int64_t) override {
    const auto add = [](auto& names, const std::string& name) {
      return names.emplace(name, std::ssize(names) + 1).first->second;
    };
    const int64_t number = add(projects_, base::FoldCase(project));
    const auto [of, added] = project_of_session_.emplace(session, number);
    if (of->second != number) {
      return base::Error{
          base::Code::kConflict,
          "session_id " + session + " belongs to another project than \"" + project + "\""};
    }
    return Location{number, add(sessions_, session)};
  }
  base::Result<std::optional<RowId>> FindLive(int64_t id) override {
    const bool known = id >= 1 && id <= std::ssize(rows_);
    return known && !At(id).deleted ? std::optional<RowId>(id) : std::nullopt;
  }
  base::Result<api::Observation> Read(RowId row) override { return At(row).text; }
  base::Result<std::vector<Candidate>> FindCandidates(
      const Incoming& incoming, const Location& location,
      int64_t /*window_ms: Decide compares*/) override {
    std::vector<Candidate> found;
    for (const Row& row : rows_) {
      const api::Observation& text = row.text;
      const bool same = incoming.topic_key.empty() ? text.normalized_hash == incoming.hash
                                                   : text.topic_key == incoming.topic_key;
      if (row.deleted || !same || row.location.project != location.project) continue;
      found.push_back({text.id, text.topic_key, text.scope, text.type, text.source.rule,
                       text.normalized_hash, row.content_ms, text.source.origin});
    }
    return found;
  }
  base::Status VisitSession(const Location& location, const std::string& scope, int64_t most,
                            int64_t characters,
                            const std::function<bool(const SessionRow&)>& visit) override {
    for (auto row = rows_.rbegin(); row != rows_.rend() && most > 0; ++row) {
      if (row->location.session != location.session) continue;
      --most;
      const api::Observation& text = row->text;
      const bool asked = !row->deleted && text.scope == scope &&
                         base::CountCharacters(text.content) <= static_cast<size_t>(characters);
      if (asked && !visit({text.id, text.source.origin, text.type, text.topic_key, text.title,
                           text.content}))
        break;
    }
    return {};
  }
  base::Status FreeTopic(const std::string&, const Location&, const std::string&,
                         int64_t) override {
    return {};
  }
  base::Result<int64_t> Insert(const api::Observation& row, const TextFacts&,
                               const Location& location) override {
    rows_.push_back({row, location, row.updated_ms});
    rows_.back().text.id = std::ssize(rows_);
    return rows_.back().text.id;
  }
  base::Status Rewrite(RowId row, const api::Observation& text, const TextFacts&,
                       int64_t now_ms) override {
    Row& at = At(row);
    at.history.push_back(at.text);
    if (at.text.content != text.content) at.content_ms = now_ms;
    at.text.type = text.type;
    at.text.title = text.title;
    at.text.content = text.content;
    at.text.tags = text.tags;
    at.text.source = text.source;
    at.text.normalized_hash = api::NormalizedHash(text.content);
    at.text.updated_ms = at.text.last_seen_ms = now_ms;
    ++at.text.revision_count;
    return {};
  }
  base::Result<bool> HasRevision(int64_t id, const std::string& content) override {
    const auto& history = At(id).history;
    return std::any_of(history.begin(), history.end(),
                       [&](const api::Observation& one) { return one.content == content; });
  }
  base::Status AddRevision(RowId row, const api::Observation& text, int64_t) override {
    Row& at = At(row);
    at.history.push_back(at.text);
    at.history.push_back(text);
    at.text.revision_count += 2;
    return {};
  }
  base::Status CountDuplicate(RowId row, int64_t now_ms) override {
    ++At(row).text.duplicate_count;
    At(row).text.last_seen_ms = now_ms;
    return {};
  }
  base::Status SetTopic(RowId row, const std::string& topic_key) override {
    At(row).text.topic_key = topic_key;
    return {};
  }
  base::Status NoteWriting(int64_t, const std::optional<int64_t>&) override {
    ++noted_writings;
    return {};
  }

  void Delete(RowId row) { At(row).deleted = true; }
  int noted_writings = 0;

 private:
  struct Row {
    api::Observation text;
    Location location;
    int64_t content_ms = 0;
    bool deleted = false;
    std::vector<api::Observation> history = {};
  };
  Row& At(RowId row) { return rows_.at(static_cast<size_t>(row - 1)); }
  std::vector<Row> rows_;
  std::map<std::string, int64_t> projects_, sessions_, project_of_session_;
};

}  // namespace memory
