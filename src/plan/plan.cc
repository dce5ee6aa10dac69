#include "plan/plan.hh"

#include <algorithm>
#include <string>

#include "plan/complete.hh"
#include "plan/options.hh"
#include "plan/presets.hh"

namespace dyno {
namespace {

using Chosen = std::map<const OptionRow*, std::string>;
using Set = std::map<const OptionRow*, Texts>;

void store(const OptionRow& row, std::string_view text, Config& config) {
  row.field.store(&config, parse_value(row, text).value());
}

// Every combination of the list-valued options, the first row slowest; not of
// those in `without`.
std::vector<Chosen> combinations(const Set& settings,
                                 const Chosen& without = {}) {
  std::vector<Chosen> all(1);
  for (const OptionRow& row : plan_options().rows()) {
    const auto found = settings.find(&row);
    if (found == settings.end() || row.list != OptionList::expand) continue;
    if (without.contains(&row)) continue;
    std::vector<Chosen> next;
    for (const Chosen& sofar : all)
      for (const std::string& value : found->second) {
        next.push_back(sofar);
        next.back()[&row] = value;
      }
    all = std::move(next);
  }
  return all;
}

std::vector<Cell> repeated(std::vector<Cell> cells) {
  if (cells.empty()) return cells;
  const Config& first = cells.front().config;
  std::vector<Cell> all;
  for (int64_t i = 0; i < first.repeat; ++i)
    for (Cell& cell : cells) {
      cell.repeat = i;
      all.push_back(cell);
    }
  if (first.order == Order::interleaved || first.repeat == 1) return all;
  const size_t count = cells.size();
  std::vector<Cell> sequential;
  for (size_t c = 0; c < count; ++c)
    for (size_t i = c; i < all.size(); i += count)
      sequential.push_back(std::move(all[i]));
  return sequential;
}

std::string joined(const OptionRow& row, const Texts& texts) {
  const char* separator = row.list == OptionList::appended ? "\n" : ",";
  std::string text;
  for (const std::string& one : texts) {
    if (&one != &texts.front()) text += separator;
    text += one;
  }
  return text;
}

Status no_url() {
  return fail(Code::state,
              "target.url is not set; give a URL such as "
              "http://127.0.0.1:8080/",
              "target.url");
}

Engine engine_of(std::string_view text) {
  Config config;
  store(*plan_options().find("engine"), text, config);
  return config.engine;
}

}  // namespace

std::string Cell::text() const {
  const auto number = [](int64_t n) { return std::to_string(n); };
  std::string line = config.client + " " + number(config.pool_count) + " x " +
                     number(config.pool_size) + ", ";
  const OptionRow& rate = *plan_options().find("load.rate");
  line += config.is_open_loop()
              ? format_value(rate, Value(config.rate)) + "/s in open loop"
              : number(config.callers) + " callers";
  if (config.depth > 1) line += ", depth " + number(config.depth);
  if (config.repeat > 1)
    line += ", round " + number(repeat + 1) + " of " + number(config.repeat);
  return line;
}

const Annotation* Cell::annotation(std::string_view key) const {
  for (const Annotation& one : annotations)
    if (one.key == key) return &one;
  return nullptr;
}

Status Plan::set(std::string_view key, std::string_view text) {
  return put(key, text, false);
}

Status Plan::append(std::string_view key, std::string_view text) {
  return put(key, text, true);
}

Status Plan::put(std::string_view key, std::string_view text, bool adds) {
  const OptionRow* row = plan_options().find(key);
  if (row == nullptr) return plan_options().unknown(key);
  if (adds && row->list == OptionList::single)
    return fail(Code::value,
                std::string(key) + ": takes one value; set it instead",
                row->key);
  Texts texts = split_list(*row, text);
  for (const std::string& one : texts) {
    const Result<Value> value = parse_value(*row, one);
    if (!value.is_ok()) return value.status();
  }
  Texts& held = set_[row];
  if (!adds) held.clear();
  held.insert(held.end(), texts.begin(), texts.end());
  joined_[row] = joined(*row, held);
  return {};
}

Status Plan::set_int(std::string_view key, int64_t value) {
  const OptionRow* row = plan_options().find(key);
  if (row == nullptr) return plan_options().unknown(key);
  switch (row->type) {
    case OptionType::duration:
      return set(key, std::to_string(value) + "ns");
    case OptionType::flag:
      return set(key, value != 0 ? "on" : "off");
    case OptionType::count:
    case OptionType::size:
    case OptionType::rate:
      return set(key, std::to_string(value));
    case OptionType::choice:
    case OptionType::text:
      break;
  }
  return fail(Code::value, std::string(key) + ": takes no number; use a text",
              row->key);
}

Status Plan::set_real(std::string_view key, double value) {
  const OptionRow* row = plan_options().find(key);
  if (row == nullptr) return plan_options().unknown(key);
  if (row->type != OptionType::rate)
    return fail(Code::value,
                std::string(key) + ": takes no real number; only rates do",
                row->key);
  return set(key, format_value(*row, Value(value)));
}

const char* Plan::get(std::string_view key) const {
  const OptionRow* row = plan_options().find(key);
  if (row == nullptr) return nullptr;
  const auto found = joined_.find(row);
  return found == joined_.end() ? row->fallback : found->second.c_str();
}

bool Plan::is_set(std::string_view key) const {
  const OptionRow* row = plan_options().find(key);
  return row != nullptr && set_.contains(row);
}

Cell Plan::make_cell(const Chosen& chosen, int64_t processors) const {
  Cell cell;
  plan_options().set_defaults(&cell.config);
  for (const auto& [row, texts] : set_)
    if (row->list == OptionList::appended)
      row->field.store(&cell.config, Value(texts));
    else if (row->list == OptionList::single)
      store(*row, texts.front(), cell.config);
  for (const auto& [row, text] : chosen) store(*row, text, cell.config);
  const auto given = [&](std::string_view key) {
    return is_set(key) || chosen.contains(plan_options().find(key));
  };
  const Preset* preset = find_preset(cell.config.client);
  for (const PresetAxis& axis : preset->axes)
    if (!given(axis.key))
      store(*plan_options().find(axis.key), axis.value, cell.config);
  cell.config.client = preset->name;
  cell.skipped = complete_config(cell.config, given, processors).message;
  cell.expected_ns = cell.config.duration_ns == 0
                         ? 0
                         : cell.config.warmup_ns + cell.config.duration_ns;
  return cell;
}

Result<std::vector<Cell>> Plan::cells(int64_t processors) const {
  Status status = check_together();
  if (!status.is_ok()) return status;
  if (rows_ != nullptr) return cells_of_rows(processors);
  if (engine_of(get("engine")) != Engine::sim && *get("target.url") == '\0')
    return no_url();
  std::vector<Cell> cells;
  for (const Chosen& chosen : combinations(set_))
    cells.push_back(make_cell(chosen, processors));
  if (cells.size() == 1 && !cells.front().skipped.empty()) {
    std::string& why = cells.front().skipped;
    std::string key = why.substr(0, why.find(':'));
    return fail(Code::value, std::move(why), std::move(key));
  }
  return repeated(std::move(cells));
}

Result<std::vector<Cell>> Plan::cells_of_rows(int64_t processors) const {
  const Result<std::vector<PlanRow>> rows = rows_->rows(*this);
  if (!rows.is_ok()) return rows.status();
  std::vector<Cell> cells;
  for (const PlanRow& row : rows.value()) {
    if (!is_chosen(row)) continue;
    Chosen fixed;
    for (const auto& [key, text] : row.options)
      fixed[plan_options().find(key)] = text;
    for (const Chosen& chosen : combinations(set_, fixed)) {
      Cell cell = make_row_cell(row, chosen, processors);
      if (!cell.config.is_modelled() && cell.config.url.empty())
        return no_url();
      cell.annotations = row.annotations;
      if (cell.skipped.empty()) rows_->finish(cell);
      cells.push_back(std::move(cell));
    }
  }
  if (cells.empty())
    return fail(Code::value,
                std::string(rows_->name) +
                    " has no row of that kind; see which clients, sizes and "
                    "callers it has, and choose among them",
                "client");
  return repeated(std::move(cells));
}

// What contradicts itself whatever the cells are.
Status Plan::check_together() const {
  const auto given = [this](const char* key) { return is_set(key); };
  Status status = check_engine(engine_of(get("engine")), given);
  if (!status.is_ok()) return status;
  if (is_set("connections") && (is_set("pool.count") || is_set("pool.size")))
    return fail(Code::value,
                "connections: give the total of connections, or pool.count "
                "and pool.size, not both",
                "connections");
  if (rows_ != nullptr && is_set("connections"))
    return fail(Code::value,
                std::string("connections: the rows of ") + rows_->name +
                    " have their own pools; leave it out",
                "connections");
  for (const char* key : {"suite.table", "suite.mode"})
    if (rows_ == nullptr && is_set(key))
      return fail(Code::value,
                  std::string(key) +
                      ": there is no suite in this plan; leave "
                      "it out, or ask for a suite",
                  key);
  return {};
}

}  // namespace dyno
