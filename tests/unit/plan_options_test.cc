// The option table of a run and the presets, row by row: what every row must
// have, and that words, keys and flags mean one thing each.
#include <cstring>
#include <set>
#include <string>

#include "plan/config.hh"
#include "plan/options.hh"
#include "plan/presets.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

const OptionTable& table() {
  return plan_options();
}

// The long flag that the command line makes of a key.
std::string flag_of(std::string text) {
  for (char& c : text)
    if (c == '.' || c == '_') c = '-';
  return text;
}

size_t words_in(const OptionRow& row) {
  size_t count = 1;
  for (const char* c = row.values; *c != '\0'; ++c) count += *c == '|';
  return count;
}

void every_default_is_read_and_printed_as_it_stands(void**) {
  for (const OptionRow& row : table().rows()) {
    if (row.list == OptionList::appended) {
      assert_string_equal(row.fallback, "");
      continue;
    }
    const Result<Value> value = parse_value(row, row.fallback);
    if (!value.is_ok()) print_error("%s\n", row.key);
    assert_true(value.is_ok());
    assert_string_equal(format_value(row, value.value()).c_str(), row.fallback);
  }
}

void every_row_stores_into_a_field_of_its_own(void**) {
  for (const OptionRow& row : table().rows()) {
    Config config;
    table().set_defaults(&config);
    std::string changed;  // rows whose value differs after storing this one
    Value other;
    switch (row.type) {
      case OptionType::text:
        other = row.list == OptionList::appended ? Value(Texts{"x"})
                                                 : Value(std::string("x"));
        break;
      case OptionType::flag:
        other = !std::get<bool>(row.field.load(&config));
        break;
      case OptionType::choice: {
        const auto words = static_cast<int64_t>(words_in(row));
        if (words == 1) continue;
        other = (std::get<int64_t>(row.field.load(&config)) + 1) % words;
        break;
      }
      case OptionType::rate:
        other = 12345.5;
        break;
      default:
        other = int64_t{12345};
    }
    row.field.store(&config, other);
    Config fresh;
    table().set_defaults(&fresh);
    for (const OptionRow& one : table().rows())
      if (one.field.load(&config) != one.field.load(&fresh)) changed += one.key;
    assert_string_equal(changed.c_str(), row.key);
  }
}

void no_key_and_no_flag_is_there_twice(void**) {
  std::set<std::string> keys, flags, short_flags;
  for (const OptionRow& row : table().rows()) {
    assert_true(keys.insert(row.key).second);
    assert_true(flags.insert(flag_of(row.key)).second);
    if (*row.flag != '\0') assert_true(flags.insert(row.flag).second);
    if (*row.short_flag == '\0') continue;
    assert_true(short_flags.insert(row.short_flag).second);
    assert_int_equal(strlen(row.short_flag), 1);
  }
}

// --no-x turns a flag off: no other flag may be called that.
void no_flag_looks_like_the_denial_of_another(void**) {
  for (const OptionRow& row : table().rows())
    for (const std::string& flag : {flag_of(row.key), std::string(row.flag)})
      assert_false(flag.starts_with("no-"));
}

void every_row_says_what_it_is(void**) {
  for (const OptionRow& row : table().rows()) {
    assert_true(strlen(row.help) > 10);
    assert_true(row.help[0] != ' ' && row.help[strlen(row.help) - 1] != '.');
    assert_true(*row.engines != '\0');
    assert_true(row.field.store != nullptr && row.field.load != nullptr);
    assert_true(row.min <= row.max);
    const bool has_words = row.type == OptionType::choice;
    assert_true((*row.values != '\0') == has_words);
    const char* unit = row.type == OptionType::duration ? "ns"
                       : row.type == OptionType::size   ? "bytes"
                                                        : "";
    assert_string_equal(row.unit, unit);
  }
}

void every_engine_of_a_row_is_an_engine(void**) {
  const OptionRow& engine = *table().find("engine");
  for (const OptionRow& row : table().rows()) {
    size_t known = 0;
    std::string rest = std::string(row.engines) + ",";
    for (size_t comma; (comma = rest.find(',')) != rest.npos;
         rest.erase(0, comma + 1)) {
      const std::string name = rest.substr(0, comma);
      assert_true(parse_value(engine, name).is_ok());
      assert_true(row.is_for(name));
      ++known;
    }
    assert_true(known > 0);
    assert_false(row.is_for("") || row.is_for("even") ||
                 row.is_for("even,curl"));
    const bool is_of_model = std::string(row.key).starts_with("sim.");
    const bool has_sockets = row.is_for("event") || row.is_for("curl");
    assert_true(is_of_model != has_sockets);
  }
}

void the_published_short_flags_are_there(void**) {
  const struct {
    const char* short_flag;
    const char* key;
  } cases[] = {
      {"c", "connections"}, {"t", "threads"},       {"d", "load.duration"},
      {"H", "http.header"}, {"n", "load.requests"}, {"p", "pool.depth"},
      {"X", "http.method"}, {"b", "http.body"},
  };
  for (const auto& [short_flag, key] : cases)
    assert_string_equal(table().find(key)->short_flag, short_flag);
}

// The words of a choice stand in the order of the enumerators.
void every_word_is_the_enumerator_of_its_name(void**) {
  const auto word = [](const char* key, const char* text, auto expected) {
    const OptionRow& row = *table().find(key);
    const Result<Value> value = parse_value(row, text);
    assert_true(value.is_ok());
    Config config;
    row.field.store(&config, value.value());
    assert_int_equal(std::get<int64_t>(row.field.load(&config)),
                     static_cast<int64_t>(expected));
    assert_string_equal(format_value(row, value.value()).c_str(), text);
    return size_t{1};
  };
  size_t words = word("engine", "event", Engine::event);
  words += word("engine", "sim", Engine::sim);
  words += word("pool.shard", "random", Shard::random);
  words += word("pool.shard", "round-robin", Shard::round_robin);
  words += word("pool.select", "own", Select::own);
  words += word("pool.select", "idle-lifo", Select::idle_lifo);
  words += word("pool.select", "idle-fifo", Select::idle_fifo);
  words += word("pool.select", "random", Select::random);
  words += word("pool.select", "round-robin", Select::round_robin);
  words += word("pool.select", "least-loaded", Select::least_loaded);
  words += word("pool.select", "least-ready", Select::least_ready);
  words += word("pool.full", "wait", Full::wait);
  words += word("pool.full", "fail", Full::fail);
  words += word("pool.full", "new-connection", Full::new_connection);
  words += word("pool.open", "eager", Open::eager);
  words += word("pool.open", "lazy", Open::lazy);
  words += word("pool.open", "per-request", Open::per_request);
  words += word("pool.on_close", "honour", OnClose::honour);
  words += word("pool.on_close", "reopen-now", OnClose::reopen_now);
  words += word("pool.on_close", "fail-fast", OnClose::fail_fast);
  words += word("pool.on_close", "next-use-error", OnClose::next_use_error);
  words += word("pool.on_close_pending", "fail", Pending::fail);
  words += word("pool.on_close_pending", "retry", Pending::retry);
  words += word("pool.on_close_pending", "resubmit", Pending::resubmit);
  words += word("pool.on_timeout", "close", OnTimeout::close);
  words += word("pool.on_timeout", "abandon-id", OnTimeout::abandon_id);
  words += word("pool.on_timeout", "abandon", OnTimeout::abandon);
  words += word("pool.budget", "separate", Budget::separate);
  words += word("pool.budget", "shared", Budget::shared);
  words += word("pool.budget", "active-only", Budget::active_only);
  words += word("pool.correlate", "strict", Correlate::strict);
  words += word("pool.correlate", "none", Correlate::none);
  words += word("pool.owner", "inline", OwnerKind::inlined);
  words += word("pool.owner", "serial", OwnerKind::serial);
  words += word("pool.cancel", "lazy", Cancel::lazy);
  words += word("pool.cancel", "eager", Cancel::eager);
  words += word("load.arrivals", "constant", ArrivalKind::constant);
  words += word("load.arrivals", "poisson", ArrivalKind::poisson);
  words += word("engine", "curl", Engine::curl);
  words += word("pool.select", "native", Select::native);
  words += word("http.version", "1.1", HttpVersion::v1_1);
  words += word("http.version", "2", HttpVersion::v2);
  words += word("tls.min_version", "1.2", TlsVersion::v1_2);
  words += word("tls.min_version", "1.3", TlsVersion::v1_3);
  words += word("sim.pipelined", "concurrent", Pipelined::concurrent);
  words += word("sim.pipelined", "serial", Pipelined::serial);
  words += word("run.order", "sequential", Order::sequential);
  words += word("run.order", "interleaved", Order::interleaved);
  words += word("suite.table", "auto", SuiteTable::automatic);
  words += word("suite.table", "current", SuiteTable::current);
  words += word("suite.table", "original", SuiteTable::original);
  words += word("suite.table", "all", SuiteTable::all);
  words += word("suite.mode", "auto", SuiteMode::automatic);
  words += word("suite.mode", "quick", SuiteMode::quick);
  words += word("suite.mode", "full", SuiteMode::full);
  size_t all = 0;
  for (const OptionRow& row : table().rows())
    if (row.type == OptionType::choice) all += words_in(row);
  assert_int_equal(words, all);
}

void the_texts_that_have_a_form_are_checked(void**) {
  const struct {
    const char* key;
    const char* good;
    const char* bad;
  } cases[] = {
      {"target.url", "http://127.0.0.1:8080/wait/10", "127.0.0.1"},
      {"target.url", "http://[::1]/", "ftp://localhost/"},
      {"client", "fifo-lazy", "fifo"},
      {"client", "DLHTTPC", ""},
      {"http.method", "DELETE", "GET /"},
      {"http.method", "get", ""},
      {"target.connect_to", "127.0.0.1:8080", "127.0.0.1"},
      {"target.connect_to", "[::1]:8080", "127.0.0.1:80/x"},
      {"http.header", "X-A: b, c", "no colon"},
      {"http.header", "Host: other", "X: a\r\nY: b"},
      {"http.header", "X:", ""},
  };
  for (const auto& [key, good, bad] : cases) {
    const OptionRow& row = *table().find(key);
    assert_true(parse_value(row, good).is_ok());
    const Result<Value> refused = parse_value(row, bad);
    assert_false(refused.is_ok());
    assert_true(refused.status().code == Code::value);
    assert_string_equal(refused.status().key.c_str(), key);
    assert_int_equal(refused.status().message.find(key), 0);
  }
}

// --- presets -----------------------------------------------------------------

void every_preset_can_be_read_about(void**) {
  std::set<std::string> names;
  for (const Preset& preset : presets()) {
    assert_true(names.insert(preset.name).second);
    if (*preset.alias != '\0') assert_true(names.insert(preset.alias).second);
    assert_true(*preset.help != '\0' && *preset.law != '\0' &&
                *preset.source != '\0');
    assert_true(&preset == find_preset(preset.name));
  }
  for (const char* name : {"dedicated", "fifo-lazy", "fifo-patient",
                           "random-trylock", "random-mux-failfast", "none"})
    assert_true(names.contains(name));
}

void every_axis_of_a_preset_is_an_option_with_a_good_value(void**) {
  for (const Preset& preset : presets()) {
    std::set<std::string> keys;
    for (const PresetAxis& axis : preset.axes) {
      const OptionRow* row = table().find(axis.key);
      assert_non_null(row);
      assert_true(keys.insert(axis.key).second);
      assert_true(parse_value(*row, axis.value).is_ok());
      assert_ptr_equal(preset.axis(axis.key), axis.value);
    }
    assert_null(preset.axis("client"));
    assert_null(preset.axis(""));
  }
}

// How disciplines are told apart: pool.* and the one time they come with.
void a_preset_touches_nothing_but_its_discipline(void**) {
  for (const Preset& preset : presets())
    for (const PresetAxis& axis : preset.axes) {
      const std::string key = axis.key;
      assert_true(key.starts_with("pool.") || key == "request.timeout");
      assert_true(key != "pool.count" && key != "pool.size");
    }
}

void a_client_is_found_by_its_published_name_in_any_case(void**) {
  const struct {
    const char* name;
    const char* preset;
  } cases[] = {
      {"Buoy", "random-mux-failfast"},
      {"buoy", "random-mux-failfast"},
      {"BUOY", "random-mux-failfast"},
      {"Dlhttpc", "random-trylock"},
      {"hackney", "fifo-patient"},
      {"finch", "fifo-lazy"},
      {"wrk", "dedicated"},
      {"none", "none"},
      {"Mint", "none-leak"},
      {"MachineGun", "fifo-eager"},
      {"mojito", "fifo-eager-sharded"},
      {"Ibrowse", "least-pipeline"},
      {"Httpc", "least-queue"},
      {"Shackle", "random-mux-skipdown"},
  };
  for (const auto& [name, preset] : cases) {
    const Preset* found = find_preset(name);
    assert_non_null(found);
    assert_string_equal(found->name, preset);
  }
  for (const char* name : {"", "fifo", "Fifo-Lazy", "buoy ", "mints"})
    assert_null(find_preset(name));
}

void an_unknown_client_names_the_nearest_or_all(void**) {
  const Status near = unknown_preset("fifo-lasy");
  assert_true(near.code == Code::value);
  assert_string_equal(near.key.c_str(), "client");
  assert_string_equal(near.message.c_str(),
                      "client: \"fifo-lasy\" is no discipline; did you mean "
                      "fifo-lazy?");
  const std::string far = unknown_preset("qqqqqqqqqqqqqqqqqqqq").message;
  for (const Preset& preset : presets())
    assert_true(far.find(preset.name) != far.npos);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(every_default_is_read_and_printed_as_it_stands),
      cmocka_unit_test(every_row_stores_into_a_field_of_its_own),
      cmocka_unit_test(no_key_and_no_flag_is_there_twice),
      cmocka_unit_test(no_flag_looks_like_the_denial_of_another),
      cmocka_unit_test(every_row_says_what_it_is),
      cmocka_unit_test(every_engine_of_a_row_is_an_engine),
      cmocka_unit_test(the_published_short_flags_are_there),
      cmocka_unit_test(every_word_is_the_enumerator_of_its_name),
      cmocka_unit_test(the_texts_that_have_a_form_are_checked),
      cmocka_unit_test(every_preset_can_be_read_about),
      cmocka_unit_test(every_axis_of_a_preset_is_an_option_with_a_good_value),
      cmocka_unit_test(a_preset_touches_nothing_but_its_discipline),
      cmocka_unit_test(a_client_is_found_by_its_published_name_in_any_case),
      cmocka_unit_test(an_unknown_client_names_the_nearest_or_all),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
