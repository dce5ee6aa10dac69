// The markdown format: the table of the matrix or the suite as GitHub shows it,
// and the facts under it as a list.
#include "report/fit.hh"
#include "report/matrix.hh"
#include "report/render.hh"
#include "report/suite.hh"

namespace dyno {
namespace {

std::string tables(const RunResult& run) {
  if (!is_suite(run)) return matrix_table(run).markdown();
  const Table misfits = suite_misfits(run);
  std::string text = suite_summary(run).markdown() + "\n";
  text += suite_table(run).markdown();
  return misfits.is_empty() ? text : text + "\n" + misfits.markdown();
}

}  // namespace

std::string render_markdown(const RunResult& run) {
  const Facts facts = is_suite(run) ? suite_facts(run) : matrix_facts(run);
  std::string text;
  if (!run.cells.empty())
    text = target_line(run) + ": " + effort_line(run) + "\n\n" + tables(run) +
           "\n";
  for (const Fact& fact : facts)
    text +=
        "- " + (fact.label.empty() ? "" : fact.label + ": ") + fact.text + "\n";
  return text;
}

}  // namespace dyno
