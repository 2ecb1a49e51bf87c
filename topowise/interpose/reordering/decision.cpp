// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/decision.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

#include <topowise/interpose/base/complain.hpp>
#include <topowise/interpose/reordering/calls.hpp>
#include <topowise/interpose/reordering/engine_library.hpp>
#include <topowise/interpose/reordering/settings.hpp>

namespace topowise::interpose::reordering {
namespace {

/// What each process tells the first one.
struct Hello {
  char host[52];
  std::int32_t asked;
  std::int32_t valid;
  std::int32_t edges;
};
static_assert(sizeof(Hello) == 64);

constexpr int kRoot = 0;
constexpr int kIntsOfEdge = sizeof(engine::Edge) / sizeof(int);

/// What the first process knows of all.
struct Gathered {
  std::vector<Hello> hellos;
  std::vector<char> hosts;  ///< as the engine wants them
  std::vector<engine::Edge> edges;
};

/// What each process is told.
struct Verdict {
  std::int32_t new_rank;
  std::int32_t source;
};

class Deciding {
 public:
  Deciding(const Mpi& m, Word comm, bool asked, const Shape& shape, const CallSite& site)
      : m_(m), mpi_(*calls()), comm_(comm), shape_(shape), site_(site) {
    m.Comm_rank(comm, &rank_);
    m.Comm_size(comm, &size_);
    hello_.asked = asked ? 1 : 0;
    hello_.valid = shape.valid ? 1 : 0;
    hello_.edges = static_cast<std::int32_t>(shape.edges.size());
    ::gethostname(hello_.host, sizeof(hello_.host) - 1);
  }

  Decision run() {
    Decision decision;
    decision.status = gather_hellos();
    if (decision.status != 0) return decision;
    std::int32_t go_on = rank_ == kRoot && worth_asking() ? 1 : 0;
    decision.status = mpi_.Bcast(&go_on, sizeof(go_on), m_.family.type_byte, kRoot, comm_);
    if (decision.status != 0 || go_on == 0) return decision;
    if (shape_.kind == engine::Kind::edges) decision.status = gather_edges();
    if (decision.status != 0) return decision;
    std::vector<Verdict> verdicts;
    if (rank_ == kRoot) verdicts = ask();
    Verdict own{};
    decision.status = mpi_.Scatter(verdicts.data(), sizeof(Verdict), m_.family.type_byte, &own, sizeof(Verdict),
                                   m_.family.type_byte, kRoot, comm_);
    decision.reorder = own.new_rank != kStay;
    decision.new_rank = own.new_rank;
    decision.source = own.source;
    return decision;
  }

 private:
  static constexpr std::int32_t kStay = -2;  ///< nobody gets another rank

  int gather_hellos() {
    if (rank_ == kRoot) all_.hellos.resize(static_cast<std::size_t>(size_));
    return mpi_.Gather(&hello_, sizeof(Hello), m_.family.type_byte, all_.hellos.data(), sizeof(Hello),
                       m_.family.type_byte, kRoot, comm_);
  }

  /// By the first process: whether all want it and there could be a gain.
  [[nodiscard]] bool worth_asking() {
    bool one_host = true;
    std::int64_t edges = 0;
    for (const Hello& hello : all_.hellos) {
      if (hello.valid == 0) return false;
      if (hello.asked != hello_.asked) {
        complain(-1, "%s: the processes disagree on 'reorder'; ranks stay as they are", site_.function);
        return false;
      }
      one_host = one_host && std::strcmp(hello.host, hello_.host) == 0;
      edges += hello.edges;
    }
    if (hello_.asked == 0 && settings().mode == Mode::asked) return false;
    if (one_host && settings().topology == nullptr) return false;
    if (edges > INT_MAX / kIntsOfEdge) {
      complain(-1, "%s: %lld edges are too many to gather; ranks stay as they are", site_.function,
               static_cast<long long>(edges));
      return false;
    }
    return engine_function() != nullptr;
  }

  int gather_edges() {
    std::vector<int> counts;
    std::vector<int> places;
    int total = 0;
    for (const Hello& hello : all_.hellos) {
      counts.push_back(hello.edges * static_cast<int>(sizeof(engine::Edge)));
      places.push_back(total);
      total += counts.back();
    }
    all_.edges.resize(static_cast<std::size_t>(total) / sizeof(engine::Edge));
    return mpi_.Gatherv(shape_.edges.data(), static_cast<int>(shape_.edges.size_bytes()), m_.family.type_byte,
                        all_.edges.data(), counts.data(), places.data(), m_.family.type_byte, kRoot, comm_);
  }

  [[nodiscard]] engine::Question question() {
    for (const Hello& hello : all_.hellos)
      all_.hosts.insert(all_.hosts.end(), hello.host, hello.host + sizeof(hello.host));
    return {.kind = shape_.kind,
            .processes = size_,
            .vertices = shape_.vertices,
            .hosts = all_.hosts.data(),
            .host_bytes = sizeof(Hello::host),
            .dimensions = shape_.dimensions,
            .extents = shape_.extents,
            .periodic = shape_.periodic,
            .index = shape_.index,
            .neighbors = shape_.neighbors,
            .edges = all_.edges.data(),
            .edge_count = all_.edges.size(),
            .topology = settings().topology,
            .seconds = settings().seconds};
  }

  /// By the first process.
  [[nodiscard]] std::vector<Verdict> ask() {
    std::vector<Verdict> verdicts(static_cast<std::size_t>(size_), Verdict{kStay, kStay});
    std::vector<std::int32_t> process_of_vertex(static_cast<std::size_t>(size_));
    const engine::Question asked = question();
    engine::Answer answer{.process_of_vertex = process_of_vertex.data()};
    if (!engine_function()(&asked, &answer)) {
      complain(-1, "%s: ranks stay as they are: %s", site_.function, answer.message);
      return verdicts;
    }
    if (settings().mode == Mode::report) report(answer);
    if (answer.trivial || settings().mode == Mode::report) return verdicts;
    process_of_vertex.resize(static_cast<std::size_t>(answer.vertices));
    std::vector<std::int32_t> vertex_of_process(verdicts.size(), -1);
    for (std::size_t vertex = 0; vertex < process_of_vertex.size(); ++vertex)
      vertex_of_process[static_cast<std::size_t>(process_of_vertex[vertex])] = static_cast<std::int32_t>(vertex);
    for (std::size_t process = 0; process < verdicts.size(); ++process) {
      const std::int32_t vertex = vertex_of_process[process];
      verdicts[process] = {vertex, vertex < 0 ? -1 : vertex_of_process[static_cast<std::size_t>(vertex)]};
    }
    return verdicts;
  }

  void report(const engine::Answer& answer) const {
    char where[200] = "an unknown place";
    Dl_info found{};
    if (::dladdr(site_.address, &found) != 0 && found.dli_fname != nullptr) {
      const char* slash = std::strrchr(found.dli_fname, '/');
      std::snprintf(where, sizeof(where), "%s+0x%zx", slash == nullptr ? found.dli_fname : slash + 1,
                    static_cast<std::size_t>(static_cast<const char*>(site_.address) -
                                             static_cast<const char*>(found.dli_fbase)));
    }
    const double gain = answer.cost_before > 0 ? 100 * (1 - answer.cost / answer.cost_before) : 0;
    complain(
        -1,
        "%s at %s, reorder = %s: %d vertices, %d processes on %d hosts: %s, hop-bytes %.6g -> %.6g (%.1f %% less%s)",
        site_.function, where, hello_.asked != 0 ? "true" : "false", static_cast<int>(answer.vertices), size_,
        static_cast<int>(answer.hosts), answer.trivial ? "ranks would stay" : "ranks would be reordered",
        answer.cost_before, answer.cost, gain, answer.proven_optimal ? ", proven optimal" : "");
  }

  const Mpi& m_;
  const Calls& mpi_;
  Word comm_;
  const Shape& shape_;
  const CallSite& site_;
  int rank_ = 0;
  int size_ = 0;
  Hello hello_{};
  Gathered all_;
};

}  // namespace

Decision decide(const Mpi& m, Word comm, bool asked, const Shape& shape, const CallSite& site) {
  return Deciding(m, comm, asked, shape, site).run();
}

}  // namespace topowise::interpose::reordering
