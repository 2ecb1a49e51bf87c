// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/reorder_options.hpp>

#include <filesystem>

#include <topowise/graph/metric.hpp>

namespace topowise::cli {
namespace {

std::vector<std::string> modes() {
  return {"asked", "always", "report", "world"};
}

std::optional<std::string> given(const Arguments& arguments, std::string_view option) {
  if (!arguments.has(option)) return {};
  std::string text = arguments.text(option);
  if (text.empty()) throw Arguments::wrong(option, "the value is empty");
  return text;
}

/// The argument of `option`. It cannot be "-", because a file is read again inside the program, which needs its
/// standard input itself.
std::optional<std::string> source(const Arguments& arguments, std::string_view option) {
  std::optional<std::string> text = given(arguments, option);
  if (text == "-") throw Arguments::wrong(option, "the standard input is the program's", "name a file");
  return text;
}

bool same_place(const std::string& one, const std::string& other) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto whole = [&](const std::string& name) {
    return fs::weakly_canonical(fs::absolute(name, ignored), ignored);
  };
  return !other.empty() && whole(one) == whole(other);
}

}  // namespace

std::vector<Option> reorder_options() {
  constexpr std::string_view kGroup = "reordering";
  return {
      {"--reorder",
       "WHEN",
       kGroup,
       "choose which process plays which vertex in MPI_Cart_create, MPI_Graph_create and MPI_Dist_graph_create: "
       "where the program asks for it, always, or not at all and only say what would be gained; or reorder "
       "MPI_COMM_WORLD by "
       "what --reorder-profile recorded",
       {},
       modes,
       "time to reorder",
       Completes::choices,
       "asked"},
      {"--reorder-topology",
       "TOPOLOGY",
       kGroup,
       "the cluster, whose hosts are found by their names; without it rank 0 asks the site's programs for the network "
       "(live:fabric), and hosts are equally far from each other if none of them knows it",
       {},
       nullptr,
       {},
       Completes::topologies},
      {"--reorder-metric",
       "METRIC",
       kGroup,
       "what a byte between two places of that cluster costs; distance if not given",
       {},
       metric_names,
       "metric",
       Completes::choices},
      {"--reorder-profile",
       "TRAFFIC",
       kGroup,
       "what an earlier run with as many ranks and without --reorder sent, as 'run --profile DIR' recorded it, in "
       "place of the weights that the program states",
       {},
       nullptr,
       {},
       Completes::traffics},
      {.name = "--reorder-loads",
       .value = "LIST",
       .group = kGroup,
       .help = "work of each rank of the job, as of 'map --loads': no host shall have more than 3 % above its share, "
               "which follows the capacities of --reorder-topology, or else the number of its processes",
       .completes = Completes::files},
      {"--reorder-only", "LIST", kGroup,
       "reorder in these calls only: MPI functions, files or functions of the program, or places as "
       "--reorder=report names them, app+0x1d3f; with commas between them, '*' as in names of files"},
      {"--reorder-except", "LIST", kGroup, "leave these calls as they are"},
      {"--reorder-include", "LIST", kGroup,
       "reorder in these calls of libraries, too, that are known to ignore their new ranks, as PETSc's "
       "-sf_type neighbor does"},
      {"--reorder-time", "TIME", kGroup,
       "how long to search for a mapping inside the MPI call; by default about a millisecond for a few dozen ranks"}};
}

void check_reorder_options(const Arguments& arguments) {
  for (const Option& option : reorder_options()) {
    if (arguments.has(option.name) && !arguments.has("--reorder"))
      throw Arguments::wrong(option.name, "this belongs to --reorder", "--reorder, --reorder=report");
  }
  if (arguments.has("--reorder-metric") && !arguments.has("--reorder-topology"))
    throw Arguments::wrong("--reorder-metric", "without a description hosts are equally far from each other",
                           "--reorder-topology TOPOLOGY");
  if (arguments.text("--reorder") == "world") {
    if (!arguments.has("--reorder-profile"))
      throw Arguments::wrong(
          "--reorder", "what the ranks send each other must be known before they start",
          "--reorder=world --reorder-profile app.traffic, which 'run --profile app.traffic' recorded");
    for (const std::string_view list : {"--reorder-only", "--reorder-except", "--reorder-include"}) {
      if (arguments.has(list))
        throw Arguments::wrong(list, "--reorder=world looks at no calls", "--reorder, --reorder=always");
    }
  }
  if (arguments.has("--profile") && same_place(arguments.text("--profile"), arguments.text("--reorder-profile")))
    throw Arguments::wrong("--reorder-profile", "--profile records there", "record into another directory");
}

job::ReorderOptions reorder_choice(const Arguments& arguments) {
  return {.mode = arguments.text("--reorder"),
          .topology = source(arguments, "--reorder-topology"),
          .metric = given(arguments, "--reorder-metric"),
          .profile = source(arguments, "--reorder-profile"),
          .loads = source(arguments, "--reorder-loads"),
          .only = given(arguments, "--reorder-only"),
          .except = given(arguments, "--reorder-except"),
          .include = given(arguments, "--reorder-include"),
          .time = arguments.has("--reorder-time") ? std::optional(arguments.time("--reorder-time")) : std::nullopt};
}

}  // namespace topowise::cli
