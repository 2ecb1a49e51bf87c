// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/decision.hpp>

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <new>
#include <numeric>
#include <string_view>
#include <vector>

#include <topowise/interpose/base/abi.hpp>
#include <topowise/interpose/base/clock.hpp>
#include <topowise/interpose/base/library_beside.hpp>
#include <topowise/interpose/base/print_stderr.hpp>
#include <topowise/interpose/base/world.hpp>
#include <topowise/interpose/reordering/agreement.hpp>
#include <topowise/interpose/reordering/binding.hpp>
#include <topowise/interpose/reordering/calls.hpp>
#include <topowise/interpose/reordering/own_communicator.hpp>
#include <topowise/interpose/reordering/recorded_ranks.hpp>
#include <topowise/interpose/reordering/settings.hpp>
#include <topowise/interpose/reordering/tally.hpp>
#include <topowise/reorder/engine.hpp>

namespace topowise::interpose::reordering {

namespace {

constexpr int kTag = 0;

/// Receives `messages` and appends their edges to what is there.
int receive(const Mpi& m, std::span<const EdgeMessage> messages, std::vector<engine::Edge>& edges) {
  for (const EdgeMessage& message : messages) {
    if (message.edges == 0) continue;
    const std::size_t have = edges.size();
    edges.resize(have + static_cast<std::size_t>(message.edges));
    const int status =
        calls()->Recv(edges.data() + have, message.edges * static_cast<int>(sizeof(engine::Edge)), m.family.type_byte,
                      message.from, kTag, own_communicator(m), m.family.status_ignore);
    if (status != 0) return status;
  }
  return 0;
}

/// The tree of one host: member i sends to member (i - 1) / 2. Returns how many edges its first member has then.
std::int32_t plan_host(std::span<const std::size_t> members, std::span<const Participant> participants,
                       std::span<const std::int32_t> job_ranks, std::vector<EdgeRoute>& routes) {
  std::vector<std::int32_t> edges;
  for (const std::size_t member : members) edges.push_back(participants[member].edges);
  for (std::size_t i = members.size() - 1; i > 0; --i) {
    const std::size_t above = (i - 1) / 2;
    if (edges[i] == 0) continue;
    routes[members[i]].to = job_ranks[members[above]];
    routes[members[above]].before[(i - 1) % 2] = {job_ranks[members[i]], edges[i]};
    edges[above] += edges[i];
  }
  return edges.front();
}

}  // namespace

EdgePlan plan_edges(std::span<const Participant> participants, std::span<const std::int32_t> job_ranks) {
  EdgePlan plan{.routes = std::vector<EdgeRoute>(participants.size()), .from_hosts = {}};
  if (job_ranks.empty() || std::ranges::any_of(job_ranks, [](std::int32_t rank) { return rank < 0; }) ||
      std::ranges::any_of(participants, [](const Participant& participant) { return participant.threaded != 0; })) {
    std::ranges::fill(plan.routes, EdgeRoute{.to = EdgeRoute::kByMpi, .before = {}});
    return plan;
  }
  std::map<std::string_view, std::vector<std::size_t>> hosts;
  for (std::size_t process = 0; process < participants.size(); ++process)
    hosts[participants[process].host].push_back(process);
  for (const auto& [host, members] : hosts) {
    const std::int32_t edges = plan_host(members, participants, job_ranks, plan.routes);
    if (members.front() == 0 || edges == 0) continue;
    plan.routes[members.front()].to = job_ranks[0];
    plan.from_hosts.push_back({job_ranks[members.front()], edges});
  }
  return plan;
}

int gather_by_host(const Mpi& m, const EdgeRoute& route, std::span<const EdgeMessage> from_hosts,
                   std::vector<engine::Edge>& edges) {
  if (const int status = receive(m, route.before, edges); status != 0) return status;
  if (const int status = receive(m, from_hosts, edges); status != 0) return status;
  if (route.to < 0) return 0;
  return calls()->Send(edges.data(), static_cast<int>(edges.size() * sizeof(engine::Edge)), m.family.type_byte,
                       route.to, kTag, own_communicator(m));
}

namespace {

// Waiting while one process computes for all. MPI waits by asking over and over, which takes the processor from the one
// that computes wherever ranks share cores. Here the other processes give their processors away between two questions,
// and later sleep.

// A mapping of few processes is done in this time, and until then it is enough to give the processor away between two
// questions: processes that have slept are scheduled worse afterwards, and MPI's next collectives take twice the time
// (docs/models/reordering.md).
constexpr std::uint64_t kAwake = 20'000'000;  // nanoseconds
// Then the pauses grow to a tenth of what a mapping of many processes takes.
constexpr long kFirstNap = 10'000;
constexpr long kLongestNap = 100'000;

/// MPI_Wait, asleep most of the time if it takes longer than 20 ms. Returns what MPI does.
int sleeping_wait(const Mpi& m, Word& request) {
  const std::uint64_t asleep = clock_ns(CLOCK_MONOTONIC) + kAwake;
  int done = 0;
  timespec nap{.tv_sec = 0, .tv_nsec = kFirstNap};
  while (true) {
    if (const int status = calls()->Test(&request, &done, m.family.status_ignore); status != 0 || done != 0)
      return status;
    if (clock_ns(CLOCK_MONOTONIC) < asleep) {
      ::sched_yield();
      continue;
    }
    ::nanosleep(&nap, nullptr);
    nap.tv_nsec = std::min(2 * nap.tv_nsec, kLongestNap);
  }
}

engine::Function open_engine() noexcept {
  void* library = open_beside(engine::kLibrary);
  if (library == nullptr) {
    print_stderr(-1, "ranks stay as they are: %s", ::dlerror());
    return nullptr;
  }
  const auto function = reinterpret_cast<engine::Function>(::dlsym(library, engine::kFunction));
  if (function == nullptr)
    print_stderr(-1, "ranks stay as they are: %s has no %s", engine::kLibrary, engine::kFunction);
  return function;
}

/// Opens the library that maps, beside this one, at the first call. Null, after saying why once, where that fails.
engine::Function engine_function() noexcept {
  static const engine::Function function = open_engine();
  return function;
}

constexpr int kRoot = 0;

/// Up to so many processes, the first one tells each of them directly. In a tree, a process that passes something on
/// would have to get a processor first.
constexpr int kFewProcesses = 64;

/// What all processes are told.
struct Head {
  Next next = Next::stay;
  std::int32_t moved = 0;  ///< ranks are reordered: each process is told its own
};

/// How each process goes on if edges are to be gathered.
struct Way {
  Next next;
  std::int32_t open;  ///< open a communicator of our own first
  EdgeRoute route;
};

/// What each process is told of itself.
struct NewRank {
  std::int32_t new_rank = -1;
  std::int32_t source = -1;
  std::int32_t watch = 0;
  std::int32_t recorded = -1;
};

/// Head and NewRank, for one process.
struct Told {
  Head head;
  NewRank own;
};

/// What the first process knows of all.
struct Gathered {
  std::vector<Participant> participants;
  // Memory for what it tells them, taken before they wait for it:
  std::vector<Told> told;
  std::vector<Way> ways;
  // As the engine wants them:
  std::vector<char> hosts;
  std::vector<NodePart> parts;
  std::vector<engine::Edge> edges;
  std::vector<EdgeMessage> from_hosts;
  std::vector<std::int32_t> recorded_ranks;
  // For MPI_Gatherv, in bytes:
  std::vector<int> counts;
  std::vector<int> places;
};

class Deciding {
 public:
  Deciding(const Mpi& m, Word comm, bool asked, const Shape& shape, const CallSite& site)
      : m_(m), mpi_(*calls()), comm_(comm), shape_(shape), site_(site) {
    m.Comm_rank(comm, &rank_);
    m.Comm_size(comm, &size_);
    participant_.asked = asked ? 1 : 0;
    participant_.valid = shape.valid ? 1 : 0;
    participant_.lacks = shape.lacks ? 1 : 0;
    int level = 0;
    participant_.threaded = m.Query_thread(&level) == 0 && level < m.family.thread_multiple ? 0 : 1;
    participant_.vertices = shape.vertices;
    participant_.edges = static_cast<std::int32_t>(shape.edges.size());
    participant_.digest = shape.digest;
    participant_.mode = settings().mode;
    const World job = world().value_or(World{.rank = -1, .size = 0});
    participant_.job_rank = job.rank;
    participant_.recorded = recorded_rank(comm, job.rank);
    world_size_ = job.size;
    ::gethostname(participant_.host, sizeof(participant_.host) - 1);
    try {
      const Permission permitted = permission(site);
      participant_.permitted = permitted.given ? 1 : 0;
      known_ = permitted.known;
      count_entries(permitted.only, permitted.except, permitted.include);
      participant_.part = own_part();
    } catch (const std::bad_alloc&) {
      participant_.lacks = 1;
    }
  }

  Decision run() {
    Decision decision;
    decision.status = gather_participants();
    if (decision.status != 0) return decision;
    if (holds_the_job()) note_all_processes();
    Head head{.next = rank_ == kRoot ? agree() : Next::stay};
    const bool with_edges = shape_.kind == engine::Kind::edges;
    if (with_edges) decision.status = gather_edges(head.next);
    if (decision.status != 0) return decision;
    const bool known = with_edges && head.next != Next::map;
    std::vector<NewRank> new_ranks;
    if (rank_ == kRoot && head.next == Next::map) {
      new_ranks = map_if_possible();
      if (settings().mode == Mode::report) head.next = Next::leave;
    }
    head.moved = new_ranks.empty() ? 0 : 1;
    NewRank own;
    if (!known) decision.status = tell(head, new_ranks, own);
    if (decision.status != 0) return decision;
    if (head.next == Next::refuse) decision.status = refuse();
    if (head.next == Next::leave) decision.leave = true;
    if (head.moved == 0) return decision;
    decision.reorder = true;
    decision.new_rank = own.new_rank;
    decision.source = own.source;
    decision.watch = own.watch != 0;
    decision.recorded = own.recorded;
    return decision;
  }

 private:
  int gather_participants() {
    if (rank_ == kRoot) {
      const auto size = static_cast<std::size_t>(size_);
      all_.participants.resize(size);
      if (size_ <= kFewProcesses) all_.told.resize(size);
      if (shape_.kind == engine::Kind::edges) all_.ways.resize(size);
    }
    return mpi_.Gather(&participant_, sizeof(Participant), m_.family.type_byte, all_.participants.data(),
                       sizeof(Participant), m_.family.type_byte, kRoot, comm_);
  }

  void warn(const std::string& what) const { say_once(about(site_, what)); }

  /// Runs `work` of the first process, for which all others wait: without memory for it ranks stay as they are.
  template <class Work>
  [[nodiscard]] bool has_memory_for(Work work) const {
    try {
      work();
      return true;
    } catch (const std::bad_alloc&) {
      print_stderr(-1, "%s: no memory is left to reorder ranks: they stay as they are", site_.function);
      count(Outcome::trouble);
      return false;
    }
  }
  [[nodiscard]] static Next next_without_memory() { return settings().mode == Mode::report ? Next::leave : Next::stay; }

  [[nodiscard]] Agreement judgement() const {
    try {
      return agreement_of(all_.participants, settings().mode, settings().topology != nullptr);
    } catch (const std::bad_alloc&) {
      return {next_without_memory(), Outcome::trouble, "no memory is left to reorder ranks; they stay as they are"};
    }
  }

  [[nodiscard]] std::string about_known() const {
    return std::string("left as it is: ") + known_->name + " (" + known_->seen +
           ") ignores its new ranks: " + known_->reason + "; --reorder-include reorders here all the same";
  }

  /// What is next, judged by the first process.
  [[nodiscard]] Next agree() const {
    Agreement found = judgement();
    const bool known = found.outcome == Outcome::denied && known_ != nullptr;
    if (known) found.outcome = Outcome::known;
    if (found.next != Next::map) count(found.outcome);
    try {
      if (!found.warning.empty()) warn(std::string(found.warning));
      if (known) warn(about_known());
    } catch (const std::bad_alloc&) {  // nobody learns of it
    }
    return found.next;
  }

  /// The first process, which knows them, tells all: what is next, and each process's new rank if it has one.
  int tell(Head& head, const std::vector<NewRank>& new_ranks, NewRank& own) {
    return size_ <= kFewProcesses ? tell_each(head, new_ranks, own) : tell_in_trees(head, new_ranks, own);
  }

  int tell_each(Head& head, const std::vector<NewRank>& new_ranks, NewRank& own) {
    for (Told& each : all_.told) each.head = head;
    for (std::size_t process = 0; process < new_ranks.size(); ++process) all_.told[process].own = new_ranks[process];
    Told told{};
    Word request = 0;
    int status = mpi_.Iscatter(all_.told.data(), sizeof(Told), m_.family.type_byte, &told, sizeof(Told),
                               m_.family.type_byte, kRoot, comm_, &request);
    if (status == 0) status = sleeping_wait(m_, request);
    head = told.head;
    own = told.own;
    return status;
  }

  int tell_in_trees(Head& head, const std::vector<NewRank>& new_ranks, NewRank& own) {
    Word request = 0;
    int status = mpi_.Ibcast(&head, sizeof(head), m_.family.type_byte, kRoot, comm_, &request);
    if (status == 0) status = sleeping_wait(m_, request);
    if (status != 0 || head.moved == 0) return status;
    return mpi_.Scatter(new_ranks.data(), sizeof(NewRank), m_.family.type_byte, &own, sizeof(NewRank),
                        m_.family.type_byte, kRoot, comm_);
  }

  /// Fails as if MPI had found the error.
  [[nodiscard]] int refuse() {
    const int status = mpi_.Comm_call_errhandler(comm_, m_.family.error_argument);
    return status != 0 ? status : m_.family.error_argument;
  }

  /// Says what is next, and if that is to map, brings all edges to the first process.
  int gather_edges(Next& next) {
    if (rank_ == kRoot && !has_memory_for([&] { find_ways(next); }))
      std::ranges::fill(all_.ways, Way{.next = next_without_memory(), .open = 0, .route = {}});
    Way own{};
    const int status = mpi_.Scatter(all_.ways.data(), sizeof(Way), m_.family.type_byte, &own, sizeof(Way),
                                    m_.family.type_byte, kRoot, comm_);
    next = own.next;
    if (status != 0 || next != Next::map) return status;
    if (own.open != 0) open_own_communicator(m_);
    if (own.route.to == EdgeRoute::kByMpi) return gather_edges_by_mpi();
    all_.edges = shape_.edges;
    return gather_by_host(m_, own.route, all_.from_hosts, all_.edges);
  }

  /// How each process goes on, decided by the first process, which also takes the memory for what comes.
  void find_ways(Next next) {
    std::vector<std::int32_t> job_ranks;
    if (next == Next::map && (has_own_communicator() || holds_the_job()))
      for (const Participant& participant : all_.participants) job_ranks.push_back(participant.job_rank);
    const EdgePlan plan = plan_edges(all_.participants, job_ranks);
    const bool opens = !has_own_communicator() && plan.routes.front().to != EdgeRoute::kByMpi;
    if (next == Next::map) {
      for (const Participant& participant : all_.participants)
        all_.counts.push_back(participant.edges * static_cast<int>(sizeof(engine::Edge)));
      all_.places.resize(all_.counts.size());
      std::exclusive_scan(all_.counts.begin(), all_.counts.end(), all_.places.begin(), 0);
      all_.edges.resize(static_cast<std::size_t>(all_.places.back() + all_.counts.back()) / sizeof(engine::Edge));
    }
    all_.from_hosts = plan.from_hosts;
    for (std::size_t process = 0; process < all_.ways.size(); ++process)
      all_.ways[process] = {.next = next, .open = opens ? 1 : 0, .route = plan.routes[process]};
  }

  int gather_edges_by_mpi() {
    return mpi_.Gatherv(shape_.edges.data(), static_cast<int>(shape_.edges.size() * sizeof(engine::Edge)),
                        m_.family.type_byte, all_.edges.data(), all_.counts.data(), all_.places.data(),
                        m_.family.type_byte, kRoot, comm_);
  }

  /// Whether all processes of MPI_COMM_WORLD take part.
  [[nodiscard]] bool holds_the_job() const { return models().world_is_active() && size_ == world_size_; }

  [[nodiscard]] engine::Question question() {
    for (const Participant& participant : all_.participants) {
      all_.hosts.insert(all_.hosts.end(), participant.host, participant.host + sizeof(participant.host));
      all_.parts.push_back(participant.part);
      all_.recorded_ranks.push_back(participant.recorded);
    }
    const bool numbered = world_size_ > 0;
    return {.kind = shape_.kind,
            .processes = size_,
            .vertices = shape_.vertices,
            .hosts = all_.hosts.data(),
            .host_bytes = sizeof(Participant::host),
            .parts = all_.parts.data(),
            .dimensions = shape_.dimensions,
            .extents = shape_.extents,
            .periodic = shape_.periodic,
            .index = shape_.index,
            .neighbors = shape_.neighbors,
            .edges = all_.edges.data(),
            .edge_count = all_.edges.size(),
            .topology = settings().topology,
            .network = settings().network,
            .metric = settings().metric,
            .profile = numbered ? settings().profile : nullptr,
            .loads = numbered ? settings().loads : nullptr,
            .world_ranks = numbered ? all_.recorded_ranks.data() : nullptr,
            .world_size = world_size_,
            .seconds = settings().seconds,
            .suggest = settings().mode == Mode::report};
  }

  [[nodiscard]] bool ask_engine(engine::Answer& answer) {
    const engine::Function engine = engine_function();
    if (engine == nullptr) return false;  // it has said why
    const engine::Question asked = question();
    if (engine(&asked, &answer)) return true;
    warn(std::string("ranks stay as they are: ") + answer.message);
    return false;
  }

  [[nodiscard]] std::vector<NewRank> map_if_possible() {
    std::vector<NewRank> new_ranks;
    if (!has_memory_for([&] { new_ranks = map(); })) new_ranks.clear();
    return new_ranks;
  }

  /// The new ranks, found by the first process. Empty if nobody gets another rank.
  [[nodiscard]] std::vector<NewRank> map() {
    std::vector<std::int32_t> process_of_vertex(static_cast<std::size_t>(size_));
    engine::Answer answer{.process_of_vertex = process_of_vertex.data()};
    if (!ask_engine(answer)) {
      count(Outcome::trouble);
      return {};
    }
    if (answer.message[0] != '\0') warn(answer.message);
    const Outcome outcome = !answer.trivial ? Outcome::moved : answer.contested ? Outcome::contested : Outcome::best;
    count_mapped(outcome, costs_of(answer), answer.assumed, obeys_reorder());
    if (settings().mode == Mode::report) report(answer);
    if (answer.trivial || settings().mode == Mode::report) return {};
    std::vector<NewRank> new_ranks(static_cast<std::size_t>(size_));
    process_of_vertex.resize(static_cast<std::size_t>(answer.vertices));
    std::vector<std::int32_t> vertex_of_process(new_ranks.size(), -1);
    for (std::size_t vertex = 0; vertex < process_of_vertex.size(); ++vertex)
      vertex_of_process[static_cast<std::size_t>(process_of_vertex[vertex])] = static_cast<std::int32_t>(vertex);
    for (std::size_t process = 0; process < new_ranks.size(); ++process) {
      const std::int32_t vertex = vertex_of_process[process];
      if (vertex < 0) continue;
      const auto old = static_cast<std::size_t>(vertex);  // the process whose part it takes
      new_ranks[process] = {.new_rank = vertex,
                            .source = vertex_of_process[old],
                            .watch = 0,
                            .recorded = all_.participants[old].recorded};
    }
    choose_watch(new_ranks);
    return new_ranks;
  }

  /// Chooses the first process whose rank changes.
  static void choose_watch(std::vector<NewRank>& new_ranks) {
    for (std::size_t process = 0; process < new_ranks.size(); ++process) {
      NewRank& each = new_ranks[process];
      if (each.new_rank < 0 || each.new_rank == static_cast<std::int32_t>(process)) continue;
      each.watch = 1;
      return;
    }
  }

  /// Whether --reorder without another word would do what was found: the program allows it.
  [[nodiscard]] bool obeys_reorder() const { return participant_.asked != 0 || settings().mode != Mode::report; }

  static Costs costs_of(const engine::Answer& answer) {
    return {answer.cost_before, answer.cost,           answer.inside_before,
            answer.inside,      answer.fullest_before, answer.fullest};
  }

  void report(const engine::Answer& answer) const {
    char part[256];
    std::snprintf(part, sizeof(part), "reorder = %s: %d %s, %d %s on %d %s: %s, hop-bytes %.6g -> %.6g (%s%s)",
                  participant_.asked != 0 ? "true" : "false", static_cast<int>(answer.vertices),
                  answer.vertices == 1 ? "vertex" : "vertices", size_, size_ == 1 ? "process" : "processes",
                  static_cast<int>(answer.hosts), answer.hosts == 1 ? "host" : "hosts",
                  answer.trivial    ? "ranks would stay"
                  : obeys_reorder() ? "ranks would be reordered"
                                    : "ranks would be reordered by --reorder=always",
                  answer.cost_before, answer.cost, change_text(answer.cost_before, answer.cost).c_str(),
                  answer.proven_optimal ? ", proven optimal" : "");
    std::string text = part;
    if (answer.inside_before > 0) {
      std::snprintf(part, sizeof(part), ", inside hosts %.6g -> %.6g (%s)", answer.inside_before, answer.inside,
                    change_text(answer.inside_before, answer.inside).c_str());
      text += part;
    }
    if (const std::string loads = load_text(costs_of(answer)); !loads.empty()) text += "; " + loads;
    if (answer.assumption[0] != '\0') text += std::string("; ") + answer.assumption;
    if (answer.suggestion[0] != '\0') text += std::string("; ") + answer.suggestion;
    warn(text + "; machine: " + answer.machine);
  }

  const Mpi& m_;
  const Calls& mpi_;
  Word comm_;
  const Shape& shape_;
  const CallSite& site_;
  int rank_ = 0;
  int size_ = 0;
  int world_size_ = 0;
  Participant participant_{};
  const KnownLibrary* known_ = nullptr;  ///< that makes this call
  Gathered all_;
};

}  // namespace

Decision decide(const Mpi& m, Word comm, bool asked, const Shape& shape, const CallSite& site) {
  const std::uint64_t begin = clock_ns(CLOCK_MONOTONIC);
  Decision decision;
  try {
    decision = Deciding(m, comm, asked, shape, site).run();
  } catch (const std::bad_alloc&) {
    decision = {.status = fail_without_memory(m, comm, site)};
  }
  count_time(1e-9 * static_cast<double>(clock_ns(CLOCK_MONOTONIC) - begin));
  return decision;
}

int fail_without_memory(const Mpi& m, Word comm, const CallSite& site) noexcept {
  print_stderr(-1, "%s: no memory is left to reorder ranks", site.function);
  const int status = calls()->Comm_call_errhandler(comm, m.family.error_other);
  return status != 0 ? status : m.family.error_other;
}

}  // namespace topowise::interpose::reordering
