// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/training/formats.hpp>

#include <array>

namespace topowise::training {
namespace {

constexpr std::array kTraceFormats{
    TraceFormat{"kineto", "trace of torch.profiler (Kineto), .json or .json.gz, a file a rank", looks_like_kineto,
                read_kineto},
    TraceFormat{"pytorch-et", "PyTorch execution trace (ExecutionTraceObserver), a file a rank",
                looks_like_execution_trace, read_execution_trace},
    TraceFormat{"nccl-inspector", "log of the Inspector of NCCL or RCCL, JSON lines, a file a process",
                looks_like_inspector, read_inspector},
    TraceFormat{"chakra", "Chakra execution trace, .et, a file a rank named NAME.RANK.et", looks_like_chakra,
                read_chakra},
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
