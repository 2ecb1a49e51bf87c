// SPDX-License-Identifier: BSD-3-Clause
// Faraji, Mirsadeghi and Afsahi, "Topology-aware GPU selection on multi-GPU nodes" (2016): the traffic is Scotch's
// source graph, the machine a complete graph of the GPUs with a weight for each pair, and SCOTCH_graphMap lays the
// first onto the second by dual recursive bipartitioning (Pellegrini 1994).
//
// Weights of the machine. The paper speaks of affinities: a higher weight is a lower latency, a higher bandwidth, a
// smaller distance. Scotch reads the edge loads of an architecture the other way round, as distances: SCOTCH_archBuild
// adds them up along paths, and inverts them itself where it cuts the machine into parts that belong together. So
// pair costs, which are the smaller the better, are given as they are, scaled to whole numbers.
//
// Where Scotch has an architecture of the same distances it is given that: a torus or a mesh of up to five axes, or a
// tree whose places are its leaves ("tleaf"). Then there is no complete graph, and no limit of its size. Any other
// hierarchy and a dragonfly are given as the graph of their wires, of which only some vertices are places ("deco"):
// the shortest paths are the distances, and Scotch cuts the machine where it has few wires.
//
// Scotch is a partitioner: with one rank per place its balance is a goal, not a promise, and a place may get two ranks
// while another stays empty. Such ranks are moved to free places one at a time, the cheapest move first.
//
// The library is opened at run time. Its integer type is a build option: SCOTCH_numSizeof says which. Objects are
// opaque, smaller than 200 bytes in all versions from 5 to 7.
#include <topowise/mapper/problem/mapper_functions.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <topowise/base/error.hpp>
#include <topowise/base/shared_library.hpp>
#include <topowise/mapper/problem/hierarchy.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/predict/objective/partners.hpp>

namespace topowise {
namespace {

constexpr std::size_t kMostPlaces = 2048;  ///< of a complete graph
constexpr const char* kHint = "apt-get install libscotch-7.0, or --mapper auto";

struct Opaque {
  alignas(16) std::array<std::byte, 1024> bytes{};
};

/// Loaded once and kept: Scotch has process-wide state (its random numbers).
class Library {
 public:
  static const Library& get() {
    static const Library library;
    return library;
  }

  /// Null if this version does not have it.
  template <class Function>
  [[nodiscard]] Function* optional_function(const char* name) const {
    return library_->function<Function>(name);
  }
  template <class Function>
  [[nodiscard]] Function* function(const char* name) const {
    auto* found = optional_function<Function>(name);
    if (found == nullptr) throw not_available("'" + library_->name() + "' has no " + name, kHint);
    return found;
  }

 private:
  Library() {
    const std::array<std::string, 3> names{"libscotch-7.0.so", "libscotch.so", "libscotch-6.1.so"};
    std::string reason;
    library_ = SharedLibrary::open(names, reason);
    if (!library_) throw not_available("libscotch cannot be opened: " + reason, kHint);
  }
  std::optional<SharedLibrary> library_;
};

/// Whole numbers in the proportions of `values`, the largest at most `largest`: exact where the values are such numbers
/// after division by the smallest, rounded elsewhere. Positive values stay positive.
template <class Num>
std::vector<Num> whole_numbers(const std::vector<double>& values, double largest) {
  double most = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const double value : values) {
    most = std::max(most, value);
    if (value > 0) least = std::min(least, value);
  }
  const bool exact = most <= largest * least && std::ranges::all_of(values, [&](double value) {
                       return value / least == std::floor(value / least);
                     });
  const double scale = exact ? 1.0 / least : largest / most;
  std::vector<Num> result;
  for (const double value : values)
    result.push_back(value > 0 ? std::max<Num>(1, static_cast<Num>(std::llround(value * scale))) : Num{0});
  return result;
}

/// An undirected graph in the form that SCOTCH_graphBuild takes.
template <class Num>
struct Csr {
  std::vector<Num> first{0};
  std::vector<Num> neighbour;
  std::vector<Num> vertex_load;
  std::vector<Num> edge_load;
};

/// An architecture that Scotch knows itself.
template <class Num>
struct Native {
  enum class Kind : unsigned char { torus, mesh, tree };
  Kind kind = Kind::torus;
  std::vector<Num> sizes;      ///< of a grid the fastest axis first, of a tree the outermost level first
  std::vector<Num> distances;  ///< of the levels of a tree
};

template <class Num>
class Scotch {
 public:
  explicit Scotch(const Library& library)
      : graph_init_(library.function<int(void*)>("SCOTCH_graphInit")),
        graph_exit_(library.function<void(void*)>("SCOTCH_graphExit")),
        graph_build_(library.function<GraphBuild>("SCOTCH_graphBuild")),
        graph_map_(library.function<int(void*, const void*, void*, Num*)>("SCOTCH_graphMap")),
        arch_init_(library.function<int(void*)>("SCOTCH_archInit")),
        arch_exit_(library.function<void(void*)>("SCOTCH_archExit")),
        arch_build_(library.function<int(void*, const void*, Num, const Num*, void*)>("SCOTCH_archBuild")),
        arch_torus_(library.optional_function<ArchGrid>("SCOTCH_archTorusX")),
        arch_mesh_(library.optional_function<ArchGrid>("SCOTCH_archMeshX")),
        arch_tleaf_(library.optional_function<ArchTree>("SCOTCH_archTleaf")),
        strat_init_(library.function<int(void*)>("SCOTCH_stratInit")),
        strat_exit_(library.function<void(void*)>("SCOTCH_stratExit")),
        context_init_(library.optional_function<int(void*)>("SCOTCH_contextInit")),
        context_exit_(library.optional_function<void(void*)>("SCOTCH_contextExit")),
        context_threads_(library.optional_function<int(void*, int, const int*)>("SCOTCH_contextThreadSpawn")),
        context_bind_(library.optional_function<int(void*, const void*, void*)>("SCOTCH_contextBindGraph")),
        random_reset_(library.function<void()>("SCOTCH_randomReset")),
        random_seed_(library.function<void(Num)>("SCOTCH_randomSeed")) {}

  /// True if this version of the library has that kind of architecture.
  [[nodiscard]] bool knows(const Native<Num>& native) const {
    return native.kind == Native<Num>::Kind::tree ? arch_tleaf_ != nullptr : grid_of(native) != nullptr;
  }

  /// Place of every vertex of `traffic`; the machine is `native` or, if that is null, the vertices `places` of
  /// `machine`.
  std::vector<Num> map(const Csr<Num>& traffic, const Csr<Num>& machine, const std::vector<Num>& places,
                       const Native<Num>* native, std::uint64_t seed) const {
    random_seed_(static_cast<Num>(seed % 1000000007));  // fits the smallest integer type
    random_reset_();
    Object source(graph_init_, graph_exit_);
    Object target(graph_init_, graph_exit_);
    Object arch(arch_init_, arch_exit_);
    Object bipartition(strat_init_, strat_exit_);
    Object strategy(strat_init_, strat_exit_);
    build(source, traffic);
    if (native == nullptr) build(target, machine);
    std::vector<Num> place(traffic.vertex_load.size(), -1);
    const auto run = [&](void* source_graph, void* target_graph) {
      if (native != nullptr)
        build(arch, *native);
      else
        check(arch_build_(arch.get(), target_graph, static_cast<Num>(places.size()), places.data(), bipartition.get()),
              "SCOTCH_archBuild");
      check(graph_map_(source_graph, arch.get(), strategy.get(), place.data()), "SCOTCH_graphMap");
    };
    if (context_init_ == nullptr || context_exit_ == nullptr || context_threads_ == nullptr ||
        context_bind_ == nullptr) {
      run(source.get(), target.get());  // before version 7 there were no threads
      return place;
    }
    // Uses one thread: several threads make the result depend on their timing, and wait for each other longer than they
    // work.
    Object context(context_init_, context_exit_);
    check(context_threads_(context.get(), 1, nullptr), "SCOTCH_contextThreadSpawn");
    Object bound_source(graph_init_, graph_exit_);
    Object bound_target(graph_init_, graph_exit_);
    check(context_bind_(context.get(), source.get(), bound_source.get()), "SCOTCH_contextBindGraph");
    if (native == nullptr)
      check(context_bind_(context.get(), target.get(), bound_target.get()), "SCOTCH_contextBindGraph");
    run(bound_source.get(), bound_target.get());
    return place;
  }

 private:
  using ArchGrid = int(void*, Num, const Num*);
  using ArchTree = int(void*, Num, const Num*, const Num*);
  using GraphBuild = int(void*, Num, Num, const Num*, const Num*, const Num*, const Num*, Num, const Num*, const Num*);

  /// Any of Scotch's structures, freed at the end of its scope.
  class Object {
   public:
    Object(int (*init)(void*), void (*exit)(void*)) : exit_(exit) { check(init(get()), "initialisation"); }
    ~Object() { exit_(get()); }
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;
    void* get() { return memory_.bytes.data(); }

   private:
    Opaque memory_;
    void (*exit_)(void*);
  };

  static void check(int status, const char* what) {
    if (status != 0) throw not_available(std::string("Scotch reports an error in ") + what, "--mapper auto");
  }

  void build(Object& graph, const Csr<Num>& csr) const {
    check(graph_build_(graph.get(), 0, static_cast<Num>(csr.vertex_load.size()), csr.first.data(), nullptr,
                       csr.vertex_load.data(), nullptr, static_cast<Num>(csr.neighbour.size()), csr.neighbour.data(),
                       csr.edge_load.data()),
          "SCOTCH_graphBuild");
  }

  [[nodiscard]] ArchGrid* grid_of(const Native<Num>& native) const {
    return native.kind == Native<Num>::Kind::torus ? arch_torus_ : arch_mesh_;
  }
  void build(Object& arch, const Native<Num>& native) const {
    const auto size = static_cast<Num>(native.sizes.size());
    const bool is_tree = native.kind == Native<Num>::Kind::tree;
    check(is_tree ? arch_tleaf_(arch.get(), size, native.sizes.data(), native.distances.data())
                  : grid_of(native)(arch.get(), size, native.sizes.data()),
          "the architecture");
  }

  int (*graph_init_)(void*);
  void (*graph_exit_)(void*);
  GraphBuild* graph_build_;
  int (*graph_map_)(void*, const void*, void*, Num*);
  int (*arch_init_)(void*);
  void (*arch_exit_)(void*);
  int (*arch_build_)(void*, const void*, Num, const Num*, void*);
  ArchGrid* arch_torus_;
  ArchGrid* arch_mesh_;
  ArchTree* arch_tleaf_;
  int (*strat_init_)(void*);
  void (*strat_exit_)(void*);
  int (*context_init_)(void*);
  void (*context_exit_)(void*);
  int (*context_threads_)(void*, int, const int*);
  int (*context_bind_)(void*, const void*, void*);
  void (*random_reset_)();
  void (*random_seed_)(Num);
};

/// Scotch sums loads times distances in its integer type, so the loads must leave room for that.
constexpr double kLargestSum = 1e9;
constexpr double kLargestDistance = 1000;

template <class Num>
Csr<Num> traffic_graph(const Partners& partners) {
  Csr<Num> graph;
  std::vector<double> loads;
  for (std::size_t r = 0; r < partners.ranks(); ++r) {
    for (const Partner& partner : partners.of(Rank(r))) {
      graph.neighbour.push_back(static_cast<Num>(partner.rank.index()));
      loads.push_back(partner.both());
    }
    graph.first.push_back(static_cast<Num>(graph.neighbour.size()));
  }
  graph.vertex_load.assign(partners.ranks(), 1);
  const double edges = static_cast<double>(std::max<std::size_t>(1, loads.size()));
  graph.edge_load = whole_numbers<Num>(loads, std::max(1.0, kLargestSum / (edges * kLargestDistance)));
  return graph;
}

/// True if every place may be used, in order, and holds as much as every other.
bool is_whole(const MapProblem& problem, const std::vector<PlaceCapacity>& all) {
  const bool in_order = all.size() == problem.topology.place_count() &&
                        std::ranges::is_sorted(all, {}, [](const PlaceCapacity& each) { return each.place; });
  return in_order &&
         std::ranges::all_of(all, [&](const PlaceCapacity& each) { return each.capacity == all.front().capacity; });
}

/// Hops are the distances: level h is h + 1 times the nearest distance away.
bool is_by_hops(const Topology& topology) {
  const std::span<const double> distances = topology.level_distances();
  for (std::size_t level = 0; level < distances.size(); ++level) {
    const double expected = static_cast<double>(topology.levels()[level].grade) * distances.front();
    if (std::abs(distances[level] - expected) > 1e-12 * expected) return false;
  }
  return true;
}

/// Wires of different lengths between places and what joins them; places come first.
struct Wires {
  struct Wire {
    std::size_t a;
    std::size_t b;
    double length;
  };
  std::size_t vertices = 0;
  std::vector<Wire> wires;
};

/// The machine as a tree; nothing if it is none, or if a place is no farther from others than their common parent.
std::optional<Wires> tree_wires(MapProblem problem, const std::vector<PlaceCapacity>& all) {
  problem.objective = Objective::hop_bytes;
  const std::optional<Hierarchy> tree = find_hierarchy(problem);
  if (!tree) return std::nullopt;
  std::vector<std::size_t> vertex_of(tree->nodes.size());
  Wires found{.vertices = all.size()};
  for (std::size_t n = 0; n < tree->nodes.size(); ++n) {
    const Hierarchy::Node& node = tree->nodes[n];
    const auto position = std::ranges::find(all, node.place, &PlaceCapacity::place);
    vertex_of[n] = node.place ? static_cast<std::size_t>(position - all.begin()) : found.vertices++;
    for (const std::size_t child : node.children) {
      const double length = tree->nodes[child].weight_out;
      if (!(length > 0) || length != tree->nodes[child].weight_in) return std::nullopt;
      found.wires.push_back({vertex_of[child], vertex_of[n], length});
    }
  }
  return found;
}

/// A whole dragonfly by hops; nothing for another machine. A router with one place is that place.
std::optional<Wires> dragonfly_wires(const MapProblem& problem, const std::vector<PlaceCapacity>& all) {
  const NetworkShape* shape = problem.topology.network();
  const DragonflyShape* fly = shape == nullptr ? nullptr : std::get_if<DragonflyShape>(shape);
  const bool by_hops = problem.metric == Metric::distance && !problem.topology.has_pair_matrix(Metric::distance) &&
                       is_by_hops(problem.topology);
  if (fly == nullptr || !by_hops || !is_whole(problem, all)) return std::nullopt;
  const bool alone = fly->places == 1;
  Wires found{.vertices = static_cast<std::size_t>(size_of(*shape).vertices) - (alone ? all.size() : 0)};
  for_each_wire(*fly, [&](std::size_t a, std::size_t b) {
    if (!alone)
      found.wires.push_back({a, b, a < all.size() ? 1.0 : 2.0});
    else if (a >= all.size())
      found.wires.push_back({a - all.size(), b - all.size(), 1.0});
  });
  return found;
}

template <class Num>
Csr<Num> graph_of_wires(const Wires& machine, const std::vector<PlaceCapacity>& all) {
  std::vector<std::vector<std::pair<std::size_t, double>>> rows(machine.vertices);
  for (const Wires::Wire& wire : machine.wires) {
    rows[wire.a].emplace_back(wire.b, wire.length);
    rows[wire.b].emplace_back(wire.a, wire.length);
  }
  Csr<Num> graph;
  std::vector<double> lengths;
  for (std::size_t v = 0; v < rows.size(); ++v) {
    for (const auto& [to, length] : rows[v]) {
      graph.neighbour.push_back(static_cast<Num>(to));
      lengths.push_back(length);
    }
    graph.first.push_back(static_cast<Num>(graph.neighbour.size()));
    graph.vertex_load.push_back(v < all.size() ? static_cast<Num>(all[v].capacity) : Num{1});
  }
  graph.edge_load = whole_numbers<Num>(lengths, kLargestDistance);
  return graph;
}

template <class Num>
Csr<Num> complete_graph(const MapProblem& problem, const std::vector<PlaceCapacity>& all) {
  Csr<Num> graph;
  std::vector<double> distances;
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = 0; b < all.size(); ++b) {
      if (a == b) continue;
      graph.neighbour.push_back(static_cast<Num>(b));
      // Scotch's graphs have no direction. A distance of 0 would be no edge at all.
      const double both = problem.topology.pair_cost(problem.metric, all[a].place, all[b].place) +
                          problem.topology.pair_cost(problem.metric, all[b].place, all[a].place);
      distances.push_back(both);
    }
    graph.first.push_back(static_cast<Num>(graph.neighbour.size()));
    graph.vertex_load.push_back(static_cast<Num>(all[a].capacity));
  }
  graph.edge_load = whole_numbers<Num>(distances, kLargestDistance);
  for (Num& load : graph.edge_load) load = std::max<Num>(load, 1);
  return graph;
}

/// The machine as Scotch's own architecture; nothing if none has exactly these distances.
template <class Num>
std::optional<Native<Num>> native_machine(const MapProblem& problem, const std::vector<PlaceCapacity>& all) {
  constexpr std::size_t kMostAxes = 5;  // of Scotch
  const Topology& topology = problem.topology;
  if (problem.metric != Metric::distance || topology.has_pair_matrix(Metric::distance) || !is_whole(problem, all))
    return std::nullopt;
  Native<Num> native;
  if (const NetworkShape* shape = topology.network()) {
    const auto* grid = std::get_if<GridShape>(shape);
    if (grid == nullptr || !is_by_hops(topology)) return std::nullopt;
    native.kind = grid->closed ? Native<Num>::Kind::torus : Native<Num>::Kind::mesh;
    for (auto size = grid->sizes.rbegin(); size != grid->sizes.rend(); ++size) {
      if (*size > 1) native.sizes.push_back(static_cast<Num>(*size));
    }
    return native.sizes.size() <= kMostAxes ? std::optional(native) : std::nullopt;
  }
  if (topology.arities().empty()) return std::nullopt;
  native.kind = Native<Num>::Kind::tree;
  for (const int arity : topology.arities()) {
    if (arity > 1) native.sizes.push_back(static_cast<Num>(arity));  // a level of one child confuses Scotch
  }
  std::vector<double> outermost_first(topology.level_distances().rbegin(), topology.level_distances().rend());
  const bool is_hierarchy = std::ranges::is_sorted(topology.level_distances()) && outermost_first.back() > 0 &&
                            outermost_first.size() == native.sizes.size();
  if (!is_hierarchy) return std::nullopt;
  native.distances = whole_numbers<Num>(outermost_first, kLargestDistance);
  return native;
}

/// Moves ranks from overfull places to free ones, one at a time, where it costs least.
void repair(const MapProblem& problem, const Partners& partners, const std::vector<PlaceCapacity>& all,
            std::vector<std::size_t>& position_of) {
  std::vector<std::size_t> load(all.size(), 0);
  for (const std::size_t position : position_of) ++load[position];
  const auto cost = [&](std::size_t rank, std::size_t position) {
    double sum = 0;
    const Place here = all[position].place;
    for (const Partner& partner : partners.of(Rank(rank))) {
      const Place there = all[position_of[partner.rank.index()]].place;
      sum += partner.sent * problem.topology.pair_cost(problem.metric, here, there) +
             partner.received * problem.topology.pair_cost(problem.metric, there, here);
    }
    return sum;
  };
  // In a large problem one rank after the other moves to where it costs least; else the one that costs least of all.
  constexpr std::size_t kFew = 4096;
  const bool in_order = position_of.size() > kFew;
  for (;;) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t rank = 0;
    std::size_t to = all.size();
    for (std::size_t r = 0; r < position_of.size() && !(in_order && to != all.size()); ++r) {
      if (load[position_of[r]] <= all[position_of[r]].capacity) continue;
      const double before = cost(r, position_of[r]);
      for (std::size_t position = 0; position < all.size(); ++position) {
        if (load[position] >= all[position].capacity) continue;
        const double change = cost(r, position) - before;
        if (change < least) {
          least = change;
          rank = r;
          to = position;
        }
      }
    }
    if (to == all.size()) return;
    --load[position_of[rank]];
    ++load[to];
    position_of[rank] = to;
  }
}

template <class Num>
std::vector<std::size_t> run_scotch(const MapProblem& problem, const Partners& partners,
                                    const std::vector<PlaceCapacity>& all) {
  const Scotch<Num> scotch(Library::get());
  const std::optional<Native<Num>> native = native_machine<Num>(problem, all);
  const bool is_native = native && scotch.knows(*native);
  if (!is_native && all.size() > kMostPlaces) {
    throw not_available("scotch is given the complete graph of all places, which is too large for " +
                            std::to_string(all.size()) + " of them (at most " + std::to_string(kMostPlaces) + ")",
                        "--mapper greedy");
  }
  Csr<Num> machine;
  std::vector<Num> places(all.size());
  std::iota(places.begin(), places.end(), Num{0});
  if (!is_native) {
    std::optional<Wires> wires = tree_wires(problem, all);
    if (!wires) wires = dragonfly_wires(problem, all);
    machine = wires ? graph_of_wires<Num>(*wires, all) : complete_graph<Num>(problem, all);
  }
  const std::vector<Num> found =
      scotch.map(traffic_graph<Num>(partners), machine, places, is_native ? &*native : nullptr, problem.seed);
  std::vector<std::size_t> position_of;
  for (const Num place : found) {
    if (place < 0 || static_cast<std::size_t>(place) >= all.size())
      throw not_available("Scotch left a rank unmapped", "--mapper auto");
    position_of.push_back(static_cast<std::size_t>(place));
  }
  return position_of;
}

}  // namespace

MapperAnswer map_scotch(const MapProblem& problem, const Budget&) {
  static std::mutex one_at_a_time;  // Scotch's random numbers are shared by the whole process
  const std::lock_guard lock(one_at_a_time);
  const auto num_sizeof = Library::get().function<int()>("SCOTCH_numSizeof");
  const std::vector<PlaceCapacity> all = place_capacities(problem);
  const Partners partners(problem.traffic);
  std::vector<std::size_t> position_of(partners.ranks(), 0);
  if (all.size() > 1) {
    position_of = num_sizeof() == 8 ? run_scotch<std::int64_t>(problem, partners, all)
                                    : run_scotch<std::int32_t>(problem, partners, all);
  }
  repair(problem, partners, all, position_of);
  std::vector<Place> places;
  for (const std::size_t position : position_of) places.push_back(all[position].place);
  return {.mapping = Mapping(std::move(places))};
}

}  // namespace topowise
