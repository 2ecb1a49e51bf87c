// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/gpu_script.hpp>

#include <fmt/format.h>

#include <topowise/base/error.hpp>

namespace topowise {

void require_gpus(const Placement& placement) {
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
    if (placement.ranks[rank].gpu) continue;
    throw bad_input(fmt::format("rank {} is mapped to {}, which is no GPU", rank, placement.ranks[rank].place),
                    "--places gpu, or --emit openmpi-rankfile");
  }
}

std::string gpu_list_in_shell() {
  return "list= next=0 position=0\n"
         "while [ $position -lt $gpus ]; do\n"
         "  if [ $position -eq $((local_rank % gpus)) ]; then\n"
         "    item=$gpu\n"
         "  else\n"
         "    [ $next -eq $gpu ] && next=$((next + 1))\n"
         "    item=$next next=$((next + 1))\n"
         "  fi\n"
         "  list=$list${list:+,}$item position=$((position + 1))\n"
         "done\n"
         "export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=$list HIP_VISIBLE_DEVICES=$list\n"
         "exec \"$@\"\n";
}

}  // namespace topowise
