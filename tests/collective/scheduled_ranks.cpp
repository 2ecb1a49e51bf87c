// SPDX-License-Identifier: BSD-3-Clause
#include "scheduled_ranks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include <topowise/collective/gpu/gpu.hpp>
#include <topowise/collective/node/process_life.hpp>
#include <topowise/collective/node/waiting.hpp>

namespace topowise::collective {
namespace {

ScheduledJob* job = nullptr;
thread_local int me = -1;
thread_local int quiet = 0;  ///< memory does not end in here

struct Quiet {
  Quiet() { ++quiet; }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  ~Quiet() { --quiet; }
};

constexpr std::size_t kElements = 4;
constexpr int kLost = 999;

bool is_rank() {
  return job != nullptr && me >= 0;
}

/// What a rank has begun on its GPU and what has not happened yet.
thread_local std::vector<std::function<void()>> begun;

/// One call of the driver: its result.
template <class Body>
int driver_call(Body body) {
  const Quiet all_of_it;
  if (!is_rank()) return body(), 0;
  job->step();
  if (job->is_dead(me) || job->fails(Fault::driver)) return kLost;
  body();
  return 0;
}

void begin(std::function<void()> work) {
  begun.push_back(std::move(work));
}

void finish() {
  for (const std::function<void()>& work : std::exchange(begun, {})) work();
}

char* memory_at(device::Address address, std::size_t bytes) {
  if (is_rank() && !job->is_dead(me)) job->touch(address, bytes);
  return reinterpret_cast<char*>(address);  // NOLINT(performance-no-int-to-ptr)
}

void copy_later(device::Address to, device::Address from, std::size_t size) {
  begin([=] { std::memmove(memory_at(to, size), memory_at(from, size), size); });
}

device::Address address_of(const void* pointer) {
  return reinterpret_cast<device::Address>(pointer);
}

void launch(void** arguments) {
  const auto operands = *static_cast<const device::kernel::FoldOperands*>(arguments[0]);
  const unsigned from = *static_cast<const unsigned*>(arguments[1]);
  const unsigned to = *static_cast<const unsigned*>(arguments[2]);
  const auto count = *static_cast<const unsigned long long*>(arguments[3]);
  begin([=] {
    for (unsigned i = 0; i < from; ++i) memory_at(operands.from[i], count * sizeof(std::uint32_t));
    for (unsigned i = 0; i < to; ++i) memory_at(operands.to[i], count * sizeof(std::uint32_t));
    device::host_fold(device::FoldOperation::sum, device::FoldElement::u32)(operands, from, to, 0, count);
  });
}

void fill_device(device::Functions& table) {
  table.initialize = {"init", [] { return 0; }};
  table.error_name = [](int) { return "LOST"; };
  table.error_description = [](int) { return "the GPU is lost"; };
  table.error_hint = [](int) { return std::string_view(); };
  table.device_count = {"count", [](int* count) { return *count = 1, 0; }};
  table.device_name = {"name", [](char* text, int, int) { return std::strcpy(text, "GPU"), 0; }};
  table.device_uuid = {"uuid", [](device::Uuid*, int) { return 0; }};
  table.pci_bus_id = {"pci", [](char* text, int, int) { return std::strcpy(text, "0000:0a:00.0"), 0; }};
  table.total_memory = {"memory", [](std::size_t* bytes, int) { return *bytes = std::size_t{1} << 30, 0; }};
  table.select = {"select", [](int) { return driver_call([] {}); }};
  table.selected = {"selected", [](int* device) { return *device = 0, 0; }};
  table.context = {"context", [](device::Handle* context) { return *context = nullptr, 0; }};
  table.set_context = {"set_context", [](device::Handle) { return 0; }};
  table.register_host = {"register", [](void*, std::size_t) { return driver_call([] {}); }};
  table.unregister_host = {"unregister", [](void*) { return 0; }};
  table.create_stream = {"stream",
                         [](device::Handle* stream, unsigned) { return driver_call([&] { *stream = &begun; }); }};
  table.destroy_stream = {"destroy", [](device::Handle) { return 0; }};
  // What was begun has an end, also where the driver reports an error.
  table.synchronize_stream = {"synchronize", [](device::Handle) {
                                const int result = driver_call([] {});
                                const Quiet all_of_it;
                                return finish(), result;
                              }};
  table.load_module = {"load",
                       [](device::Handle* module, const void*) { return driver_call([&] { *module = &begun; }); }};
  table.unload_module = {"unload", [](device::Handle) { return 0; }};
  table.find_kernel = {"find", [](device::Handle* kernel, device::Handle, const char*) {
                         return driver_call([&] { *kernel = &begun; });
                       }};
}

device::Functions functions() {
  device::Functions table;
  fill_device(table);
  table.pointer_attributes = {"attributes", [](device::PointerAttributes* found, const void* pointer) {
                                return driver_call([&] {
                                  *found = {.kind = device::MemoryKind::device,
                                            .device = 0,
                                            .base = address_of(pointer),
                                            .size = kElements * sizeof(std::uint32_t),
                                            .buffer = address_of(pointer)};
                                });
                              }};
  table.copy_to_device = {"copy", [](device::Address to, const void* from, std::size_t size, device::Handle) {
                            return driver_call([=] { copy_later(to, address_of(from), size); });
                          }};
  table.copy_to_host = {"copy", [](void* to, device::Address from, std::size_t size, device::Handle) {
                          return driver_call([=] { copy_later(address_of(to), from, size); });
                        }};
  table.copy = {"copy", [](device::Address to, device::Address from, std::size_t size, device::Handle) {
                  return driver_call([=] { copy_later(to, from, size); });
                }};
  table.allocate = {"allocate", [](device::Address* address, std::size_t size) {
                      return driver_call([&] { *address = address_of(std::calloc(1, size)); });
                    }};
  table.free = {"free", [](device::Address address) {
                  return std::free(reinterpret_cast<void*>(address)), 0;  // NOLINT(performance-no-int-to-ptr)
                }};
  table.export_memory = {"export", [](device::IpcHandle* handle, device::Address address) {
                           return driver_call([=] { std::memcpy(handle->bytes, &address, sizeof address); });
                         }};
  table.import_memory = {"import", [](device::Address* address, device::IpcHandle handle) {
                           return driver_call([&] { std::memcpy(address, handle.bytes, sizeof *address); });
                         }};
  table.close_memory = {"close", [](device::Address) { return driver_call([] {}); }};
  table.launch = {"launch", [](device::Handle, device::Extent, device::Extent, device::Handle, void** arguments) {
                    return driver_call([=] { launch(arguments); });
                  }};
  return table;
}

/// Each rank is a process of its own, with a GPU object of its own.
thread_local std::unique_ptr<Gpu> own_gpu;

}  // namespace

ScheduledJob::ScheduledJob(fixtures::Scheduler& scheduler, std::vector<int> nodes, Fault fault)
    : scheduler_(scheduler),
      nodes_(std::move(nodes)),
      fault_(fault),
      dead_(nodes_.size(), 0),
      in_call_(nodes_.size(), 0),
      vectors_(2 * nodes_.size(), std::vector<std::uint32_t>(kElements)),
      numbers_(nodes_.size()) {
  job = this;
}

ScheduledJob::~ScheduledJob() {
  job = nullptr;
}

void ScheduledJob::run(const std::function<void(int)>& body) {
  scheduler_.run([&](std::size_t rank) {
    me = static_cast<int>(rank);
    body(me);
    const Quiet all_of_it;
    own_gpu.reset();
    begun.clear();
    me = -1;
  });
}

std::vector<int> ScheduledJob::members(int node) const {
  std::vector<int> found;
  for (int rank = 0; rank < ranks(); ++rank)
    if (node_of(rank) == node) found.push_back(rank);
  return found;
}

std::vector<int> ScheduledJob::leaders() const {
  std::vector<int> found;
  for (int node = 0; node < nodes(); ++node) found.push_back(members(node).front());
  return found;
}

int ScheduledJob::nodes() const {
  return nodes_.back() + 1;
}

int ScheduledJob::rank_on_node(int rank) const {
  return static_cast<int>(std::count(nodes_.begin(), nodes_.begin() + rank, node_of(rank)));
}

int ScheduledJob::ranks_on_node(int rank) const {
  return static_cast<int>(std::ranges::count(nodes_, node_of(rank)));
}

ScheduledJob::Name ScheduledJob::next(const char* kind, int of) {
  const std::string name = fmt::format("{} {}", kind, of);
  return {name, ++numbers_.at(static_cast<std::size_t>(me))[name]};
}

void ScheduledJob::step(bool looks_only) {
  if (is_dead(me) || over) return;
  const auto thread = static_cast<std::size_t>(me);
  looks_only ? scheduler_.interrupt(thread) : scheduler_.step(thread);
  if (!fails(Fault::death)) return;
  dead_.at(static_cast<std::size_t>(me)) = 1;
  scheduler_.die(static_cast<std::size_t>(me));
}

bool ScheduledJob::pause() {
  if (is_dead(me) || over) return false;
  if (scheduler_.wait_a_while(static_cast<std::size_t>(me))) return true;
  over = true;
  return false;
}

bool ScheduledJob::fails(Fault kind) {
  if (fault_ != kind || was_fault || over || scheduler_.choose(2) == 0) return false;
  return was_fault = true;
}

void ScheduledJob::touch(std::uint64_t address, std::uint64_t bytes) {
  for (int rank = 0; rank < ranks(); ++rank) {
    for (const std::vector<std::uint32_t>* vector : {&input(rank), &output(rank)}) {
      const auto begin = reinterpret_cast<std::uintptr_t>(vector->data());
      const bool inside = begin < address + bytes && address < begin + vector->size() * sizeof(std::uint32_t);
      if (inside && !is_dead(rank) && in_call_.at(static_cast<std::size_t>(rank)) == 0)
        violation = fmt::format("rank {} uses a vector of rank {}, which has left the call", me, rank);
    }
  }
}

bool ScheduledJob::meet(const Name& name, const std::vector<int>& who, const void* mine, std::size_t bytes,
                        std::vector<std::vector<char>>& all) {
  step();
  if (fails(Fault::mpi)) end_by_mpi();
  if (is_dead(me) || over) return false;
  Meeting& meeting = meetings_[name];
  meeting.given.resize(who.size());
  const auto at = static_cast<std::size_t>(std::ranges::find(who, me) - who.begin());
  const char* begin = static_cast<const char*>(mine);
  meeting.given[at].assign(begin, begin + bytes);
  ++meeting.here;
  while (meeting.here < who.size()) {
    if (pause()) continue;
    mpi_ended = true;
    return false;
  }
  all = meeting.given;
  return true;
}

Exchange ScheduledJob::exchange() {
  return [this](const void* mine, void* all, std::size_t bytes) {
    const Quiet all_of_it;
    std::vector<std::vector<char>> given;
    if (!meet(next("exchange", node_of(me)), members(node_of(me)), mine, bytes, given))
      throw std::runtime_error("MPI has failed");
    for (const std::vector<char>& one : given) all = std::ranges::copy(one, static_cast<char*>(all)).out;
  };
}

Across ScheduledJob::across() {
  Across made{.nodes = nodes(), .bitwise_and = {}, .reduce = {}};
  made.bitwise_and = [this](Across::Words& words) {
    const Quiet all_of_it;
    std::vector<std::vector<char>> given;
    if (!meet(next("across", 0), leaders(), words.data(), sizeof words, given)) throw not_available("MPI has failed");
    for (const std::vector<char>& one : given) {
      Across::Words other{};
      if (one.size() != sizeof other) {
        violation = "the first ranks of the nodes are in different collectives";
        throw not_available("MPI has failed");
      }
      std::memcpy(other.data(), one.data(), sizeof other);
      for (std::size_t i = 0; i < words.size(); ++i) words[i] &= other[i];
    }
  };
  made.reduce = [this](void* vector, const CollectiveCall& piece) {
    const Quiet all_of_it;
    std::vector<std::vector<char>> given;
    if (!meet(next("across", 0), leaders(), vector, piece.count * sizeof(std::uint32_t), given))
      throw not_available("MPI has failed");
    std::vector<std::uint32_t> sum(piece.count);
    for (const std::vector<char>& one : given) {
      if (one.size() != piece.count * sizeof(std::uint32_t)) {
        violation = "the first ranks of the nodes are in different collectives";
        throw not_available("MPI has failed");
      }
      std::vector<std::uint32_t> other(piece.count);
      std::memcpy(other.data(), one.data(), one.size());
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
    }
    std::memcpy(vector, sum.data(), sum.size() * sizeof(std::uint32_t));
  };
  return made;
}

bool ScheduledJob::mpi_reduces(int call) {
  const Quiet all_of_it;
  std::vector<int> everybody(dead_.size());
  std::iota(everybody.begin(), everybody.end(), 0);
  std::vector<std::vector<char>> given;
  return meet({"allreduce", call}, everybody, &call, sizeof call, given);
}

bool memory_ends() {
  if (!is_rank() || quiet > 0 || job->is_dead(me)) return false;
  const Quiet question;
  return job->fails(Fault::no_memory);
}

// In place of collective/gpu/gpu.cpp.

Gpu::Gpu(const device::Driver& opened)
    : driver(opened), lack_of_kernels(device::lack_of_kernels(opened)), exports(opened), imports(opened) {
  if (lack_of_kernels.empty()) folds = std::make_unique<device::Folds>(opened);
}

Gpu& gpu() {
  if (!own_gpu) {
    const Quiet all_of_it;
    std::string reason;
    const std::array<std::string, 1> names{"libc.so.6"};
    own_gpu = std::make_unique<Gpu>(device::Driver("cuda", *SharedLibrary::open(names, reason), functions()));
  }
  return *own_gpu;
}

Gpu* opened_gpu() {
  return own_gpu.get();
}

std::uint64_t name_of_gpu(const device::Device& /*device*/) {
  return 1;
}

std::string machine_of(const device::Driver& /*driver*/) {
  return "scheduled ranks";
}

// In place of collective/node/process_life.cpp: a rank is known by its number.

ProcessMark this_process_mark() {
  return {::getpid(), static_cast<std::uint64_t>(me) + 1};
}

bool has_ended(const ProcessMark& mark) {
  return job == nullptr || job->over || job->is_dead(static_cast<int>(mark.started) - 1);
}

std::uint64_t process_space() {
  return static_cast<std::uint64_t>(job->node_of(me));
}

// In place of collective/node/waiting.cpp.

namespace {

bool is_set(const AwaitedFlag& awaited) {
  return awaited.flag.load() >= awaited.value;
}

}  // namespace

bool has_processors_for(int /*ranks*/) {
  return true;
}

void set_flag(FlagWord& flag, std::uint64_t value, const std::atomic<std::uint32_t>& /*sleepers*/) {
  const Quiet all_of_it;
  if (is_rank()) job->step();
  if (!is_rank() || !job->is_dead(me)) flag.store(value);
}

void set_flag_quickly(FlagWord& flag, std::uint64_t value, const std::atomic<std::uint32_t>& sleepers) noexcept {
  set_flag(flag, value, sleepers);
}

bool spin(const AwaitedFlag& awaited, bool /*has_own_processor*/) {
  const Quiet all_of_it;
  job->step();
  return is_set(awaited);
}

/// After each nap a rank looks whether the others live.
long next_nap(long /*last*/, const AwaitedFlag& /*awaited*/) {
  constexpr long kLong = 1'000'000'000;
  return kLong;
}

/// A rank may fall asleep again before it acts on what it has seen.
bool doze(const AwaitedFlag& awaited, long /*nanoseconds*/) {
  const Quiet all_of_it;
  if (!is_set(awaited)) static_cast<void>(job->pause());
  const bool seen = is_set(awaited);
  job->step(!seen);
  return seen;
}

}  // namespace topowise::collective
