// Test code: observations in memory, the second engine of the seam. Keeps no transactions: what a
// refused call wrote stays. Rows have no expiry, and no trace is of one user.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/text/text.h"
#include "memory/rows/observations.h"

namespace memory {

class FakeObservations final : public Observations, private Deletions {
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
  base::Result<std::optional<RowPlace>> Find(int64_t id) override {
    for (size_t at = 0; at < rows_.size(); ++at) {
      const Row& row = rows_[at];
      if (row.text.id == id && row.state != State::kRemoved)
        return std::optional(RowPlace{RowAt(at), row.location, row.state != State::kLive,
                                      row.state == State::kLive});
    }
    return std::optional<RowPlace>();
  }
  base::Result<bool> WasRemoved(int64_t id) override {
    return std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) {
      return row.text.id == id && row.state == State::kRemoved;
    });
  }
  base::Result<api::Observation> Read(RowId row) override { return At(row).text; }
  base::Result<std::vector<Candidate>> FindCandidates(
      const Incoming& incoming, const Location& location,
      int64_t /*window_ms: Decide compares*/) override {
    std::vector<Candidate> found;
    for (size_t at = 0; at < rows_.size(); ++at) {
      const Row& row = rows_[at];
      const api::Observation& text = row.text;
      const bool same = incoming.topic_key.empty() ? text.normalized_hash == incoming.hash
                                                   : text.topic_key == incoming.topic_key;
      if (row.state != State::kLive || !same || text.scope != incoming.scope ||
          row.location.project != location.project)
        continue;
      found.push_back({RowAt(at), text.topic_key, text.scope, text.type, text.source.rule,
                       text.normalized_hash, row.content_ms, text.source.origin});
    }
    return found;
  }
  base::Status VisitSession(const Location& location, const std::string& scope, int64_t most,
                            int64_t characters,
                            const std::function<bool(const SessionRow&)>& visit) override {
    for (size_t at = rows_.size(); at-- > 0 && most > 0;) {
      const Row& row = rows_[at];
      if (row.location.session != location.session || row.state == State::kRemoved) continue;
      --most;
      const api::Observation& text = row.text;
      const bool asked = row.state == State::kLive && text.scope == scope &&
                         base::CountCharacters(text.content) <= static_cast<size_t>(characters);
      if (asked && !visit({RowAt(at), text.source.origin, text.type, text.topic_key, text.title,
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
    api::Observation& text = rows_.back().text;
    if (text.id == 0) text.id = next_id_;
    next_id_ = std::max(next_id_, text.id + 1);
    return text.id;
  }
  base::Status Rewrite(RowId row, const api::Observation& text, const TextFacts&,
                       int64_t now_ms) override {
    Row& at = At(row);
    at.history.push_back(at.text);
    at.replaced_ms.push_back(now_ms);
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
    const auto place = *Find(id);
    if (!place) return false;
    const auto& history = At(place->row).history;
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

  // Of equal rows the one with the newest content, as in a file with few of them.
  base::Result<std::optional<KnownRow>> FindImported(const api::Observation& row,
                                                     const Location& location,
                                                     const std::optional<Viewer>&) override {
    const auto [from_ms, to_ms] =
        std::minmax(row.created_ms, row.updated_ms != 0 ? row.updated_ms : row.created_ms);
    const auto find = [&](bool any_time) {
      std::optional<KnownRow> found;
      int64_t newest = 0;
      for (size_t at = 0; at < rows_.size(); ++at) {
        const Row& here = rows_[at];
        const api::Observation& text = here.text;
        const bool hidden = here.state != State::kLive;
        if (here.state == State::kRemoved || here.location != location || text.scope != row.scope ||
            text.normalized_hash != row.normalized_hash || text.type != row.type ||
            text.source.rule != row.source.rule || text.title != row.title ||
            text.topic_key != row.topic_key)
          continue;
        if (row.created_ms != 0 && text.created_ms != row.created_ms) continue;
        if (!any_time && (here.content_ms < from_ms || here.content_ms > to_ms)) continue;
        if (found &&
            (hidden > found->hidden || (hidden == found->hidden && here.content_ms <= newest)))
          continue;
        found = {RowAt(at), text.id, hidden};
        newest = here.content_ms;
      }
      return found;
    };
    if (row.created_ms == 0) return find(true);
    const auto of_its_time = find(false);
    return of_its_time ? of_its_time : find(true);
  }
  base::Result<bool> IsSeenBy(const std::optional<Viewer>&, RowId) override { return true; }
  base::Status ImportRevision(int64_t id, const Revision& revision) override {
    api::Observation old;
    old.revision_count = revision.revision;
    old.type = revision.type;
    old.content = revision.content;
    old.normalized_hash = api::NormalizedHash(old.content);
    auto& history = At((*Find(id))->row).history;
    const bool known = std::any_of(history.begin(), history.end(), [&](const auto& one) {
      return one.revision_count == old.revision_count;
    });
    if (!known) history.push_back(old);
    return {};
  }
  base::Status SetTags(RowId row, const std::vector<std::string>& tags) override {
    At(row).text.tags = tags;
    return {};
  }
  base::Status SetOrigin(RowId row, const std::string& origin) override {
    At(row).text.source.origin = origin;
    return {};
  }
  base::Result<bool> FillSession(const Location& location, const api::Session&, int64_t) override {
    return filled_.insert(location.session).second;
  }

  base::Status Hide(RowId row, int64_t now_ms) override {
    if (At(row).state == State::kLive) At(row).hidden_ms = now_ms;
    At(row).state = State::kHidden;
    return {};
  }
  base::Result<bool> Show(RowId row) override {
    Row& shown = At(row);
    for (const Row& other : rows_) {
      if (&other != &shown && other.state == State::kLive && !other.text.topic_key.empty() &&
          other.text.topic_key == shown.text.topic_key && other.text.scope == shown.text.scope &&
          other.location.project == shown.location.project)
        return false;
    }
    shown.state = State::kLive;
    return true;
  }
  base::Result<bool> IsHiddenByClient(RowId row) override {
    return At(row).state == State::kHidden;
  }
  base::Status RefuseUndo(RowId row) override {
    no_undo.insert(row);
    return {};
  }
  Deletions& deletions() override { return *this; }

  void Retire(RowId row) { At(row).state = State::kRetired; }
  void Remove(RowId row) { At(row).state = State::kRemoved; }
  void ForgetDeletions() { log_.clear(); }
  std::set<RowId> no_undo;

 private:
  friend class FakeEpisodes;  // which stand beside the rows
  friend class FakeSweep;     // which hides and removes rows
  base::Result<DeletedRow> ReadDeleted(RowId row) override {
    const Row& at = At(row);
    DeletedRow deleted{at.text, "", "", "", "", at.state == State::kRetired};
    if (!at.history.empty()) {
      deleted.first_type = at.history.front().type;
      deleted.first_hash = at.history.front().normalized_hash;
    }
    return deleted;
  }
  base::Result<std::vector<int64_t>> TextsAt(int64_t place) override {
    std::vector<int64_t> texts;
    for (const Deletion& entry : log_)
      if (entry.place == place) texts.push_back(entry.text);
    return texts;
  }
  base::Result<bool> NewestIsDeletion(int64_t text, const Owners& owners) override {
    for (auto entry = log_.rbegin(); entry != log_.rend(); ++entry)
      if (entry->text == text && Counts(*entry, owners)) return entry->place.has_value();
    return false;
  }
  base::Result<bool> HasDeletion(int64_t text, int64_t created_ms) override {
    return std::any_of(log_.begin(), log_.end(), [&](const Deletion& entry) {
      return entry.place && entry.text == text && entry.created_ms == created_ms;
    });
  }
  base::Status Append(const Deletion& entry) override {
    log_.push_back(entry);
    return {};
  }
  base::Status Forget(const DeletionDigests& row, const Owners& owners) override {
    std::set<int64_t> places;
    for (const Deletion& entry : log_) {
      if (!entry.place) continue;
      const bool of_time = row.created_ms == 0 || entry.created_ms == row.created_ms;
      if (entry.place == row.place || (entry.text == row.text && of_time && Counts(entry, owners)))
        places.insert(*entry.place);
    }
    std::erase_if(
        log_, [&](const Deletion& entry) { return entry.place && places.contains(*entry.place); });
    return {};
  }
  static bool Counts(const Deletion& entry, const Owners& owners) {
    return !owners || !entry.owner ||
           std::find(owners->begin(), owners->end(), *entry.owner) != owners->end();
  }

  enum class State { kLive, kHidden, kRetired, kRemoved };
  struct Row {
    api::Observation text;
    Location location;
    int64_t content_ms = 0;
    State state = State::kLive;
    std::vector<api::Observation> history = {};
    std::vector<int64_t> replaced_ms = {};  // of rewritten texts
    int64_t hidden_ms = 0;
  };
  static RowId RowAt(size_t at) { return static_cast<RowId>(at) + 1; }
  Row& At(RowId row) { return rows_.at(static_cast<size_t>(row - 1)); }
  std::vector<Row> rows_;
  std::vector<Deletion> log_;
  int64_t next_id_ = 1;
  std::set<int64_t> filled_;  // sessions
  std::map<std::string, int64_t> projects_, sessions_, project_of_session_;
};

}  // namespace memory
