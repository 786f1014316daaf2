// Test code: episodes in memory, beside observations of FakeObservations.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/text/text.h"
#include "memory/rows/episodes.h"
#include "memory/rows/fake_observations_fixture.h"

namespace memory {

class FakeEpisodes final : public EpisodeRows {
 public:
  explicit FakeEpisodes(FakeObservations& observations) : of_(observations) {}
  base::Result<std::optional<int64_t>> FindProject(const std::string& name) override {
    const auto found = of_.projects_.find(base::FoldCase(name));
    return found == of_.projects_.end() ? std::nullopt : std::optional(found->second);
  }
  base::Result<int64_t> FindOrAddProject(const std::string& name) override {
    const int64_t next = std::ssize(of_.projects_) + 1;
    return of_.projects_.emplace(base::FoldCase(name), next).first->second;
  }
  base::Result<bool> IsElsewhere(const std::string& session, int64_t project) override {
    const auto found = of_.project_of_session_.find(session);
    return found != of_.project_of_session_.end() && found->second != project;
  }
  base::Result<std::optional<KnownEpisode>> Find(int64_t id) override {
    return First([&](const Row& row) { return row.episode.id == id && IsLive(row); });
  }
  base::Result<bool> HasId(int64_t id) override {
    return First([&](const Row& row) { return row.episode.id == id; }).has_value();
  }
  base::Result<std::optional<KnownEpisode>> FindSame(int64_t project,
                                                     const Episode& episode) override {
    return First([&](const Row& row) {
      const Episode& one = row.episode;
      return row.project == project && one.conversation == episode.conversation &&
             one.summary == episode.summary && one.agent == episode.agent &&
             one.user == episode.user && IsLive(row);
    });
  }
  base::Result<std::optional<int64_t>> FindObservation(int64_t project,
                                                       const Episode& episode) override {
    const FakeObservations::Row* newest = nullptr;
    for (const auto& row : of_.rows_) {
      const bool same = row.state == FakeObservations::State::kLive &&
                        row.location.project == project && row.text.scope == "project" &&
                        row.text.type == kEpisodeType && row.text.content == episode.summary;
      if (same && (!newest || row.content_ms > newest->content_ms)) newest = &row;
    }
    return newest ? std::optional(newest->text.id) : std::nullopt;
  }
  base::Result<std::vector<Episode>> OfConversation(int64_t project,
                                                    const std::string& conversation) override {
    std::vector<Episode> found;
    for (const Row& row : rows_) {
      if (row.project != project || row.episode.conversation != conversation || !IsLive(row))
        continue;
      found.push_back(row.episode);
      found.back().summary = of_.Read((*of_.Find(row.observation))->row)->content;
    }
    std::ranges::sort(found, {},
                      [](const Episode& one) { return std::pair(one.created_ms, one.id); });
    return found;
  }
  base::Result<int64_t> Insert(int64_t project, int64_t observation, const Episode& episode,
                               int64_t id) override {
    if (id == 0) id = highest_ + 1;
    rows_.push_back({episode, project, observation});
    rows_.back().episode.id = id;
    highest_ = std::max(highest_, id);
    return id;
  }

 private:
  struct Row {
    Episode episode;
    int64_t project = 0, observation = 0;
  };
  bool IsLive(const Row& row) const {
    const auto place = *of_.Find(row.observation);
    return place && place->live;
  }
  template <class Match>
  std::optional<KnownEpisode> First(const Match& match) const {
    std::optional<KnownEpisode> first;
    for (const Row& row : rows_) {
      if (match(row) && (!first || row.episode.id < first->id))
        first = {row.episode.id, row.episode.created_ms};
    }
    return first;
  }
  FakeObservations& of_;
  std::vector<Row> rows_;
  int64_t highest_ = 0;
};

}  // namespace memory
