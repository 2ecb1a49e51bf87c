// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/input/probe_request.hpp>
#include <topowise/cli/save.hpp>
#include <topowise/cli/verb/measuring_job.hpp>
#include <topowise/cli/verb/pair_progress.hpp>
#include <topowise/cli/verb/probe_job.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/cli/view/probe_view.hpp>
#include <topowise/device/table.hpp>
#include <topowise/probe/calibrate.hpp>
#include <topowise/probe/gpu_memory.hpp>
#include <topowise/probe/host_memory.hpp>
#include <topowise/topology_source/source.hpp>

namespace topowise::cli {
namespace {

std::vector<std::string> device_names() {
  return {"gpu", "host"};
}

std::unique_ptr<probe::Memory> open_memory(const Arguments& arguments, const Topology& machine) {
  if (arguments.text("--device") == "host") return std::make_unique<probe::HostMemory>(machine);
  return std::make_unique<probe::GpuMemory>(device::open_driver(), machine);
}

/// The progress is erased before the result is printed.
probe::Samples measure(const Topology& machine, probe::Memory& memory, const probe::Plan& plan, Terminal& terminal) {
  PairProgress progress(progress_form(false), plan, terminal);
  return probe::measure(machine, memory, plan, [&](std::size_t pairs) { progress.measured(pairs); });
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  if (arguments.text("--device") == "gpu") note_share(terminal);
  if (is_in_job()) return probe_as_job(arguments, terminal);
  check_destination(arguments);
  const Topology machine = read_topology(arguments.text("--topology"));
  for (const std::string& warning : machine.warnings()) terminal.warn(warning);
  const std::unique_ptr<probe::Memory> memory = open_memory(arguments, machine);
  const probe::Plan plan = probe_plan(arguments, machine, memory->places());
  probe::Samples samples = measure(machine, *memory, plan, terminal);
  std::vector<std::string> notes = memory->notes();
  for (std::string& text : probe::findings(machine, samples)) notes.push_back(std::move(text));
  probe::Calibration calibration;
  if (arguments.has("--calibrate")) calibration = probe::calibrate(machine, samples, *memory, plan.repetitions);
  const probe::Origin origin = probe_origin(memory->description());
  deliver_probe(arguments,
                {probe::with_measurements(machine, samples, origin, calibration), std::move(samples), origin,
                 std::move(notes), calibration.notes},
                terminal);
  return ExitStatus::done;
}

}  // namespace

Verb probe_verb() {
  Verb verb{.name = "probe",
            .summary = "measure latency and bandwidth between all pairs",
            .description =
                "Sends messages of growing size between all pairs of GPUs (or of processors), one way and both ways at "
                "once, and writes the machine with what was measured; 'map --metric latency' and '--metric bandwidth' "
                "use it. Pairs that share no link are measured together. Started by mpirun or srun, the ranks of the "
                "job measure each other by messages of the launcher's own MPI, on one host or many.",
            .examples = {"topowise probe --save node.json",
                         "topowise probe --save node.json && topowise map app.traffic node.json --metric bandwidth",
                         "topowise probe --device host --sizes 4KiB-4MiB --save host.json",
                         "mpirun -n 16 topowise probe --device host --save cluster.json"}};
  verb.options = {written_file("--save", "write the machine with the measurements"),
                  {"--json", "", "output", "print every figure as JSON"},
                  {"--device", "KIND", "measurement", "which memory", "gpu", device_names, "device"},
                  {"--topology",
                   "SOURCE",
                   "measurement",
                   "the machine, for places and levels; in a job of several hosts otherwise made of what is measured",
                   "live:node",
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
