// What a tap sees of answers, however their bytes come, and what becomes of
// one that it objects to.
#include <string>
#include <utility>

#include "unit/http_play.hh"

namespace dyno {
namespace {

// Notes all it sees; objects to a text that is part of it.
class Notebook final : public ResponseTap {
 public:
  explicit Notebook(std::string_view against = {}) : against_(against) {}

  Verdict head(std::string_view head) override {
    text += "[";
    text += head.substr(9, 3);
    return judge(head);
  }
  Verdict body(std::string_view piece) override {
    body_ += piece;
    return judge(body_);
  }
  Verdict end() override {
    text += " " + std::exchange(body_, {}) + "]";
    return judge(text);
  }

  std::string text;

 private:
  Verdict judge(std::string_view seen) const {
    const bool objects = !against_.empty() && seen.find(against_) != seen.npos;
    return {Failure::body_mismatch, objects ? "no" : nullptr};
  }

  std::string_view against_;
  std::string body_;
};

// What was seen, then what was completed and the state.
std::string tapped(const Pieces& pieces, std::string_view against) {
  HeadParser heads(kHeadLimit);
  ResponseReader reader;
  Notebook notebook(against);
  std::string pending, done_text;
  ResponseReader::Read read;
  std::vector<Response> done;
  for (const std::string_view piece : pieces) {
    pending += piece;
    read = reader.feed(heads, pending, RequestKind::ordinary,
                       8 - count_of(done), 1, done, &notebook);
    pending.erase(0, read.consumed);
    if (read.state != ResponseReader::State::open) break;
  }
  if (read.state == ResponseReader::State::open)
    read = reader.finish(done, &notebook);
  note(done_text, done);
  std::string text = notebook.text + " = " + done_text + name_of(read.state);
  if (read.state == ResponseReader::State::failed) {
    text += read.failure == Failure::body_mismatch ? " " : " otherwise ";
    text += read.reason;
  }
  return text;
}

constexpr std::string_view kThree =
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    "HTTP/1.1 100 Continue\r\n\r\n"
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    "2\r\nwo\r\n3;x\r\nrld\r\n0\r\nT: 1\r\n\r\n"
    "HTTP/1.1 204 No\r\n\r\n";

void equal_answers_are_seen_one_by_one(void**) {
  for_each_splitting(kThree, [](const Pieces& pieces) {
    assert_string_equal(tapped(pieces, {}).c_str(),
                        "[200 hello][200 hello][200 world][204 ] = "
                        "200:5 200:5 200:5 204:0 open");
  });
}

void an_objection_fails_that_answer_alone(void**) {
  const struct {
    const char* against;
    const char* transcript;
  } cases[] = {
      {"chunked", "[200 hello][200 hello][200 = 200:5 200:5 failed no"},
      {"wor", "[200 hello][200 hello][200 = 200:5 200:5 failed no"},
      {" world]", "[200 hello][200 hello][200 world] = 200:5 200:5 failed no"},
      {"204 No",
       "[200 hello][200 hello][200 world][204 = "
       "200:5 200:5 200:5 failed no"},
      {"hel", "[200 = failed no"},
      {" hello]", "[200 hello] = failed no"},
  };
  for (const auto& [against, transcript] : cases)
    for_each_splitting(kThree, [&](const Pieces& pieces) {
      assert_string_equal(tapped(pieces, against).c_str(), transcript);
    });
}

void an_answer_until_close_ends_with_the_stream(void**) {
  for_each_splitting("HTTP/1.1 200 OK\r\n\r\nrest", [](const Pieces& pieces) {
    assert_string_equal(tapped(pieces, {}).c_str(),
                        "[200 rest] = 200:4! closing");
    assert_string_equal(tapped(pieces, "rest]").c_str(),
                        "[200 rest] = failed no");
  });
}

void a_chunk_that_is_malformed_stays_one(void**) {
  for_each_splitting(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nwo!",
      [](const Pieces& pieces) {
        assert_string_equal(tapped(pieces, {}).c_str(),
                            "[200 = failed otherwise a malformed chunk");
      });
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(equal_answers_are_seen_one_by_one),
      cmocka_unit_test(an_objection_fails_that_answer_alone),
      cmocka_unit_test(an_answer_until_close_ends_with_the_stream),
      cmocka_unit_test(a_chunk_that_is_malformed_stays_one),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
