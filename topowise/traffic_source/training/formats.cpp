// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/training/formats.hpp>

#include <array>

namespace topowise::training {
namespace {

/// Gives a reader of one process the form that the table needs.
template <auto Read>
void of_one(Input& file, std::vector<Trace>& traces) {
  Trace& trace = traces.emplace_back();
  trace.where = file.where();
  Read(file, trace);
}

constexpr std::string_view kMpi = "openmpi";

constexpr std::array kTraceFormats{
    TraceFormat{{"kineto", "trace of torch.profiler (Kineto), .json or .json.gz, a file a rank", looks_like_kineto,
                 of_one<read_kineto>}},
    TraceFormat{{"pytorch-et", "PyTorch execution trace (ExecutionTraceObserver), a file a rank",
                 looks_like_execution_trace, of_one<read_execution_trace>}},
    TraceFormat{{"flight-recorder", "dump of PyTorch's FlightRecorder, pickle or JSON, a file a rank",
                 looks_like_flight_recorder, of_one<read_flight_recorder>}},
    TraceFormat{{"nccl-inspector", "log of the Inspector of NCCL or RCCL, JSON lines, a file a process",
                 looks_like_inspector, of_one<read_inspector>}},
    TraceFormat{{"nccl-calls", "log of NCCL or RCCL with NCCL_DEBUG_SUBSYS=INIT,COLL, of any number of processes",
                 looks_like_nccl_calls, read_nccl_calls}},
    TraceFormat{{"rccl-replay", "recording of RCCL (RCCL_REPLAY_FILE=NAME.json), a file a process",
                 looks_like_rccl_replay, of_one<read_rccl_replay>}},
    TraceFormat{{"nsight", "report of Nsight Systems, exported with nsys export --type sqlite --include-blobs true",
                 looks_like_nsight, read_nsight},
                kMpi},
    TraceFormat{{"simgrid", "time-independent trace of SimGrid (smpirun -trace-ti), of one rank or many",
                 looks_like_simgrid, read_simgrid},
                kMpi,
                settle_simgrid},
    TraceFormat{{"goal", "schedule in the language GOAL (LogGOPSim)", looks_like_goal, read_goal}, kMpi},
    TraceFormat{{"dumpi", "DUMPI trace as dumpi2ascii prints it, a file a rank", looks_like_dumpi, read_dumpi}, kMpi},
    TraceFormat{{"paraver", "messages of a Paraver trace, .prv", looks_like_paraver, read_paraver}, kMpi},
    TraceFormat{{"chakra-json", "Chakra execution trace as its jsonizer prints it, named NAME.RANK.json",
                 looks_like_chakra_json, of_one<read_chakra_json>}},
    TraceFormat{{"chakra", "Chakra execution trace, .et, a file a rank named NAME.RANK.et", looks_like_chakra,
                 of_one<read_chakra>}},
};

}  // namespace

bool begins_with_object(std::string_view head) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (head.starts_with(kMark)) head.remove_prefix(kMark.size());
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && head[begin] == '{';
}

std::span<const TraceFormat> trace_formats() {
  return kTraceFormats;
}

}  // namespace topowise::training
