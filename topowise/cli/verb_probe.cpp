// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <ctime>

#include <topowise/base/file.hpp>
#include <topowise/cli/job.hpp>
#include <topowise/cli/probe_request.hpp>
#include <topowise/cli/probe_view.hpp>
#include <topowise/cli/verbs.hpp>
#include <topowise/device/table.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/probe/calibrate.hpp>
#include <topowise/probe/gpu_memory.hpp>
#include <topowise/probe/host_memory.hpp>
#include <topowise/topology_source/source.hpp>

namespace topowise::cli {
namespace {

/// Of the progress on a terminal.
constexpr std::size_t kPairsPerLine = 16;

std::vector<std::string> device_names() {
  return {"gpu", "host"};
}

/// "2026-01-02T03:04:05Z"
std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char text[32];
  ::gmtime_r(&now, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// One process of a node measures; the others of a job would only disturb it.
bool measures_here(const Terminal& terminal) {
  const JobProcess process = job_process();
  if (process.size.value_or(1) < 2) return true;
  if (process.rank == 0)
    terminal.note(
        fmt::format("rank 0 measures all pairs of its node, the other {} ranks end at once", *process.size - 1));
  return process.rank == 0;
}

std::unique_ptr<probe::Memory> open_memory(const Arguments& arguments, const Topology& machine) {
  if (arguments.text("--device") == "host") return std::make_unique<probe::HostMemory>(machine);
  return std::make_unique<probe::GpuMemory>(device::open_driver(), machine);
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  if (!arguments.has("--save") && !arguments.has("--json"))
    throw usage_error("the result goes nowhere", "--save FILE.json, or --json");
  if (!measures_here(terminal)) return ExitStatus::done;
  const Topology machine = read_topology(arguments.text("--topology"));
  for (const std::string& warning : machine.warnings()) terminal.warn(warning);
  const std::unique_ptr<probe::Memory> memory = open_memory(arguments, machine);
  const probe::Plan plan = probe_plan(arguments, machine, memory->places());
  const bool shows_progress = ::isatty(STDERR_FILENO) == 1;
  probe::Samples samples = probe::measure(machine, *memory, plan, [&](std::size_t done) {
    if (shows_progress && (done % kPairsPerLine == 0 || done == plan.pairs.size()))
      terminal.note(fmt::format("{} of {} pairs measured", done, plan.pairs.size()));
  });
  std::vector<std::string> notes = memory->notes();
  for (std::string& text : probe::findings(machine, samples)) notes.push_back(std::move(text));
  probe::Calibration calibration;
  if (arguments.has("--calibrate")) calibration = probe::calibrate(machine, samples, *memory, plan.repetitions);
  const probe::Origin origin{fmt::format("measured:probe ({})", memory->description()), date_now()};
  const ProbeResult result{probe::with_measurements(machine, samples, origin, calibration), std::move(samples), origin,
                           std::move(notes), calibration.notes};
  if (arguments.has("--save")) {
    write_file(arguments.text("--save"), to_json(result.machine));
    terminal.note(fmt::format("wrote {}", arguments.text("--save")));
  }
  if (arguments.has("--json"))
    terminal.print("{}", probe_json(result));
  else
    show_probe(result, terminal);
  return ExitStatus::done;
}

}  // namespace

Verb probe_verb() {
  Verb verb{.name = "probe",
            .summary = "measure latency and bandwidth between all pairs",
            .description =
                "Sends messages of growing size between all pairs of GPUs (or of processors), one way and both ways at "
                "once, and writes the machine with what was measured; 'map --metric latency' and '--metric bandwidth' "
                "use it. Pairs that share no link are measured together.",
            .examples = {"topowise probe --save node.json",
                         "topowise probe --save node.json && topowise map app.traffic node.json --metric bandwidth",
                         "topowise probe --device host --sizes 4KiB-4MiB --save host.json"}};
  verb.options = {
      {"--save", "FILE", "output", "write the machine with the measurements", {}, nullptr, {}, Completes::files},
      {"--json", "", "output", "print every figure as JSON"},
      {"--device", "KIND", "measurement", "which memory: gpu or host", "gpu", device_names, "device"},
      {"--topology",
       "SOURCE",
       "measurement",
       "the machine, for places and levels",
       "live",
       nullptr,
       {},
       Completes::topologies},
      {"--sizes", "LIST", "measurement", "message sizes: ranges in powers of two, or a list", "1B-64MiB"},
      {"--repetitions", "N", "measurement", "messages of each size that count", "20"},
      {"--warm-up", "N", "measurement", "messages of each size before those", "3"},
      {"--pairs", "LIST", "measurement", "only these pairs: 0-1,GPU2-GPU5"},
      {"--calibrate", "", "measurement", "find the parameters of the PCIe congestion model as well"}};
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
