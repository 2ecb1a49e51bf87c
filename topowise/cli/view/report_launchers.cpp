// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/view/launcher_limits.hpp>
#include <topowise/cli/view/report_view.hpp>
#include <topowise/job/place_binding.hpp>
#include <topowise/launch/launcher.hpp>

namespace topowise::cli {
namespace {

constexpr const char* kMappingFile = "app.mapping";
constexpr std::size_t kLongestText = 6000;  ///< bytes of a launcher's file that the page shows

void add_launcher(const Launcher& launcher, const Comparison& comparison, const Placement& placement,
                  const Origin& origin, Page& page) {
  const std::string mapping = origin.mapping.empty() ? kMappingFile : origin.mapping;
  const std::string plain = launcher.text(placement);
  const std::string text = with_mapping_file(plain, mapping);
  const std::string file = fmt::format("app.{}", launcher.name);
  page.begin_fold(fmt::format("{}: {}", launcher.name, launcher.help));
  std::string use = with_word(std::string(launcher.use), "FILE", file);
  use = with_word(std::move(use), "N", std::to_string(comparison.mapping.ranks()));
  use = with_word(std::move(use), "NODES", std::to_string(placement.nodes.size()));
  use = with_mapping_file(std::move(use), mapping);
  page.code(use);
  if (const std::string note = launcher.note != nullptr ? launcher.note(placement) : ""; !note.empty())
    page.paragraph(note + ".", "soft");
  for (const std::string& limit : limits_of(launcher, comparison.mapping, comparison.problem.topology, placement))
    page.paragraph(limit + ".", "soft");
  const bool needs_mapping = text != plain || launcher.use.find("MAPPING") != std::string_view::npos;
  if (!origin.remake.empty())
    page.code(fmt::format("{}{} --emit {} > {}", origin.remake, needs_mapping ? " --save " + mapping : "",
                          launcher.name, file));
  if (text.size() <= kLongestText) {
    page.paragraph(fmt::format("The text of {}:", file));
    page.code(text);
  } else {
    page.paragraph(fmt::format("The text has {} bytes; the command above writes it.", text.size()));
  }
  page.end_fold();
}

/// What `topowise run` does for the ranks of this mapping.
std::string effect_of_run(const Placement& placement) {
  const PlacedRank& first = placement.ranks.front();
  if (first.gpu) return "each rank gets its GPU, in an unchanged program";
  return "each rank is bound to its core, whatever the launcher has bound it to";
}

void add_run(const Comparison& comparison, const Placement& placement, const Origin& origin, Page& page) {
  const std::string lack = job::what_is_not_bound(placement, comparison.problem.topology, job::CpuBinding::place);
  if (!lack.empty()) page.paragraph(fmt::format("By topowise run: {}.", lack));
  if (!lack.empty() && !placement.ranks.front().gpu) return;
  const std::string file = origin.mapping.empty() ? kMappingFile : origin.mapping;
  const std::string start = fmt::format("topowise run --mapping {} -- ./app", file);
  const std::size_t ranks = comparison.mapping.ranks();
  std::string lines;
  if (!origin.remake.empty()) lines += fmt::format("{} --save {}\n", origin.remake, file);
  lines += fmt::format("mpirun -n {} {}      # or, in a job of Slurm:\nsrun -n {} {}\n", ranks, start, ranks, start);
  page.paragraph(
      fmt::format("On the ranks of every compute node, in front of the program ({}):", effect_of_run(placement)));
  page.code(lines);
  if (const std::string hosts = off_host_text(placement); !hosts.empty())
    page.paragraph(
        fmt::format("This needs every rank on its host, and {}: one of the lists of hosts below does.", hosts));
}

}  // namespace

void add_launchers(const Comparison& comparison, const Origin& origin, Page& page) {
  page.heading("How to apply it");
  const Placement placement = place_ranks(comparison.mapping, comparison.problem.topology);
  add_run(comparison, placement, origin, page);
  page.paragraph("Or by the launcher's own means, each with the text that it reads:", "screen");
  std::string without;
  for (const Launcher& launcher : launchers()) {
    if (launcher.text == nullptr) continue;  // the launcher's text is not about the mapping
    try {
      add_launcher(launcher, comparison, placement, origin, page);
    } catch (const Error& error) {
      without += fmt::format("{}{} ({})", without.empty() ? "" : "; ", launcher.name, error.diagnostics().front().what);
    }
  }
  if (!without.empty()) page.paragraph(fmt::format("Not for this mapping: {}.", without), "soft screen");
}

}  // namespace topowise::cli
