// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/reordered_world.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include <topowise/interpose/base/references.hpp>
#include <topowise/interpose/base/symbols.hpp>
#include <topowise/interpose/base/world.hpp>
#include <topowise/interpose/base/world_order.hpp>
#include <topowise/interpose/reordering/calls.hpp>
#include <topowise/interpose/reordering/decision.hpp>
#include <topowise/interpose/reordering/settings.hpp>
#include <topowise/interpose/reordering/tally.hpp>

namespace topowise::interpose::reordering {
namespace {

std::string_view file_name(const char* path) {
  const std::string_view whole = path == nullptr ? "" : path;
  return whole.substr(whole.rfind('/') + 1);
}

/// MPI's own libraries and components, and ours.
bool belongs_to_mpi(std::string_view file) {
  constexpr std::array<std::string_view, 7> kBeginnings{"libmpi",   "libpmpi", "libompi",    "libopen-",
                                                        "libmpich", "mca_",    "libtopowise"};
  return std::ranges::any_of(kBeginnings, [&](std::string_view begin) { return file.starts_with(begin); });
}

struct Past {
  std::string_view file;
  const char* function = nullptr;
};

int look_past(dl_phdr_info* object, std::size_t, void* data) {
  const std::string_view file = file_name(object->dlpi_name);
  if (belongs_to_mpi(file)) return 0;
  const References found = references_of(*object);
  const auto look = [&](const char* name, const ElfW(Sym)&, const std::uintptr_t*) {
    if (std::strncmp(name, "PMPI_", 5) != 0) return false;
    *static_cast<Past*>(data) = {file.empty() ? "the program" : file, name};
    return true;
  };
  return any_reference(found, found.calls, found.calls_bytes, look) ||
                 any_reference(found, found.data, found.data_bytes, look)
             ? 1
             : 0;
}

/// Whether no part of the program calls MPI past our wrappers; says who does.
bool all_calls_are_seen() {
  Past past;
  ::dl_iterate_phdr(look_past, &past);
  if (past.function == nullptr) return true;
  try {
    say_once("--reorder=world: " + std::string(past.file) + " calls " + past.function +
             ", which this library does not see: ranks stay as they are");
  } catch (const std::bad_alloc&) {  // the other processes wait for this one's answer, and hear it
  }
  return false;
}

int keep_nothing(Word, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return 0;
}

/// MPI_Finalize first deletes the attributes of MPI_COMM_SELF, and calls this for ours. Attributes that came first, as
/// this one, go last.
int give_back(Word, int, void*, void*) {
  if (Word ordered = end_world_order(); ordered != 0) calls()->Comm_free(&ordered);
  return 0;
}

void put_in_order(const Mpi& m, const Decision& decision) {
  Word made = 0;
  if (calls()->Comm_split(m.family.comm_world, 0, decision.new_rank, &made) != 0) return;
  int key = 0;
  if (!set_world_order(m, m.family.handle_at(&made))) {
    say_once("--reorder=world: this MPI library does not give Fortran's handles: ranks stay as they are");
    calls()->Comm_free(&made);
    return;
  }
  if (const auto set_name = reinterpret_cast<int (*)(Word, const char*)>(next_symbol("PMPI_Comm_set_name")))
    set_name(m.family.handle_at(&made), "MPI_COMM_WORLD");
  if (m.Comm_create_keyval(reinterpret_cast<void*>(keep_nothing), reinterpret_cast<void*>(give_back), &key, nullptr) ==
      0)
    m.Comm_set_attr(m.family.comm_self, key, nullptr);
}

bool is_spawned(const Mpi& m) {
  Word parent = 0;
  return m.Comm_get_parent(&parent) != 0 || m.family.handle_at(&parent) != m.family.comm_null;
}

void order_world(const Mpi& m) {
  if (is_spawned(m)) return;
  Shape shape{.kind = engine::Kind::world};
  if (m.Comm_size(m.family.comm_world, &shape.vertices) != 0) return;
  const CallSite site{.function = "MPI_COMM_WORLD", .address = nullptr, .possible = all_calls_are_seen()};
  const Decision decision = decide(m, m.family.comm_world, true, shape, site);
  if (decision.status == 0 && decision.reorder) put_in_order(m, decision);
}

/// One process of the job says that a session's mpi://WORLD keeps its order, because that set is MPI's alone.
void tell_of_session(const Mpi& m) {
  if (!models().live_session()) return;
  int rank = 0;
  if (models().world_is_active()) {
    if (in_order(m.family.comm_world) == m.family.comm_world) return;  // it has the same order
    m.Comm_rank(m.family.comm_world, &rank);
  } else if (const std::optional<World> here = world()) {
    rank = here->rank;
  }
  if (rank == 0) say_once("--reorder=world: mpi://WORLD of a session is no MPI_COMM_WORLD; its ranks stay as they are");
}

/// Told when MPI_Init has succeeded, and for each session.
void begin() noexcept {
  static std::atomic<bool> ordered{false};
  if (settings().mode != Mode::world || mpi() == nullptr || calls() == nullptr) return;
  try {
    if (models().world_is_active() && !ordered.exchange(true)) order_world(*mpi());
    tell_of_session(*mpi());
  } catch (...) {  // no memory: MPI will say the same
  }
}

}  // namespace

constinit const Feature kWorldOrder{.begun = begin};

}  // namespace topowise::interpose::reordering
