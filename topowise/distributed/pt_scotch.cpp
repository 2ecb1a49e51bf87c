// SPDX-License-Identifier: BSD-3-Clause
// PT-Scotch (Chevalier and Pellegrini, "PT-Scotch: a tool for efficient parallel graph ordering", Parallel Computing
// 34, 2008): the distributed graph is coarsened, folded onto fewer processes, bipartitioned and refined in a band
// around the cut; recursively for each half of the target machine. SCOTCH_dgraphMap gets the parts as a complete graph
// with their capacities. It gets no distances (map_distributed.cpp arranges the parts).
//
// By default processes take up messages in the order of their arrival. The option "deterministic" of a context, one
// thread, and a seed that is the same everywhere make the result depend on the seed alone.
#include <topowise/distributed/pt_scotch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace topowise::distributed {
namespace {

/// Any of Scotch's structures: all are smaller than 300 bytes in version 7.
class Object {
 public:
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ~Object() {
    if (exit_ != nullptr) exit_(get());
  }
  void freed_by(void (*exit)(void*)) { exit_ = exit; }
  void* get() { return memory_.data(); }

 private:
  alignas(16) std::array<std::byte, 1024> memory_{};
  void (*exit_)(void*) = nullptr;
};

template <class Num>
struct Csr {
  std::vector<Num> first;
  std::vector<Num> neighbour;
  std::vector<Num> edge_load;
};

/// Scotch sums loads over edges in its integer type.
constexpr double kLargestSum = 1e9;
constexpr double kLargestLoad = 1000;

template <class Num>
Num whole(double value, double scale) {
  return std::max<Num>(1, static_cast<Num>(std::llround(value * scale)));
}

template <class Num>
std::vector<Num> capacities(const MachineParts& parts) {
  std::vector<Num> loads;
  for (const std::int64_t capacity : parts.capacity) loads.push_back(static_cast<Num>(capacity));
  return loads;
}

template <class Num>
Csr<Num> guest_rows(const Team& team, const GuestGraph& graph) {
  double heaviest = 0;
  for (const multilevel::Arc& arc : graph.arcs()) heaviest = std::max(heaviest, arc.weight);
  double arcs = 0;
  for (const std::vector<double>& part :
       team.gather_at_all(std::vector<double>{heaviest, static_cast<double>(graph.arcs().size())})) {
    heaviest = std::max(heaviest, part[0]);
    arcs += part[1];
  }
  const double most = std::clamp(kLargestSum / std::max(arcs, 1.0), 1.0, kLargestLoad);
  Csr<Num> rows;
  for (const std::int64_t first : graph.first()) rows.first.push_back(static_cast<Num>(first));
  for (const multilevel::Arc& arc : graph.arcs()) {
    rows.neighbour.push_back(static_cast<Num>(graph.rank_of(arc.to)));
    rows.edge_load.push_back(whole<Num>(arc.weight, most / heaviest));
  }
  return rows;
}

template <class Num>
class PtScotch {
 public:
  explicit PtScotch(const SharedLibrary& library) : library_(library) {}

  std::vector<Num> map(const Team& team, Csr<Num> guest, const std::vector<Num>& loads, std::uint64_t seed) const {
    function<void(int)>("SCOTCH_randomProc")(team.rank());
    function<void(Num)>("SCOTCH_randomSeed")(static_cast<Num>(seed % 1000000007));  // fits the smallest integer type
    function<void()>("SCOTCH_randomReset")();
    Object context;
    Object source;
    Object bound;
    Object arch;
    Object strategy;
    make("context", context);
    call<int(void*, int, const int*)>("SCOTCH_contextThreadSpawn", context.get(), 1, nullptr);
    constexpr int kDeterministic = 0;
    call<int(void*, int, Num)>("SCOTCH_contextOptionSetNum", context.get(), kDeterministic, Num{1});
    make("arch", arch);
    make("strat", strategy);
    make_distributed(team, source);
    make_distributed(team, bound);
    const auto size = static_cast<Num>(guest.first.size() - 1);
    const auto arcs = static_cast<Num>(guest.neighbour.size());
    call<int(void*, Num, Num, Num, Num*, Num*, Num*, Num*, Num, Num, Num*, Num*, Num*)>(
        "SCOTCH_dgraphBuild", source.get(), Num{0}, size, size, guest.first.data(), guest.first.data() + 1, nullptr,
        nullptr, arcs, arcs, guest.neighbour.data(), nullptr, guest.edge_load.data());
    call<int(void*, void*, void*)>("SCOTCH_contextBindDgraph", context.get(), source.get(), bound.get());
    call<int(void*, Num, const Num*)>("SCOTCH_archCmpltw", arch.get(), static_cast<Num>(loads.size()), loads.data());
    std::vector<Num> part(static_cast<std::size_t>(size) + 1, -1);  // one more, so that data() is never null
    call<int(void*, const void*, void*, Num*)>("SCOTCH_dgraphMap", bound.get(), arch.get(), strategy.get(),
                                               part.data());
    part.pop_back();
    return part;
  }

 private:
  template <class Function>
  Function* function(const std::string& name) const {
    auto* found = library_.function<Function>(name.c_str());
    if (found == nullptr)
      throw not_available("'" + library_.name() + "' has no " + name, "apt-get install libptscotch-7.0");
    return found;
  }
  template <class Function, class... Parts>
  void call(const std::string& name, Parts... parts) const {
    if (function<Function>(name)(parts...) != 0)
      throw not_available("PT-Scotch reports an error in " + name, "map without --distributed");
  }
  void make(const std::string& kind, Object& object) const {
    call<int(void*)>("SCOTCH_" + kind + "Init", object.get());
    object.freed_by(function<void(void*)>("SCOTCH_" + kind + "Exit"));
  }
  void make_distributed(const Team& team, Object& object) const {
    call<int(void*, void*)>("SCOTCH_dgraphInit", object.get(), team.communicator());
    object.freed_by(function<void(void*)>("SCOTCH_dgraphExit"));
  }

  const SharedLibrary& library_;
};

template <class Num>
std::vector<int> partition(const SharedLibrary& library, const Team& team, const GuestGraph& graph,
                           const MachineParts& parts, std::uint64_t seed) {
  std::vector<int> part_of;
  for (const Num part : PtScotch<Num>(library).map(team, guest_rows<Num>(team, graph), capacities<Num>(parts), seed)) {
    if (part < 0 || static_cast<std::size_t>(part) >= parts.size())
      throw not_available("PT-Scotch left a rank unmapped", "map without --distributed");
    part_of.push_back(static_cast<int>(part));
  }
  return part_of;
}

}  // namespace

SharedLibrary open_pt_scotch() {
  constexpr const char* kHint = "apt-get install libptscotch-7.0, or map without --distributed";
  const std::array<std::string, 2> names{"libptscotch-7.0.so", "libptscotch.so"};
  std::string reason;
  std::optional<SharedLibrary> library = SharedLibrary::open(names, reason);
  if (!library) throw not_available("libptscotch cannot be opened: " + reason, kHint);
  if (library->symbol("ompi_mpi_comm_world") == nullptr)
    throw not_available(
        "'" + library->name() + "' is not built on Open MPI: other MPI libraries are not supported here", kHint);
  return *library;
}

std::vector<int> partition_by_pt_scotch(const SharedLibrary& library, const Team& team, const GuestGraph& graph,
                                        const MachineParts& parts, std::uint64_t seed) {
  auto* num_sizeof = library.function<int()>("SCOTCH_numSizeof");
  if (num_sizeof == nullptr)
    throw not_available("'" + library.name() + "' has no SCOTCH_numSizeof", "apt-get install libptscotch-7.0");
  return num_sizeof() == 8 ? partition<std::int64_t>(library, team, graph, parts, seed)
                           : partition<std::int32_t>(library, team, graph, parts, seed);
}

}  // namespace topowise::distributed
