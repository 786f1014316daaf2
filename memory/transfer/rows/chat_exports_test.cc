// Forms of chat exports: every text of a person or a model is in a row, and what is no text is
// told.
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

struct Export {
  const char* form;
  std::string body;
  std::vector<std::string> texts;  // in rows
  std::vector<std::string> told;   // in errors
  size_t rows = 0;
};

// A conversation of ChatGPT whose messages follow each other.
std::string ChatGpt(const std::vector<std::string>& messages, const std::string& more = "") {
  std::string mapping;
  for (size_t i = 0; i < messages.size(); ++i) {
    mapping += (i == 0 ? "" : ",") + std::string("\"n") + std::to_string(i) + R"(":{"parent":)" +
               (i == 0 ? "null" : "\"n" + std::to_string(i - 1) + "\"") + R"(,"children":[)" +
               (i + 1 == messages.size() ? "" : "\"n" + std::to_string(i + 1) + "\"") +
               R"(],"message":)" + messages[i] + "}";
  }
  return R"([{"title":"T","conversation_id":"c")" + more + R"(,"mapping":{)" + mapping + "}}]";
}

std::string Said(const std::string& role, const std::string& content,
                 const std::string& more = "") {
  return R"({"author":{"role":")" + role + R"("},"content":)" + content + more + "}";
}
std::string Parts(const std::string& parts) {
  return R"({"content_type":"multimodal_text","parts":[)" + parts + "]}";
}
std::string Text(const std::string& text) { return Parts("\"" + text + "\""); }

const Export kExports[] = {
    {"parts of unknown form",
     ChatGpt(
         {Said("user",
               Parts(R"({"content_type":"new_thing","body":{"words":"Hidden deep"}},"and plain")")),
          Said("assistant", R"({"content_type":"odd","payload":"Said oddly"})"),
          Said("critic", R"("a bare string")"),
          Said("assistant", R"({"content_type":"numbers","x":7})")}),
     {"Hidden deep", "and plain", "Said oddly", "a bare string"},
     {"numbers"},
     1},
    {"speech",
     ChatGpt({Said(
         "user",
         Parts(R"({"content_type":"audio_transcription","text":"Spoken words","direction":"in"},
        {"content_type":"audio_asset_pointer","asset_pointer":"sediment://x","format":"wav"})"))}),
     {"Spoken words"},
     {"audio_asset_pointer"},
     1},
    {"pictures and files",
     ChatGpt(
         {Said(
              "user",
              Parts(
                  R"({"content_type":"image_asset_pointer","asset_pointer":"file-service://f"},"What is this?")"),
              R"(,"metadata":{"attachments":[{"name":"plan.pdf","mimeType":"application/pdf"}]})"),
          Said("assistant", Text("A cat."))}),
     {"What is this?", "A cat."},
     {"image_asset_pointer", "file plan.pdf"},
     1},
    {"branches",
     R"([{"title":"T","conversation_id":"c","current_node":"c2","mapping":{
       "r":{"parent":null,"children":["q1","q2"],"message":null},
       "q1":{"parent":"r","children":["a1","b1"],"message":)" +
         Said("user", Text("First question")) + R"(},
       "a1":{"parent":"q1","children":[],"message":)" +
         Said("assistant", Text("First answer")) + R"(},
       "b1":{"parent":"q1","children":["x1"],"message":)" +
         Said("assistant", Text("Regenerated answer")) + R"(},
       "x1":{"parent":"b1","children":[],"message":)" +
         Said("user", Text("Thanks there")) + R"(},
       "q2":{"parent":"r","children":["c2"],"message":)" +
         Said("user", Text("Edited question")) + R"(},
       "c2":{"parent":"q2","children":[],"message":)" +
         Said("assistant", Text("Present answer")) + R"(},
       "l":{"parent":"l2","children":[],"message":)" +
         Said("user", Text("In a circle")) + R"(},
       "l2":{"parent":"l","children":[],"message":)" +
         Said("assistant", Text("Of two")) + R"(}}}])",
     {"First question", "First answer", "Regenerated answer", "Thanks there", "Edited question",
      "Present answer", "In a circle", "Of two", "other branch"},
     {},
     6},
    {"nothing said",
     R"([{"title":"Empty","conversation_id":"e","mapping":{}},{"title":"Blank","conversation_id":"b","mapping":{
       "a":{"message":)" +
         Said("user", Parts(R"("","  ")")) +
         R"(},"b":{"message":{"author":{"role":"user"},"content":null}},
       "c":{"message":7},"d":{"message":"a bare message"}}}])",
     {"a bare message"},
     {"message of unknown form"},
     1},
    {"a pair over the limit",
     ChatGpt({Said("user", Text("Go")),
              Said("assistant", Text(std::string(60'000, 'y') + " end of it"))}),
     {"end of it", "(2 of 2)"},
     {},
     2},
    {"calls of tools, and what they answer",
     ChatGpt({Said("user", Text("Plot it")),
              Said("assistant", R"({"content_type":"code","language":"python","text":"plot it"})",
                   R"(,"recipient":"python")"),
              Said("tool", R"({"content_type":"execution_output","text":"done"})"),
              Said("assistant",
                   R"({"content_type":"thoughts","thoughts":[{"summary":"s","content":"Mused"}]})"),
              Said("assistant", Text("Here it is."))}),
     {"Plot it", "Here it is."},
     {"message of assistant to python", "message of tool to all", "thoughts"},
     1},
    {"a canvas, a saved memory, instructions",
     ChatGpt(
         {Said(
              "user",
              R"({"content_type":"user_editable_context","user_profile":"I am Ann","user_instructions":"Be brief"})",
              R"(,"metadata":{"is_visually_hidden_from_conversation":true})"),
          Said("user", Text("Write a poem and note that I like tea")),
          Said(
              "assistant",
              R"({"content_type":"code","text":"{\"name\":\"poem\",\"type\":\"document\",\"content\":\"Roses in a canvas\"}"})",
              R"(,"recipient":"canmore.create_textdoc")"),
          Said("assistant", R"({"content_type":"code","text":"User likes tea."})",
               R"(,"recipient":"bio")"),
          Said("tool", Text("Model set context updated."), R"(,"name":"bio")")}),
     {"I am Ann", "Be brief", "Write a poem", "Roses in a canvas", "User likes tea."},
     {"message of tool to all"},
     3},
    {"times as text, and times that are none",
     ChatGpt({Said("user", Text("When?"), R"(,"create_time":"1711234567.5")"),
              Said("assistant", Text("Then."), R"(,"create_time":"2024-03-24 10:00:00")"),
              Said("user", Text("Soon?"), R"(,"create_time":"in March")")},
             R"(,"create_time":"last year","update_time":"2024-03-24")"),
     {"When?", "Then.", "Soon?", "created_at: in March", "2024-03-23T22:56:07.500Z"},
     {"last year", "in March"},
     2},
    {"texts of every script",
     ChatGpt({Said("user", Text("Grüße 日本語 \\ud83d\\ude00 \\u202e‮ عربى \\t tab"))}),
     {"Grüße 日本語 😀", "عربى"},
     {},
     1},
    {"Claude: blocks that differ from the text beside them",
     R"([{"uuid":"c","name":"N","summary":"What it was about","chat_messages":[
       {"sender":"human","text":"Whole text\nsecond line","content":[{"type":"text","text":"Whole text"},
         {"type":"image","source":{"media_type":"image/png","data":"AAAA"}},{"type":"future","payload":{"note":"From a new block"}}],
        "attachments":[{"file_name":"a.txt","extracted_content":"Of the file"},{"file_name":"b.bin","extracted_content":""}]},
       {"sender":"assistant","text":"","content":[{"type":"tool_use","name":"artifacts","input":{"title":"Page","content":"Artifact words"}},
         {"type":"tool_result","content":[{"type":"text","text":"ok"}]},{"type":"text","text":""}]},
       "a bare message"]}])",
     {"Whole text", "second line", "From a new block", "Of the file", "Artifact words",
      "a bare message"},
     {"image", "attachment b.bin", "tool_result"},
     1},
    {"Gemini and others: instructions, files, calls",
     R"({"systemInstruction":{"parts":[{"text":"Speak Latin"}]},"contents":[
       {"role":"user","parts":[{"text":"Salve"},{"fileData":{"fileUri":"gs://f"}}]},
       {"role":"model","parts":[{"functionCall":{"name":"f","args":{"q":"hidden"}}},{"executableCode":{"code":"print 1"
}
}]
},
       {"role":"model","parts":[{"text":"Vale"}]}]
})",
     {"Speak Latin", "Salve", "print 1", "Vale"},
     {"fileData", "functionCall"},
     2},
    {"messages with roles of any program",
     R"({"title":"Chat","messages":[{"role":"system","content":"Be kind"},{"role":"user","content":"Hello there"},
       {"role":"assistant","content":[{"type":"text","text":"Good day"}]},{"role":"tool","content":"42"}]})",
     {"Be kind", "Hello there", "Good day", "42"},
     {},
     2},
    {"one conversation alone, and a list inside of an object",
     R"({"title":"Alone","conversation_id":"z","mapping":{"a":{"message":)" +
         Said("user", Text("On my own")) +
         R"(}},"conversations":[{"uuid":"k","chat_messages":[{"sender":"human","text":"In a list"}]}],"extra":[1,2]})",
     {"On my own", "In a list"},
     {"2 elements of extra"},
     2},
};

class ChatExports : public ApiTest {};

TEST_F(ChatExports, EveryTextIsKeptAndOtherPartsReported) {
  int number = 0;
  for (const Export& one : kExports) {
    SCOPED_TRACE(one.form);
    const std::string project = "p" + std::to_string(number++);
    std::string body = one.body;  // a session is of one project
    for (const char* id : {R"("conversation_id":"c")", R"("uuid":"c")"})
      if (const size_t at = body.find(id); at != body.npos)
        body.insert(at + std::string_view(id).size() - 1, project);
    const Answered taken = PostText("/import?project=" + project, body);
    ASSERT_EQ(taken.status, 200) << taken.body;
    const Json exported = Get("/export?project=" + project).body;
    const std::string rows = exported["observations"].dump(), errors = taken.body["errors"].dump();
    for (const std::string& text : one.texts)
      EXPECT_NE(rows.find(Json(text).dump().substr(1, Json(text).dump().size() - 2)), rows.npos)
          << text << " in " << rows << errors;
    for (const std::string& told : one.told)
      EXPECT_NE(errors.find(told), errors.npos) << told << " in " << errors;
    if (one.told.empty()) EXPECT_EQ(taken.body["errors"], Json::array());
    EXPECT_EQ(exported["observations"].size(), one.rows) << rows;
    EXPECT_EQ(taken.body["imported"], one.rows);
    const Answered again = PostText("/import?project=" + project, body);
    EXPECT_EQ(again.body["imported"], 0) << again.body;
  }
}

// A pair is an episodic trace of the user, as AgentOS has it, with its title as a tag.
TEST_F(ChatExports, PairIsAnEpisodicTraceOfTheUser) {
  PostText("/import?project=p",
           ChatGpt({Said("user", Text("Ask")), Said("assistant", Text("Answer"))}));
  const Json traces = Get("/export?format=agentos-json&project=p").body["traces"];
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_EQ(traces[0]["type"], "episodic");
  EXPECT_EQ(traces[0]["scope"], "user");
  EXPECT_EQ(traces[0]["tags"], Json{"T"});
  EXPECT_EQ(traces[0]["content"], "User: Ask\n\nAssistant: Answer");
}

}  // namespace
}  // namespace memory
