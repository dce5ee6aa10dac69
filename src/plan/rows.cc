// A plan's cells from explicit rows.
#include "plan/complete.hh"
#include "plan/options.hh"
#include "plan/plan.hh"
#include "plan/presets.hh"

namespace dyno {
namespace {

// The same text for the same value: 1k and 1000, an alias and its preset.
std::string canonical(const OptionRow& row, std::string_view text) {
  const Result<Value> value = parse_value(row, text);
  if (!value.is_ok()) return std::string(text);
  const Preset* preset =
      std::string_view(row.key) == "client" ? find_preset(text) : nullptr;
  return preset != nullptr ? preset->name : format_value(row, value.value());
}

// The options of a row that this build does not have, or that do not take the
// row's value, make `why`.
std::map<const OptionRow*, std::string> options_of(const PlanRow& row,
                                                   std::string& why) {
  std::map<const OptionRow*, std::string> options;
  for (const auto& [key, text] : row.options) {
    const OptionRow* option = plan_options().find(key);
    const Result<Value> value = option == nullptr
                                    ? Result<Value>(plan_options().unknown(key))
                                    : parse_value(*option, text);
    if (value.is_ok())
      options[option] = text;
    else if (why.empty())
      why = value.status().message;
  }
  return options;
}

}  // namespace

bool Plan::is_chosen(const PlanRow& row) const {
  for (const auto& [key, text] : row.options) {
    const OptionRow* option = plan_options().find(key);
    const auto wanted = set_.find(option);
    if (wanted == set_.end() || option->list != OptionList::expand) continue;
    const std::string value = canonical(*option, text);
    bool is_there = false;
    for (const std::string& one : wanted->second)
      is_there = is_there || canonical(*option, one) == value;
    if (!is_there) return false;
  }
  return true;
}

Cell Plan::make_row_cell(const PlanRow& row, const Chosen& chosen,
                         int64_t processors) const {
  std::string why;
  Chosen options = options_of(row, why);
  std::erase_if(options, [this](const auto& option) {
    return option.first->list != OptionList::expand &&
           is_set(option.first->key);
  });
  for (const auto& [option, text] : chosen) options[option] = text;
  Cell cell = make_cell(options, processors);
  if (why.empty()) return cell;
  // It still says which one it is.
  cell.skipped = std::move(why);
  for (const auto& [key, text] : row.options)
    if (key == "client") cell.config.client = text;
  return cell;
}

}  // namespace dyno
