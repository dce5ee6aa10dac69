// The markdown format: the matrix table as GitHub shows it, and the facts under
// it as a list.
#include "report/matrix.hh"
#include "report/render.hh"

namespace dyno {

std::string render_markdown(const RunResult& run) {
  Facts facts = matrix_facts(run);
  std::string text;
  if (!run.cells.empty())
    text = target_line(run) + ": " + effort_line(run) + "\n\n" +
           matrix_table(run).markdown() + "\n";
  for (const Fact& fact : facts)
    text +=
        "- " + (fact.label.empty() ? "" : fact.label + ": ") + fact.text + "\n";
  return text;
}

}  // namespace dyno
