// Bodies and answers: whatever the offset and the room, the same bytes.
#include <string>

#include "server/answer.hh"
#include "server/body.hh"
#include "unit/cmocka.hh"

namespace dyno::server {
namespace {

std::string copied(const Body& body, uint64_t offset, size_t room,
                   uint64_t start) {
  std::string text(room, '?');
  Cursor cursor(offset, text);
  body.copy(cursor, start);
  text.resize(cursor.used());
  return text;
}

Body made(Body::Kind kind, uint64_t bytes) {
  Body body;
  body.kind = kind;
  body.bytes = bytes;
  return body;
}

void expect_pure(const Body& body, uint64_t start) {
  const auto size = static_cast<size_t>(body.size());
  const std::string whole = copied(body, 0, size + 10, start);
  assert_int_equal(whole.size(), size);
  for (size_t offset = 0; offset <= size; offset += 1 + offset / 7)
    for (const size_t room : {size_t{0}, size_t{1}, size_t{100}, size})
      assert_string_equal(copied(body, offset, room, start).c_str(),
                          whole.substr(offset, room).c_str());
}

void a_body_is_the_same_from_every_offset(void**) {
  for (const uint64_t bytes : {0, 1, 2, 3, 4, 5, 13, 1024, 3000, 70000})
    for (const Body::Kind kind :
         {Body::Kind::fill, Body::Kind::random, Body::Kind::chunked})
      expect_pure(made(kind, bytes), 95);
  expect_pure(text_body("Hello world!"), 0);
}

void a_random_body_follows_the_published_rule(void**) {
  const std::string text = copied(made(Body::Kind::random, 2500), 0, 2500, 33);
  for (size_t i = 0; i < text.size(); ++i)
    assert_int_equal(text[i], 32 + (33 + i % 1024) % 96);
}

void a_chunked_body_has_several_chunks(void**) {
  assert_string_equal(copied(made(Body::Kind::chunked, 10), 0, 99, 0).c_str(),
                      "3\r\nxxx\r\n3\r\nxxx\r\n3\r\nxxx\r\n1\r\nx\r\n"
                      "0\r\n\r\n");
  assert_string_equal(copied(made(Body::Kind::chunked, 0), 0, 99, 0).c_str(),
                      "0\r\n\r\n");
}

std::string composed(const Answer& answer, const Stamp& stamp) {
  std::string text(static_cast<size_t>(answer.size(stamp)), '?');
  assert_int_equal(answer.copy(stamp, 0, text), text.size());
  return text;
}

AnswerSpec hello() {
  AnswerSpec spec;
  spec.body = text_body("Hello world!");
  return spec;
}

void slices_are_whole_answers_but_for_their_beginning(void**) {
  Answer answer(hello());
  assert_true(answer.is_uniform());
  const std::string one = composed(answer, {});
  answer.prepare(5);
  assert_string_equal(std::string(answer.slice(3, 0)).c_str(),
                      (one + one + one).c_str());
  assert_string_equal(std::string(answer.slice(2, 7)).c_str(),
                      (one + one).substr(7).c_str());
  answer.prepare(1'000'000);
  const size_t most = answer.slice(answer.copies(), 0).size();
  assert_true(most >= 60'000 && most <= 65'536);
  assert_int_equal(most % one.size(), 0);
}

void a_large_answer_is_not_kept(void**) {
  AnswerSpec spec;
  spec.body = made(Body::Kind::fill, 1 << 30);
  const Answer answer(spec);
  assert_false(answer.is_uniform());
  assert_int_equal(answer.size({}), answer.head_size({}) + (1 << 30));
}

void a_stamp_adds_its_fields(void**) {
  AnswerSpec spec = hello();
  spec.is_sequenced = true;
  const Answer answer(spec);
  assert_false(answer.is_uniform());
  const std::string text =
      composed(answer, {{3, UINT64_MAX}, /*says_close=*/true});
  assert_string_equal(
      text.c_str(),
      "HTTP/1.1 200 OK\r\nServer: httpdyno\r\nContent-Type: text/plain\r\n"
      "Content-Length: 12\r\nX-Dyno-Connection: 3\r\n"
      "X-Dyno-Request: 18446744073709551615\r\nX-Dyno-Seed: 1\r\n"
      "Connection: close\r\n\r\n"
      "Hello world!");
}

void no_content_has_neither_length_nor_body(void**) {
  AnswerSpec spec = hello();
  spec.status = 204;
  assert_string_equal(composed(Answer(spec), {}).c_str(),
                      "HTTP/1.1 204 No Content\r\nServer: httpdyno\r\n\r\n");
}

}  // namespace
}  // namespace dyno::server

int main() {
  using namespace dyno::server;
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_body_is_the_same_from_every_offset),
      cmocka_unit_test(a_random_body_follows_the_published_rule),
      cmocka_unit_test(a_chunked_body_has_several_chunks),
      cmocka_unit_test(slices_are_whole_answers_but_for_their_beginning),
      cmocka_unit_test(a_large_answer_is_not_kept),
      cmocka_unit_test(a_stamp_adds_its_fields),
      cmocka_unit_test(no_content_has_neither_length_nor_body),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
