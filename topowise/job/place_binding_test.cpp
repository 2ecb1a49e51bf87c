// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/place_binding.hpp>

#include <doctest/doctest.h>

#include <topowise/base/host_names.hpp>
#include <topowise/job/cpu_binding.hpp>

using namespace topowise;
using namespace topowise::job;

namespace {

constexpr const char* kAbsent = "65000";  ///< a processor that no machine has

/// One rank on each core of a node of this name.
Placement on_cores(const std::string& node, const std::vector<std::string>& cpus) {
  Placement placement{"m", {{node, {}}}, {}};
  for (std::size_t i = 0; i < cpus.size(); ++i)
    placement.ranks.push_back({0, i, std::nullopt, "core " + std::to_string(i), cpus[i]});
  return placement;
}

RankTarget target_on(const Placement& placement, std::size_t rank) {
  const PlacedRank& placed = placement.ranks[rank];
  return {.rank = rank, .host = placement.nodes[placed.node].name, .place = placed.place, .cpus = placed.cpus};
}

Topology machine_of(PlaceKind kind) {
  TopologyBuilder builder("m");
  for (const char* name : {"a", "b"}) builder.add_place(kind, builder.add_vertex({.name = name}));
  return std::move(builder).build();
}

/// The processors of this process, which come back at the end of a test.
class OwnCpus {
 public:
  OwnCpus() : before_(allowed_cpus()) {}
  OwnCpus(const OwnCpus&) = delete;
  OwnCpus& operator=(const OwnCpus&) = delete;
  ~OwnCpus() { bind_to_cpus(before_); }
  [[nodiscard]] std::string first() const { return std::to_string(before_.front()); }
  [[nodiscard]] std::string last() const { return std::to_string(before_.back()); }
  [[nodiscard]] const std::vector<int>& all() const { return before_; }

 private:
  std::vector<int> before_;
};

struct Bound {
  bool is_bound;
  std::vector<std::string> warnings;
};
Bound bind(const Placement& placement, std::size_t rank) {
  Bound bound{};
  const Notices notices{[](const std::string&) {},
                        [&](const Diagnostic& diagnostic) { bound.warnings.push_back(diagnostic.what); }};
  bound.is_bound = bind_to_place(target_on(placement, rank), placement, notices);
  return bound;
}

}  // namespace

TEST_CASE("a rank is bound to its core, even if its launcher has bound it to another one") {
  const OwnCpus own;
  const Placement placement = on_cores("", {own.last(), own.first()});
  bind_to_cpus({own.all().front()});
  const Bound bound = bind(placement, 0);
  CHECK(bound.is_bound);
  CHECK(bound.warnings.empty());
  CHECK(allowed_cpus() == std::vector<int>{own.all().back()});
}

TEST_CASE("a binding inside the processors of the place stays") {
  const OwnCpus own;
  bind_to_cpus({own.all().back()});
  CHECK(bind(on_cores(host_name(), {"0-65000"}), 0).is_bound);
  CHECK(allowed_cpus() == std::vector<int>{own.all().back()});
}

TEST_CASE("a rank on another host than its own is not bound") {
  const OwnCpus own;
  const Bound bound = bind(on_cores("no-such-host", {own.first()}), 0);
  CHECK_FALSE(bound.is_bound);
  CHECK(allowed_cpus() == own.all());
}

TEST_CASE("if the job lacks a processor of one rank, no rank of the node is bound, and one says so") {
  const OwnCpus own;
  const Placement placement = on_cores("", {own.first(), kAbsent});
  const Bound first = bind(placement, 0);
  CHECK_FALSE(first.is_bound);
  CHECK(allowed_cpus() == own.all());
  REQUIRE(first.warnings.size() == 1);
  CHECK(first.warnings[0].find("1 of 2 ranks are mapped to others (rank 1 to core 1, processors 65000)") !=
        std::string::npos);
  const Bound second = bind(placement, 1);
  CHECK_FALSE(second.is_bound);
  CHECK(second.warnings.empty());
  CHECK(lack_of_cpus(placement, 0, {0, 1, 2, 65000}).empty());
}

TEST_CASE("a job of Slurm without control groups has the processors to which its tasks are bound") {
  const std::vector<int> permitted{0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<int> own{2};
  const auto in = [&](const std::string& counts, const std::string& type, const std::string& masks) {
    return cpus_of_job(permitted, own, [&](const std::string& name) -> std::optional<std::string> {
      if (name == "SLURM_JOB_CPUS_PER_NODE") return counts;
      if (name == "SLURM_CPU_BIND_TYPE") return type;
      return name == "SLURM_CPU_BIND_LIST" ? std::optional(masks) : std::nullopt;
    });
  };
  CHECK(cpus_of_job(permitted, own, [](const std::string&) { return std::nullopt; }) == permitted);
  CHECK(in("8", "mask_cpu:", "0x4,0x8") == permitted);  // the job has the whole node, whatever its tasks are bound to
  CHECK(in("16(x2)", "mask_cpu:", "0x4,0x8") == permitted);
  CHECK(in("2", "mask_cpu:", "0x4,0x8") == std::vector<int>{2, 3});
  CHECK(in("8,2(x3)", "mask_cpu:", "0x00000044,0x00000088") == std::vector<int>{2, 3, 6, 7});
  CHECK(in("2", "mask_cpu:", "0xC") == std::vector<int>{2, 3});
  CHECK(in("2", "none", "") == own);
  CHECK(in("2", "mask_cpu:", "") == own);
  CHECK(in("many", "mask_cpu:", "0x4") == permitted);
}

TEST_CASE("what the first rank notes about places that nobody is bound to") {
  const Topology cores = machine_of(PlaceKind::core);
  CHECK(what_is_not_bound(on_cores("", {"0", "1"}), cores, CpuBinding::place).empty());
  CHECK(
      what_is_not_bound(on_cores("", {"", ""}), cores, CpuBinding::place) ==
      "nothing of this mapping is put into effect: the processors of the places of 'm' are not known (hwloc's XML and "
      "live state them; map --emit puts ranks on hosts)");
  CHECK(what_is_not_bound(on_cores("", {"0", ""}), cores, CpuBinding::place) ==
        "rank 1 is not bound: the processors of core 1 are not known");
  CHECK(what_is_not_bound(on_cores("", {"0", "1"}), cores, CpuBinding::none).find("--cpu-bind none") !=
        std::string::npos);
  CHECK(what_is_not_bound(on_cores("", {"", ""}), machine_of(PlaceKind::node), CpuBinding::place) ==
        "the places of 'm' are compute nodes, onto which only the launcher puts ranks (map --emit)");
}

TEST_CASE("several threads on one core are reported") {
  const auto with = [](const char* name, const char* value) {
    return [=](const std::string& asked) { return asked == name ? std::optional<std::string>(value) : std::nullopt; };
  };
  const RankTarget two{.cpus = "3,67"};
  CHECK(threads_without_processors(two, with("OMP_NUM_THREADS", "2")).empty());
  CHECK(threads_without_processors(two, with("OMP_NUM_THREADS", "many")).empty());
  CHECK(threads_without_processors(two, with("X", "")).empty());
  CHECK(threads_without_processors(two, with("OMP_NUM_THREADS", "8,2")) ==
        "OMP_NUM_THREADS=8,2, but the mapping binds each rank to its core (2 processors): --cpu-bind none leaves the "
        "launcher's binding");
  CHECK_FALSE(threads_without_processors(two, with("SLURM_CPUS_PER_TASK", "4")).empty());
  CHECK(threads_without_processors({.gpu = NodeGpu{}, .cpus = "3"}, with("OMP_NUM_THREADS", "8")).empty());
}

TEST_CASE("a rank is far from its GPU only if it could be nearer") {
  const OwnCpus own;
  const auto near = [](const std::string& cpus) { return RankTarget{.gpu = NodeGpu{}, .cpus = cpus}; };
  CHECK_FALSE(is_far_from_gpu(near(own.first())));
  CHECK_FALSE(is_far_from_gpu(near(kAbsent)));
  CHECK_FALSE(is_far_from_gpu(near("")));
  bind_to_cpus({own.all().back()});
  CHECK(is_far_from_gpu(near(own.first())) == (own.all().size() > 1));
  CHECK_FALSE(is_far_from_gpu({.cpus = own.first()}));
}

TEST_CASE("libraries that bind in MPI_Init are told not to, unless the user has told them") {
  CHECK(binding_variables([](const std::string&) { return std::nullopt; }).size() == 2);
  CHECK(binding_variables([](const std::string& name) {
          return name == "MV2_ENABLE_AFFINITY" ? std::optional<std::string>("1") : std::nullopt;
        }) == Variables{{"MVP_ENABLE_AFFINITY", "0"}});
}

TEST_CASE("ways to bind to processors") {
  CHECK(parse_cpu_binding("place") == CpuBinding::place);
  CHECK(parse_cpu_binding("numa") == CpuBinding::numa);
  CHECK(parse_cpu_binding("none") == CpuBinding::none);
  CHECK_FALSE(parse_cpu_binding("core"));
  CHECK(binds_cpus(CpuBinding::place, {.cpus = "0"}));
  CHECK_FALSE(binds_cpus(CpuBinding::place, {.gpu = NodeGpu{}, .cpus = "0"}));
  CHECK(binds_cpus(CpuBinding::numa, {.gpu = NodeGpu{}}));
}
