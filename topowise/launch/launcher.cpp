// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/launcher.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/launch/launchers.hpp>

namespace topowise {
namespace {

constexpr std::array<Launcher, 14> kLaunchers{{
    {"cray-rank-order", "Cray MPICH: the order of the ranks over the nodes' slots",
     "cp FILE MPICH_RANK_ORDER; MPICH_RANK_REORDER_METHOD=3 srun ./app (or mpiexec of PALS)", Holds::order,
     cray_rank_order},
    {"deepspeed-hostfile", "DeepSpeed: the hosts, that of rank 0 first, and their number of ranks",
     "deepspeed --hostfile FILE --no_python --no_local_rank topowise run --mapping MAPPING -- python train.py",
     Holds::all, deepspeed_hostfile},
    {"flux-taskmap", "Flux: the option that gives every task its node, in the order of the nodes of the job",
     "flux run -N NODES -n N $(cat FILE) ./app", Holds::hosts, flux_taskmap, nullptr, flux_taskmap_note},
    {"gpu-env", "any launcher: line r + 1 holds the GPU variables of rank r",
     "env $(sed -n \"$((rank + 1))p\" FILE) ./app", Holds::gpus, gpu_env},
    {"hydra-rankmap", "MPICH 4.1 and later (hydra): hosts, and the host of every rank",
     "mpiexec $(cat FILE) -n N ./app", Holds::hosts, hydra_rankmap},
    {"mpich-hostfile", "MPICH, Intel MPI (hydra): a host for every rank", "mpiexec -f FILE -n N ./app", Holds::hosts,
     mpich_hostfile},
    {"nccl-topo", "NCCL, RCCL: the topology of a node that is used, for containers and virtual machines that hide it",
     "NCCL_TOPO_FILE=FILE torchrun ... (or any launcher)", Holds::all, nullptr, nccl_topology},
    {"openmpi-rankfile", "Open MPI: host and processors of every rank",
     "mpirun --rankfile FILE ./app, with the options that the first lines of FILE name for Open MPI 4 and for 5",
     Holds::hosts, openmpi_rankfile},
    {"pbs-nodefile", "PBS: the job's list of hosts, one for every rank",
     "PBS_NODEFILE=FILE mpiexec -n N ./app (MPICH: with -rmk pbs)", Holds::hosts, pbs_nodefile},
    {"rank-order",
     "programs that order their processes (PyTorch DeviceMesh, JAX Mesh): line r is the process of rank r",
     "torch.tensor(numpy.loadtxt(FILE, int)).reshape(...)", Holds::order, rank_order},
    {"shell", "any launcher: a script to start the program with, GPUs chosen by rank", "mpirun -n N sh FILE ./app",
     Holds::gpus, shell_wrapper},
    {"slurm-gpu-map", "Slurm: the options of srun that give every local rank its GPU, and the processors near it",
     "srun $(cat FILE) ./app", Holds::gpus, slurm_gpu_map, nullptr, slurm_gpu_map_note},
    {"slurm-hostfile", "Slurm: a host for every rank", "SLURM_HOSTFILE=FILE srun --distribution=arbitrary -n N ./app",
     Holds::hosts, slurm_hostfile},
    {"torchrun", "torchrun: a script to start the program with, as the rank and with the GPU of the mapping",
     "torchrun --nnodes N --nproc-per-node K --no-python sh FILE python train.py", Holds::all, torchrun_wrapper},
}};

/// Tries a single rank on each of `places`, and says why the launcher refuses it.
class LoneRanks {
 public:
  LoneRanks(std::string_view launcher, const Topology& topology, std::span<const Place> places)
      : launcher_(launcher),
        topology_(topology),
        trial_(place_ranks(Mapping({places.begin(), places.end()}), topology)),
        ranks_(std::exchange(trial_.ranks, {})) {}

  [[nodiscard]] std::size_t size() const { return ranks_.size(); }
  /// True if no similar place was tried before. Places of a node are similar if both or neither are GPUs and they have
  /// the same processors; so are all places on no named node.
  [[nodiscard]] bool is_new(std::size_t number) {
    const PlacedRank& rank = ranks_[number];
    const std::size_t node = trial_.nodes[rank.node].is_place() ? trial_.nodes.size() : rank.node;
    return tried_.emplace(node, rank.gpu.has_value(), rank.cpus).second;
  }
  [[nodiscard]] std::optional<Error> refusal(std::size_t number) {
    trial_.ranks.assign(1, ranks_[number]);
    trial_.ranks.front().local_rank = 0;
    try {
      (void)launcher_text(launcher_, trial_, topology_);
    } catch (const Error& error) {
      return error;
    }
    return std::nullopt;
  }

 private:
  std::string_view launcher_;
  const Topology& topology_;
  Placement trial_;
  std::vector<PlacedRank> ranks_;
  std::set<std::tuple<std::size_t, bool, std::string>> tried_;
};

/// The number of each place among the places of its node: of GPUs among its GPUs.
std::vector<std::size_t> positions_in_node(const Topology& topology) {
  std::vector<Place> all;
  for (std::size_t p = 0; p < topology.place_count(); ++p) all.emplace_back(p);
  const Placement each = place_ranks(Mapping(all), topology);
  std::vector<std::size_t> positions;
  for (const PlacedRank& rank : each.ranks) positions.push_back(rank.gpu.value_or(rank.local_rank));
  return positions;
}

/// Tries the ranks of one node: exchanges the places of those that are most alike. `moved` names the ranks that are not
/// on the place that launchers give them.
std::optional<std::pair<std::size_t, std::size_t>> not_told_apart_on_node(std::string_view name, const Mapping& mapping,
                                                                          const Placement& placement,
                                                                          const std::vector<std::size_t>& ranks,
                                                                          const std::vector<bool>& moved,
                                                                          const Topology& topology) {
  Placement trial = placement;
  trial.ranks.clear();
  std::vector<std::size_t> order;
  for (const std::size_t rank : ranks) {
    order.push_back(trial.ranks.size());
    trial.ranks.push_back(placement.ranks[rank]);
    trial.ranks.back().local_rank = order.back();
  }
  const std::string text = launcher_text(name, trial, topology);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::tie(trial.ranks[i].cpus, trial.ranks[i].gpu); });
  for (std::size_t k = 1; k < order.size(); ++k) {
    const std::size_t first = ranks[order[k - 1]];
    const std::size_t second = ranks[order[k]];
    PlacedRank& a = trial.ranks[order[k - 1]];
    PlacedRank& b = trial.ranks[order[k]];
    if (mapping.places()[first] == mapping.places()[second] || (!moved[first] && !moved[second])) continue;
    const auto exchange = [&] {
      std::swap(a, b);
      std::swap(a.local_rank, b.local_rank);
    };
    exchange();
    const bool same = launcher_text(name, trial, topology) == text;
    exchange();
    if (same) return std::minmax({first, second});
  }
  return std::nullopt;
}

}  // namespace

std::span<const Launcher> launchers() {
  return kLaunchers;
}

const Launcher& launcher_named(std::string_view name) {
  const auto found = std::ranges::find(kLaunchers, name, &Launcher::name);
  if (found != kLaunchers.end()) return *found;
  const std::vector<std::string> names = names_of(kLaunchers);
  throw usage_error(unknown_name("launcher", name, names), "topowise help launchers");
}

std::string launcher_text(std::string_view name, const Placement& placement, const Topology& topology) {
  const Launcher& launcher = launcher_named(name);
  return launcher.text != nullptr ? launcher.text(placement) : launcher.machine_text(placement, topology);
}

std::optional<std::pair<std::size_t, std::size_t>> ranks_not_told_apart(std::string_view name, const Mapping& mapping,
                                                                        const Topology& topology) {
  constexpr std::size_t kMostTried = 4;  // nodes; those of a machine are mostly alike
  const Launcher& launcher = launcher_named(name);
  if (launcher.text == nullptr || launcher.use.find("--mapping") != std::string_view::npos) return std::nullopt;
  const Placement placement = place_ranks(mapping, topology);
  const std::vector<std::size_t> positions = positions_in_node(topology);
  std::vector<bool> moved;
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank)
    moved.push_back(positions[mapping.places()[rank].index()] != placement.ranks[rank].local_rank);
  std::size_t tried = 0;
  for (const std::vector<std::size_t>& ranks : placement.ranks_by_node()) {
    if (std::ranges::none_of(ranks, [&](std::size_t rank) { return moved[rank]; })) continue;
    if (const auto found = not_told_apart_on_node(name, mapping, placement, ranks, moved, topology)) return found;
    if (++tried == kMostTried) break;
  }
  return std::nullopt;
}

std::optional<std::size_t> rank_off_gpu(const Placement& placement) {
  const auto found = std::ranges::find_if(placement.ranks, [&](const PlacedRank& rank) {
    return rank.gpu && *rank.gpu != rank.local_rank % placement.nodes[rank.node].gpus.size();
  });
  if (found == placement.ranks.end()) return std::nullopt;
  return static_cast<std::size_t>(found - placement.ranks.begin());
}

std::optional<std::size_t> rank_off_host(const Placement& placement) {
  std::vector<std::size_t> counts;
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
    const bool same = rank > 0 && placement.ranks[rank].node == placement.ranks[rank - 1].node;
    if (!same && rank > 0 && placement.ranks[rank].node < placement.ranks[rank - 1].node) return rank;
    if (same)
      ++counts.back();
    else
      counts.push_back(1);
    if (counts.back() > counts.front()) return rank;
    if (!same && counts.size() > 2 && counts[counts.size() - 2] != counts.front()) return rank;
  }
  return std::nullopt;
}

std::optional<std::size_t> rank_off_count(std::string_view name, const Placement& placement) {
  if (launcher_named(name).holds != Holds::order) return std::nullopt;
  for (std::vector<std::size_t>& ranks : placement.ranks_by_node()) {
    std::ranges::stable_sort(ranks, {}, [&](std::size_t rank) { return placement.ranks[rank].gpu; });
    for (std::size_t k = 0; k < ranks.size(); ++k) {
      const std::optional<std::size_t>& gpu = placement.ranks[ranks[k]].gpu;
      if (gpu && number_of(placement.nodes[placement.ranks[ranks[k]].node], *gpu) != k) return ranks[k];
    }
  }
  return std::nullopt;
}

void check_launcher(std::string_view name, const Topology& topology, std::span<const Place> usable) {
  // If a launcher refuses a place for a single rank, it refuses the place in every mapping.
  LoneRanks lone(name, topology, usable);
  std::optional<Error> first;
  for (std::size_t i = 0; i < lone.size(); ++i) {
    if (!lone.is_new(i)) continue;
    const std::optional<Error> refusal = lone.refusal(i);
    if (!refusal) return;
    if (!first) first = refusal;
  }
  if (first) throw Error(*first);
}

std::optional<std::size_t> refused_place(std::string_view name, const Topology& topology,
                                         std::span<const Place> places) {
  LoneRanks lone(name, topology, places);
  for (std::size_t i = 0; i < lone.size(); ++i) {
    if (lone.is_new(i) && lone.refusal(i)) return i;
  }
  return std::nullopt;
}

void check_filled(std::string_view name, const Topology& topology, std::span<const Place> slots) {
  // Orders the ranks by node and by GPU. If one GPU map of Slurm can serve all nodes, it does so in this order. Other
  // launchers need no order.
  Placement placement = place_ranks(Mapping({slots.begin(), slots.end()}), topology);
  std::ranges::stable_sort(placement.ranks, {}, [](const PlacedRank& rank) { return std::pair(rank.node, rank.gpu); });
  std::size_t local = 0;
  for (std::size_t r = 0; r < placement.ranks.size(); ++r) {
    local = r > 0 && placement.ranks[r].node == placement.ranks[r - 1].node ? local + 1 : 0;
    placement.ranks[r].local_rank = local;
  }
  (void)launcher_text(name, placement, topology);
}

}  // namespace topowise
