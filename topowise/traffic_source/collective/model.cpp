// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/collective/model.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include <topowise/base/error.hpp>
#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>

namespace topowise::collective {
namespace {

void expand_none(const Call&, Sends&) {}

constexpr std::array kModels{
    Model{"openmpi", "the algorithms that Open MPI's 'tuned' module chooses by size and communicator", expand_openmpi},
    Model{"mpich", "the algorithms of MPICH's classic selection", expand_mpich},
    Model{"linear", "the root sends to or receives from everyone; everyone sends to everyone", expand_linear},
    Model{"nccl", "NCCL and RCCL: rings in the order of the ranks, two trees for small allreduces", expand_nccl},
    Model{"nccl-ring", "the same with rings only", expand_nccl_ring},
    Model{"nccl-tree", "the same with trees for every allreduce", expand_nccl_tree},
    Model{"nccl-hierarchical", "the same with allreduces within and across nodes of 8 ranks", expand_nccl_hierarchical},
    Model{"nccl-direct", "every member with every other: NVLS, CollNet, copy engines", expand_nccl_direct},
    Model{"nccl-pat", "allgather and reduce-scatter by distances of 1, 2, 4, ...", expand_nccl_pat},
    Model{"none", "leave collectives out", expand_none},
};

}  // namespace

void expand(const Model& model, const Call& call, Sends& out) {
  const bool empty = call.bytes == 0 && std::ranges::all_of(call.parts, [](double part) { return part == 0; });
  if (empty && call.operation != profile::Operation::barrier) return;
  model.expand(call, out);
}

std::span<const Model> models() {
  return kModels;
}

const Model& model_named(std::string_view name) {
  const auto found = std::ranges::find(kModels, name, &Model::name);
  if (found != kModels.end()) return *found;
  const std::vector<std::string> names = names_of(kModels);
  throw usage_error(unknown_name("collective model", name, names),
                    fmt::format("--collectives {}", fmt::join(names, "|")));
}

}  // namespace topowise::collective
