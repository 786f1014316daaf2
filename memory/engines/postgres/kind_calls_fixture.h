// Random calls of the other kinds of memory: items, shared memory, conversations, traces, episodes,
// and rules of retention; each with what it answers.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/conversation/conversations.h"
#include "memory/engines/postgres/told_fixture.h"
#include "memory/store/store.h"

namespace memory {

// Of one series: all choices are made before the call, so that each store gets the same one.
class KindCalls {
 public:
  using Call = std::function<std::string(Store&)>;
  KindCalls(std::mt19937& random, int64_t now_ms, std::function<std::string()> text)
      : random_(random), now_ms_(now_ms), text_(std::move(text)) {}
  Call Any() {
    switch (Pick(12)) {
      case 0:
      case 1:
      case 2:
        return OfItems();
      case 3:
        return OfSharedMemory();
      case 4:
      case 5:
      case 6:
        return OfConversations();
      case 7:
      case 8:
      case 9:
        return OfTraces();
      case 10:
        return OfEpisodes();
      default:
        return Pick(5) ? OfTraces() : OfRetention();
    }
  }

 private:
  int Pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  std::string Project() { return "p" + std::to_string(Pick(3)); }
  Cell AnyCell(const std::string& owner, int keys) {
    Cell cell{owner, "k" + std::to_string(Pick(keys)), base::DumpJson(base::Json(text_()))};
    const int64_t ttls[] = {0, 60'000'000'000, 3'600'000'000'000};
    cell.ttl_ns = ttls[Pick(3)];
    return cell;
  }
  Precondition AnyCondition() {
    Precondition condition;
    if (Pick(4) == 0) condition.absent = true;
    if (Pick(6) == 0) condition.present = true;
    if (Pick(6) == 0) condition.version = 1 + Pick(50);
    return condition;
  }

  Call OfItems() {
    const Cell cell = AnyCell(Project(), 12);
    const Precondition condition = AnyCondition();
    const std::string question = Pick(3) ? text_() : "";
    switch (Pick(7)) {
      case 0:
      case 1:
        return [=](Store& store) {
          return ToldOf<CellWritten>(store.items().Put(cell, condition), ToldWritten);
        };
      case 2:
        return [=](Store& store) {
          return ToldOf<Cell>(store.items().Get(cell.owner, cell.key), ToldCell);
        };
      case 3:
        return [=](Store& store) {
          return ToldOf<CellWritten>(store.items().Remove(cell.owner, cell.key, condition),
                                     ToldWritten);
        };
      case 4: {
        ItemChange change;
        if (Pick(2)) change.value = cell.value;
        if (Pick(2)) change.metadata = base::DumpJson({{"note", question}});
        if (Pick(3) == 0) change.ttl_ns = cell.ttl_ns;
        return [=](Store& store) {
          return ToldOf<CellWritten>(store.items().Change(cell.owner, cell.key, change, condition),
                                     ToldWritten);
        };
      }
      case 5:
        return [=](Store& store) {
          return ToldOf<std::vector<Cell>>(store.items().List(cell.owner, "", 20, 1 << 20),
                                           ToldCells);
        };
      default:
        return [=](Store& store) {
          return ToldOf<FoundItems>(store.items().Retrieve(cell.owner, question, 10),
                                    [](const FoundItems& found) {
                                      base::Json list = base::Json::array();
                                      for (const FoundItem& one : found.rows)
                                        list.push_back({ToldCell(one.item), one.score, one.method});
                                      return base::Json{list, found.partial};
                                    });
        };
    }
  }

  Call OfSharedMemory() {
    const Cell cell = AnyCell("agent" + std::to_string(Pick(3)), 4);
    const Precondition condition = AnyCondition();
    switch (Pick(4)) {
      case 0:
      case 1:
        return [=](Store& store) {
          return ToldOf<CellWritten>(store.cells(kSharedCells).Put(cell, condition), ToldWritten);
        };
      case 2:
        return [=](Store& store) {
          return ToldOf<CellWritten>(store.cells(kSharedCells).Remove(cell.owner, cell.key),
                                     ToldWritten);
        };
      default:
        return [=](Store& store) {
          return ToldOf<std::vector<Cell>>(store.cells(kSharedCells).List(cell.owner, "", 9, 4096),
                                           ToldCells);
        };
    }
  }

  Call OfConversations() {
    const std::string caller = Pick(2) ? "ann" : "", id = "c" + std::to_string(Pick(4));
    const int64_t from = 1 + Pick(8), now_ms = now_ms_;
    const auto reads = [=](std::function<base::Result<conversation::MessagePage>(
                               conversation::Rows&, const std::string&)>
                               read) -> Call {
      return [=](Store& store) {
        const auto host = store.Conversations(caller);
        return ToldOf<base::Json>(
            host->Read([&](conversation::Rows& rows) -> base::Result<base::Json> {
              ASSIGN_OR_RETURN(const conversation::MessagePage page, read(rows, host->Key(id)));
              base::Json list = base::Json::array();
              for (const conversation::Message& one : page.messages)
                list.push_back(conversation::EncodeMessage(one));
              return base::Json{list, page.more, page.out_of_tokens};
            }),
            [](const base::Json& told) { return told; });
      };
    };
    switch (Pick(5)) {
      case 0:
      case 1: {
        std::vector<conversation::Message> messages;
        for (int i = 0, n = 1 + Pick(3); i < n; ++i) {
          conversation::Message& one = messages.emplace_back();
          one.role = Pick(6) == 0 ? "system" : Pick(2) ? "user" : "assistant";
          one.content = text_();
        }
        return [=](Store& store) {
          const auto host = store.Conversations(caller);
          return ToldOf<base::Json>(
              host->Write([&](conversation::Rows& rows) -> base::Result<base::Json> {
                ASSIGN_OR_RETURN(const int64_t last,
                                 conversation::Append(rows, host->Key(id), messages, now_ms));
                return base::Json(last);
              }),
              [](const base::Json& told) { return told; });
        };
      }
      case 2:
        return reads([=](conversation::Rows& rows, const std::string& key) {
          return conversation::NewestMessages(rows, key, 5 * from);
        });
      case 3:
        return reads([=](conversation::Rows& rows, const std::string& key) {
          return conversation::MessagesBetween(rows, key, from, from + 5);
        });
      default:
        return [=](Store& store) {
          const auto host = store.Conversations(caller);
          return ToldOf<base::Json>(
              host->Read([&](conversation::Rows& rows) -> base::Result<base::Json> {
                ASSIGN_OR_RETURN(const conversation::ConversationPage page,
                                 rows.ListConversations("", {.limit = 3}));
                base::Json list = base::Json::array();
                for (const conversation::Conversation& one : page.conversations)
                  list.push_back(conversation::EncodeConversation(one));
                return base::Json{list, page.more};
              }),
              [](const base::Json& told) { return told; });
        };
    }
  }

  // Ids of traces are random: a trace is named by its place among the newest ones.
  Call OfTraces() {
    TraceContext context;
    context.project = Project();
    context.user = Pick(2) ? "ann" : "bob";
    const int place = Pick(12), other = Pick(12);
    const std::string text = text_();
    const auto of_one = [=](std::function<std::string(Store&, const std::string&)> call) -> Call {
      return [=](Store& store) {
        const std::string id = TraceAt(store, context, place);
        return id.empty() ? "none" : call(store, id);
      };
    };
    const auto told_flag = [](const bool& done) { return base::Json(done); };
    switch (Pick(9)) {
      case 0:
      case 1:
      case 2: {
        NewTrace trace;
        trace.content = text;
        trace.tags = {"t" + std::to_string(Pick(3))};
        if (Pick(6) == 0) {
          trace.kind = kProspective;
          trace.remind_ms = now_ms_ - Pick(3) * 3'600'000LL;
        }
        return [=](Store& store) {
          return ToldOf<TraceAdded>(store.traces().Add(context, trace),
                                    [](const TraceAdded& added) { return added.created; });
        };
      }
      case 3: {
        TraceChange change;
        if (Pick(2)) change.content = text;
        if (Pick(2)) change.tags = std::vector<std::string>{"changed"};
        return of_one([=](Store& store, const std::string& id) {
          return ToldOf<bool>(store.traces().Update(context, id, change), told_flag);
        });
      }
      case 4:
        return of_one([=](Store& store, const std::string& id) {
          return ToldOf<bool>(store.traces().Delete(context, id, text, {}), told_flag);
        });
      case 5:
        return of_one([=](Store& store, const std::string& id) {
          const TraceEdge edge{TraceAt(store, context, other), "about", 0.5};
          return ToldOf<bool>(store.traces().PutEdge(context, id, edge), told_flag);
        });
      case 6:
        return of_one([=](Store& store, const std::string& id) {
          const std::vector<std::string> ids = {id, TraceAt(store, context, other)};
          return ToldOf<TraceMerged>(
              store.traces().Merge(context, ids, "", {}, {}),
              [](const TraceMerged& merged) { return merged.sources_deleted; });
        });
      case 7:
        return [=](Store& store) {
          base::Json all = {ToldTraces(store.traces().Newest(context, 12)),
                            ToldTraces(store.traces().Due(context, 12))};
          return base::DumpJson(all);
        };
      default: {
        TraceQuestion question;
        question.text = text;
        return [=](Store& store) {
          return ToldOf<FoundTraces>(
              store.traces().Search(context, question), [](const FoundTraces& found) {
                base::Json list = base::Json::array();
                for (const FoundTrace& one : found.rows)
                  list.push_back({ToldTrace(one.trace), one.score, one.scores.lexical,
                                  one.scores.similarity, one.scores.graph});
                return base::Json{list, found.partial};
              });
        };
      }
    }
  }
  static std::string TraceAt(Store& store, const TraceContext& context, int place) {
    const auto newest = store.traces().Newest(context, 12);
    if (!newest || newest->empty()) return "";
    return (*newest)[static_cast<size_t>(place) % newest->size()].id;
  }

  Call OfEpisodes() {
    Episode episode;
    episode.project = Project();
    episode.conversation = "c" + std::to_string(Pick(3));
    episode.agent = "coder";
    if (Pick(2)) episode.user = "ann";
    episode.summary = text_();
    episode.created_ms = now_ms_;
    const int64_t now_ms = now_ms_;
    switch (Pick(3)) {
      case 0:
        return [=](Store& store) {
          return ToldOf<EpisodeSaved>(
              store.SaveEpisode(episode, {}, "", now_ms), [](const EpisodeSaved& saved) {
                return base::Json{saved.id, saved.created_ms, saved.repeated};
              });
        };
      case 1:
        return [=](Store& store) {
          return ToldOf<std::vector<Episode>>(
              store.EpisodesOf(episode.project, episode.conversation),
              [](const std::vector<Episode>& all) {
                base::Json list = base::Json::array();
                for (const Episode& one : all) list.push_back({one.id, one.summary});
                return list;
              });
        };
      default: {
        EpisodeQuestion question;
        question.project = episode.project;
        question.text = episode.summary;
        question.agent = episode.agent;
        question.user = episode.user;
        return [=](Store& store) {
          return ToldOf<std::vector<FoundEpisode>>(
              store.SearchEpisodes(question), [](const std::vector<FoundEpisode>& found) {
                base::Json list = base::Json::array();
                for (const FoundEpisode& one : found)
                  list.push_back({one.episode.id, one.similarity, one.method});
                return list;
              });
        };
      }
    }
  }

  Call OfRetention() {
    const std::string project = Project();
    RetentionRules rules;
    if (Pick(3) == 0) rules.push_back({"discovery", "project", 36'000'000, 0});
    return [=](Store& store) {
      const base::Status set = store.SetRetention(project, rules);
      return ToldOf<RetentionRules>(store.Retention(project), EncodeRetention) +
             (set ? "" : ToldError(set.error()));
    };
  }

  std::mt19937& random_;
  const int64_t now_ms_;
  const std::function<std::string()> text_;
};

}  // namespace memory
