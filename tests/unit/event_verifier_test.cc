// The verifier: which text goes out, and which answers pass.
#include <string>

#include "engine/event/verifier.hh"
#include "http/rnd_body.hh"
#include "http/verification.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

// Another field ends like the one that is patched.
std::string request(uint64_t id) {
  return "GET / HTTP/1.1\r\nNot-" + id_header() +
         "\r\nX-Dyno-Id: " + id_text(id) + "\r\n\r\n";
}

std::string head(uint64_t id) {
  return "HTTP/1.1 200 OK\r\nX-Dyno-Id: " + id_text(id) + "\r\n\r\n";
}

// What a verdict says: ok, or the failure's name and the reason.
std::string said(const ResponseTap::Verdict& verdict) {
  if (verdict.reason == nullptr) return "ok";
  return std::string(failure_row(verdict.failure).name) + ": " + verdict.reason;
}

void expect_said(const ResponseTap::Verdict& verdict, const std::string& text) {
  assert_string_equal(said(verdict).c_str(), text.c_str());
}

void each_request_gets_its_id(void**) {
  const std::string blank = request(0);
  Verifier verifier({.has_id = true}, blank);
  for (const uint64_t id : {0x500, 0x501, 0xabc}) verifier.add(id);
  const std::string all = request(0x500) + request(0x501) + request(0xabc);
  for (size_t offset = 0; offset < blank.size(); ++offset)
    assert_string_equal(std::string(verifier.slice(offset)).c_str(),
                        all.substr(offset).c_str());
  verifier.wrote(2);
  assert_string_equal(std::string(verifier.slice(5)).c_str(),
                      request(0xabc).substr(5).c_str());
}

void only_the_oldest_requests_id_passes(void**) {
  const std::string blank = request(0);
  for (const uint64_t came : {1, 2, 3, 0x10}) {
    Verifier verifier({.has_id = true}, blank);
    for (const uint64_t id : {1, 2, 3}) verifier.add(id);
    expect_said(verifier.head(head(1)), "ok");
    expect_said(verifier.body("any"), "ok");
    expect_said(verifier.end(), "ok");
    expect_said(verifier.head(head(came)),
                came == 2 ? "ok"
                          : "misdelivered: the answer to request \"" +
                                id_text(came) + "\" came where that to \"" +
                                id_text(2) + "\" was due");
  }
}

void an_id_is_compared_as_text(void**) {
  const std::string blank = request(0);
  for (const char* came : {"2", "0x00000000000002", "00000000000000020"}) {
    Verifier verifier({.has_id = true}, blank);
    verifier.add(2);
    const std::string bytes =
        "HTTP/1.1 200 OK\r\nX-Dyno-Id: " + std::string(came) + "\r\n\r\n";
    assert_string_not_equal(said(verifier.head(bytes)).c_str(), "ok");
  }
}

void a_new_connection_owes_no_answers(void**) {
  const std::string blank = request(0);
  Verifier verifier({.has_id = true}, blank);
  verifier.add(1);
  verifier.reset();
  verifier.add(2);
  assert_string_equal(std::string(verifier.slice(0)).c_str(),
                      request(2).c_str());
  expect_said(verifier.head(head(2)), "ok");
}

void an_answer_without_an_id_is_told_apart(void**) {
  const std::string blank = request(0);
  Verifier verifier({.has_id = true}, blank);
  verifier.add(7);
  expect_said(verifier.head("HTTP/1.1 200 OK\r\n\r\n"),
              "misdelivered: the answer has no X-Dyno-Id, where "
              "\"0000000000000007\" was due: verify.id needs a server that "
              "sends it back, as httpdyno serve does");
}

// --- bodies ------------------------------------------------------------------

constexpr const char* kPlace =
    "HTTP/1.1 200 OK\r\nX-Dyno-Seed: 9\r\nX-Dyno-Connection: 3\r\n"
    "X-Dyno-Request: 12\r\n\r\n";

std::string body(size_t size) {
  std::string text(size, '?');
  copy_rnd(text, 0, rnd_start(9, {3, 12}));
  return text;
}

// What is said of a whole answer whose body comes in pieces; one that passed
// came before it.
std::string judged(const std::string& text, size_t piece) {
  const std::string request = "GET";
  Verifier verifier({.has_body = true, .body_bytes = 2000}, request);
  expect_said(verifier.head(kPlace), "ok");
  expect_said(verifier.body(body(2000)), "ok");
  expect_said(verifier.end(), "ok");
  expect_said(verifier.head(kPlace), "ok");
  for (size_t at = 0; at < text.size(); at += piece) {
    std::string verdict = said(verifier.body(text.substr(at, piece)));
    if (verdict != "ok") return verdict;
  }
  return said(verifier.end());
}

void a_body_is_checked_to_the_last_byte(void**) {
  for (const size_t piece : {1, 7, 1024, 2000, 5000}) {
    assert_string_equal(judged(body(2000), piece).c_str(), "ok");
    for (const size_t at : {0, 1, 1023, 1024, 1999}) {
      std::string wrong = body(2000);
      wrong[at] ^= 1;
      const std::string text = "body_mismatch: byte " + std::to_string(at) +
                               " of the body, from 0, is wrong";
      assert_string_equal(judged(wrong, piece).c_str(), text.c_str());
    }
    assert_string_equal(judged(body(2001), piece).c_str(),
                        "body_mismatch: the body is longer than the 2000 bytes "
                        "that were asked for");
    assert_string_equal(judged(body(2000) + '!', piece).c_str(),
                        "body_mismatch: the body is longer than the 2000 bytes "
                        "that were asked for");
    assert_string_equal(judged(body(1999), piece).c_str(),
                        "body_mismatch: the body has 1999 bytes, not 2000");
    assert_string_equal(judged("", piece).c_str(),
                        "body_mismatch: the body has 0 bytes, not 2000");
  }
}

void a_place_that_is_not_told_is_told_apart(void**) {
  const char* heads[] = {
      "HTTP/1.1 200 OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX-Dyno-Connection: 3\r\nX-Dyno-Request: 1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX-Dyno-Seed: x\r\nX-Dyno-Connection: 3\r\n"
      "X-Dyno-Request: 1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX-Dyno-Seed: 1\r\nX-Dyno-Connection: 3a\r\n"
      "X-Dyno-Request: 1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX-Dyno-Seed: 1\r\nX-Dyno-Connection: 3\r\n"
      "X-Dyno-Request: 99999999999999999999999\r\n\r\n",
  };
  const std::string request = "GET";
  Verifier verifier({.has_body = true}, request);
  for (const char* each : heads)
    expect_said(verifier.head(each),
                "body_mismatch: the answer does not say which one it is: "
                "verify.body needs httpdyno serve --sequence-header");
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(each_request_gets_its_id),
      cmocka_unit_test(only_the_oldest_requests_id_passes),
      cmocka_unit_test(an_id_is_compared_as_text),
      cmocka_unit_test(a_new_connection_owes_no_answers),
      cmocka_unit_test(an_answer_without_an_id_is_told_apart),
      cmocka_unit_test(a_body_is_checked_to_the_last_byte),
      cmocka_unit_test(a_place_that_is_not_told_is_told_apart),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
