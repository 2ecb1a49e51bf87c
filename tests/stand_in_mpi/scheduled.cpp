// SPDX-License-Identifier: BSD-3-Clause
#include "scheduled.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>

#include <topowise/reorder/engine.hpp>

namespace topowise::stand_in {
namespace {

constexpr int kFailed = 5;
constexpr int kUndefined = -32766;

thread_local Job* job = nullptr;
thread_local int own_rank = -1;
thread_local int quiet = 0;  ///< memory does not end in here

struct Quiet {
  Quiet() { ++quiet; }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  ~Quiet() { --quiet; }
};

bool all_here(const Job::Collective& one) {
  return one.arrived == one.here.size();
}

/// One collective call of this rank.
class Here {
 public:
  Here(int comm, Job::Kind kind, int root = 0, const void* data = nullptr, std::size_t bytes = 0) : comm_(comm) {
    if (job != nullptr) one_ = job->arrive(comm, kind, root, data, bytes);
  }
  [[nodiscard]] bool good() const { return one_ != nullptr; }
  [[nodiscard]] Job::Collective& one() const { return *one_; }
  [[nodiscard]] int me() const { return job->rank_in(comm_); }
  [[nodiscard]] bool is_root() const { return me() == one_->root; }
  [[nodiscard]] bool wait_for_all() const {
    return job->wait([&] { return all_here(*one_); });
  }
  [[nodiscard]] bool wait_for_root() const {
    if (job->rules.synchronous) return wait_for_all();
    return job->wait([&] { return one_->here[static_cast<std::size_t>(one_->root)] != 0; });
  }

 private:
  Quiet quiet_;
  int comm_;
  Job::Collective* one_ = nullptr;
};

int gather(int comm, Job::Kind kind, int root, const void* send, int bytes, void* receive, const int* places) {
  const Here call(comm, kind, root, send, static_cast<std::size_t>(bytes));
  if (!call.good()) return kFailed;
  if (!call.is_root()) return job->rules.synchronous && !call.wait_for_all() ? kFailed : 0;
  if (!call.wait_for_all()) return kFailed;
  std::size_t place = 0;
  for (std::size_t member = 0; member < call.one().given.size(); ++member) {
    const std::vector<char>& given = call.one().given[member];
    const std::size_t at = places != nullptr ? static_cast<std::size_t>(places[member]) : place;
    if (!given.empty()) std::memcpy(static_cast<char*>(receive) + at, given.data(), given.size());
    place += given.size();
  }
  return 0;
}

void take_share(const Job::Collective& one, int me, void* receive, std::size_t bytes) {
  const std::vector<char>& all = one.given[static_cast<std::size_t>(one.root)];
  const std::size_t at = one.kind == Job::Kind::ibcast ? 0 : static_cast<std::size_t>(me) * bytes;
  if (bytes > 0) std::memcpy(receive, all.data() + at, bytes);
}

int start(int comm, Job::Kind kind, int root, const void* send, std::size_t all, void* receive, std::size_t bytes,
          int* request) {
  const Here call(comm, kind, root, send, all);
  if (!call.good()) return kFailed;
  *request = job->next_request++;
  job->requests[*request] = {&call.one(), comm, receive, bytes};
  return 0;
}

/// Makes the communicator of the first `size` members; the others get none.
int create(int comm, int size, int* result) {
  const Here call(comm, Job::Kind::create);
  if (!call.good() || !call.wait_for_all()) return kFailed;
  Job::Collective& one = call.one();
  if (one.made.empty()) {
    std::vector<int> members = job->members(comm);
    members.resize(static_cast<std::size_t>(size));
    one.made = {job->make(members)};
  }
  *result = call.me() < size ? one.made.front() : kNull;
  return 0;
}

void split(Job::Collective& one, int comm) {
  one.made.assign(one.here.size(), kNull);
  for (std::size_t first = 0; first < one.keys.size(); ++first) {
    const int color = one.keys[first].first;
    if (color < 0 || one.made[first] != kNull) continue;
    std::vector<std::size_t> members;
    for (std::size_t member = 0; member < one.keys.size(); ++member)
      if (one.keys[member].first == color) members.push_back(member);
    std::ranges::stable_sort(members, {}, [&](std::size_t member) { return one.keys[member].second; });
    std::vector<int> ranks;
    for (const std::size_t member : members) ranks.push_back(job->members(comm)[member]);
    const int made = job->make(ranks);
    for (const std::size_t member : members) one.made[member] = made;
  }
}

int send(const void* data, int bytes, int to, int comm) {
  const Quiet all_of_it;
  if (job == nullptr || !job->knows(comm) || !job->step()) return kFailed;
  auto& box = job->messages[{comm, job->rank_in(comm), to}];
  const auto* begin = static_cast<const char*>(data);
  box.emplace_back(begin, begin + bytes);
  return 0;
}

int receive(void* data, int bytes, int from, int comm) {
  const Quiet all_of_it;
  if (job == nullptr || !job->knows(comm)) return kFailed;
  auto& box = job->messages[{comm, from, job->rank_in(comm)}];
  if (!job->wait([&] { return !box.empty(); })) return kFailed;
  const std::vector<char> message = box.front();
  box.erase(box.begin());
  if (message.size() != static_cast<std::size_t>(bytes)) job->violation = "a message has another size than expected";
  std::memcpy(data, message.data(), std::min(message.size(), static_cast<std::size_t>(bytes)));
  return 0;
}

}  // namespace

Job::Job(fixtures::Scheduler& scheduler, std::size_t ranks, const Rules& given)
    : rules(given), scheduler_(scheduler), dead_(ranks, 0) {
  std::vector<int> all(ranks);
  std::iota(all.begin(), all.end(), 0);
  comms_[kWorld] = {all, std::vector<std::size_t>(ranks), {}};
}

void Job::begin(int rank) {
  job = this;
  own_rank = rank;
}

void Job::end() {
  job = nullptr;
}

int Job::rank() const {
  return own_rank;
}

int Job::rank_in(int comm) const {
  const std::vector<int>& ranks = members(comm);
  return static_cast<int>(std::ranges::find(ranks, own_rank) - ranks.begin());
}

int Job::make(const std::vector<int>& members) {
  const int made = static_cast<int>(0x84000000U + static_cast<unsigned>(comms_.size()));
  comms_[made] = {members, std::vector<std::size_t>(members.size()), {}};
  return made;
}

bool Job::step() {
  scheduler_.step(static_cast<std::size_t>(own_rank));
  char& dead = dead_[static_cast<std::size_t>(own_rank)];
  if (ended || dead != 0) return false;
  const bool may_fail = rules.fault == Fault::error || rules.fault == Fault::death;
  if (!may_fail || was_fault || scheduler_.choose(2) == 0) return true;
  was_fault = true;
  if (rules.fault == Fault::death) dead = 1;
  if (rules.fault == Fault::error && rules.fatal) ended = true;
  return false;
}

bool Job::memory_ends() {
  if (rules.fault != Fault::no_memory || was_fault || ended || scheduler_.choose(2) == 0) return false;
  return was_fault = true;
}

Job::Collective* Job::arrive(int comm, Kind kind, int root, const void* data, std::size_t bytes) {
  if (!knows(comm)) return nullptr;
  Comm& all = comms_.at(comm);
  const auto me = static_cast<std::size_t>(rank_in(comm));
  const std::size_t number = all.calls[me]++;  // a call that fails counts
  if (!step()) return nullptr;
  while (number >= all.collectives.size()) {
    Collective fresh{.kind = kind, .root = root};
    fresh.given.resize(all.members.size());
    fresh.here.resize(all.members.size());
    fresh.keys.resize(all.members.size());
    all.collectives.push_back(std::move(fresh));
  }
  Collective& one = all.collectives[number];
  if (one.arrived == 0) one.kind = kind, one.root = root;
  if (one.kind != kind || one.root != root) violation = "ranks are in different collectives";
  if (data != nullptr) one.given[me].assign(static_cast<const char*>(data), static_cast<const char*>(data) + bytes);
  one.here[me] = 1;
  ++one.arrived;
  return &one;
}

bool memory_ends() {
  if (job == nullptr || quiet > 0) return false;
  const Quiet question;
  return job->memory_ends();
}

}  // namespace topowise::stand_in

using namespace topowise::stand_in;

#pragma GCC visibility push(default)
extern "C" {

int PMPI_Gather(const void* send, int bytes, int, void* receive, int, int, int root, int comm) {
  return gather(comm, Job::Kind::gather, root, send, bytes, receive, nullptr);
}
int PMPI_Gatherv(const void* send, int bytes, int, void* receive, const int*, const int* places, int, int root,
                 int comm) {
  return gather(comm, Job::Kind::gatherv, root, send, bytes, receive, places);
}
int PMPI_Scatter(const void* send, int bytes, int, void* receive, int, int, int root, int comm) {
  const bool gives = job != nullptr && job->knows(comm) && job->rank_in(comm) == root;
  const std::size_t all = gives ? static_cast<std::size_t>(bytes) * job->members(comm).size() : 0;
  const Here call(comm, Job::Kind::scatter, root, gives ? send : nullptr, all);
  if (!call.good() || !call.wait_for_root()) return kFailed;
  take_share(call.one(), call.me(), receive, static_cast<std::size_t>(bytes));
  return 0;
}
int PMPI_Iscatter(const void* send, int bytes, int, void* receive, int, int, int root, int comm, int* request) {
  const bool gives = job != nullptr && job->knows(comm) && job->rank_in(comm) == root;
  const std::size_t all = gives ? static_cast<std::size_t>(bytes) * job->members(comm).size() : 0;
  return start(comm, Job::Kind::iscatter, root, gives ? send : nullptr, all, receive, static_cast<std::size_t>(bytes),
               request);
}
int PMPI_Ibcast(void* data, int bytes, int, int root, int comm, int* request) {
  const bool gives = job != nullptr && job->knows(comm) && job->rank_in(comm) == root;
  const auto all = static_cast<std::size_t>(bytes);
  return start(comm, Job::Kind::ibcast, root, gives ? data : nullptr, all, data, all, request);
}
int PMPI_Test(const int* request, int* done, void*) {
  const Quiet all_of_it;
  const Job::Request& asked = job->requests.at(*request);
  const Job::Collective& one = *asked.collective;
  *done = job->rules.synchronous ? (all_here(one) ? 1 : 0) : one.here[static_cast<std::size_t>(one.root)];
  if (*done == 0) return job->pause() ? 0 : kFailed;
  take_share(one, job->rank_in(asked.comm), asked.to, asked.bytes);
  return 0;
}
int PMPI_Send(const void* data, int bytes, int, int to, int, int comm) {
  if (send(data, bytes, to, comm) != 0) return kFailed;
  const Quiet all_of_it;
  const auto& box = job->messages[{comm, job->rank_in(comm), to}];
  return !job->rules.synchronous || job->wait([&] { return box.empty(); }) ? 0 : kFailed;
}
int PMPI_Recv(void* data, int bytes, int, int from, int, int comm, void*) {
  const Quiet all_of_it;
  if (job == nullptr || !job->step()) return kFailed;
  return receive(data, bytes, from, comm);
}
int PMPI_Sendrecv(const void* out, int out_bytes, int, int to, int, void* in, int in_bytes, int, int from, int,
                  int comm, void*) {
  if (to >= 0 && send(out, out_bytes, to, comm) != 0) return kFailed;
  return from >= 0 ? receive(in, in_bytes, from, comm) : 0;
}
int PMPI_Comm_dup(int comm, int* result) {
  const Here call(comm, Job::Kind::dup);
  if (!call.good() || !call.wait_for_all()) return kFailed;
  if (call.one().made.empty()) call.one().made = {job->make(job->members(comm))};
  *result = call.one().made.front();
  return 0;
}
int PMPI_Comm_split(int comm, int color, int key, int* result) {
  const Here call(comm, Job::Kind::split);
  if (!call.good()) return kFailed;
  call.one().keys[static_cast<std::size_t>(call.me())] = {color, key};
  if (!call.wait_for_all()) return kFailed;
  if (call.one().made.empty()) split(call.one(), comm);
  *result = call.one().made[static_cast<std::size_t>(call.me())];
  return 0;
}
int PMPI_Comm_free(int* comm) {
  const Here call(*comm, Job::Kind::free);
  return call.good() ? 0 : kFailed;
}
int PMPI_Comm_call_errhandler(int, int) {
  if (job != nullptr && job->rules.fatal) job->ended = true;
  return 0;
}
int PMPI_Cart_create(int comm, int dimensions, const int* extents, const int*, int, int* result) {
  return create(comm, std::accumulate(extents, extents + dimensions, 1, std::multiplies<>()), result);
}
int PMPI_Graph_create(int comm, int vertices, const int*, const int*, int, int* result) {
  return create(comm, vertices, result);
}
int PMPI_Dist_graph_create(int comm, int, const int*, const int*, const int*, const int*, int, int, int* result) {
  return create(comm, static_cast<int>(job->members(comm).size()), result);
}
int PMPI_Dist_graph_create_adjacent(int comm, int, const int*, const int*, int, const int*, const int*, int, int,
                                    int* result) {
  return create(comm, static_cast<int>(job->members(comm).size()), result);
}
int PMPI_Cart_map(int, int, const int*, const int*, int*) {
  return kFailed;
}
int PMPI_Graph_map(int, int, const int*, const int*, int*) {
  return kFailed;
}

int PMPI_Initialized(int* flag) {
  return *flag = 1, 0;
}
int PMPI_Finalized(int* flag) {
  return *flag = 0, 0;
}
int PMPI_Query_thread(int* level) {
  return *level = 0, 0;
}
int PMPI_Comm_rank(int comm, int* rank) {
  if (job == nullptr) return kFailed;
  return *rank = job->rank_in(comm), 0;
}
int PMPI_Comm_size(int comm, int* size) {
  if (job == nullptr) return kFailed;
  return *size = static_cast<int>(job->members(comm).size()), 0;
}
int PMPI_Comm_test_inter(int, int* flag) {
  return *flag = 0, 0;
}
int PMPI_Comm_get_parent(int* parent) {
  return *parent = kNull, 0;
}
int PMPI_Topo_test(int, int* kind) {
  return *kind = kUndefined, 0;
}

/// What reordering does not ask.
#define TOPOWISE_UNASKED(name) \
  int PMPI_##name() {          \
    return kFailed;            \
  }
TOPOWISE_UNASKED(Comm_group)
TOPOWISE_UNASKED(Comm_remote_group)
TOPOWISE_UNASKED(Comm_create_keyval)
TOPOWISE_UNASKED(Comm_set_attr)
TOPOWISE_UNASKED(Win_get_group)
TOPOWISE_UNASKED(Group_size)
TOPOWISE_UNASKED(Group_rank)
TOPOWISE_UNASKED(Group_translate_ranks)
TOPOWISE_UNASKED(Group_free)
TOPOWISE_UNASKED(Type_size_x)
TOPOWISE_UNASKED(Cartdim_get)
TOPOWISE_UNASKED(Cart_shift)
TOPOWISE_UNASKED(Graph_neighbors_count)
TOPOWISE_UNASKED(Graph_neighbors)
TOPOWISE_UNASKED(Dist_graph_neighbors_count)
TOPOWISE_UNASKED(Dist_graph_neighbors)
#undef TOPOWISE_UNASKED

const int stand_in_unweighted = 0;
const int* const MPI_UNWEIGHTED = &stand_in_unweighted;
const int stand_in_empty = 0;
const int* const MPI_WEIGHTS_EMPTY = &stand_in_empty;

bool topowise_engine_reorder(const topowise::engine::Question* question, topowise::engine::Answer* answer) {
  const Quiet all_of_it;
  job->edges = question->edge_count;
  answer->vertices = question->vertices;
  if (question->kind == topowise::engine::Kind::cart)
    answer->vertices =
        std::accumulate(question->extents, question->extents + question->dimensions, 1, std::multiplies<>());
  answer->trivial = false;
  for (int vertex = 0; vertex < answer->vertices; ++vertex)
    answer->process_of_vertex[vertex] = (vertex + 1) % question->processes;
  return job->choose(2) == 0;
}
}
#pragma GCC visibility pop
