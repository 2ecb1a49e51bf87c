// SPDX-License-Identifier: BSD-3-Clause
// A process has one buffer to send from and one to receive into. Where MPI takes addresses of GPU memory, it gets them.
// Else, on one host, a process copies each message into the receiver's buffer, one after the other on one stream, and
// then says so by an empty message; between hosts the bytes go through host memory that the driver has pinned. A
// process begins an iteration only after its neighbours have reported the end of the last one, so two neighbours are at
// most one iteration apart. Bytes that are overwritten meanwhile are never read.
#include <algorithm>

#include <topowise/benchmark/exchange_memory.hpp>
#include <topowise/device/owned.hpp>
#include <topowise/probe/gpu_memory.hpp>

namespace topowise::benchmark {
namespace {

using device::Driver;

/// The address of GPU memory in the form that MPI takes.
void* as_pointer(device::Address address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// Host memory that is registered with the driver as long as this object lives.
class Staging {
 public:
  Staging(const Driver& driver, std::size_t size) : driver_(driver), bytes_(size) {
    driver_.register_host(bytes_.data(), bytes_.size());
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    try {
      driver_.unregister_host(bytes_.data());
    } catch (const Error&) {  // the GPU is lost, and nothing can be done about it
    }
  }
  [[nodiscard]] unsigned char* data() { return bytes_.data(); }

 private:
  Driver driver_;
  std::vector<unsigned char> bytes_;
};

struct Buffers {
  Buffers(const Driver& which, int on, MemorySizes sizes)
      : driver(which),
        ordinal(on),
        size(sizes.out),
        out(device::make_memory(driver, on, sizes.out)),
        in(device::make_memory(driver, on, sizes.in)),
        stream(device::make_stream(driver, on)) {}

  void finish() const { driver.synchronize_stream(stream.get()); }

  Driver driver;
  int ordinal;
  std::size_t size;
  device::OwnedMemory out, in;
  device::OwnedStream stream;
};

class OnGpu : public ExchangeMemory {
 public:
  OnGpu(const mpi::Messages& messages, Buffers buffers) : messages_(messages), gpu_(std::move(buffers)) {}

  void mark(unsigned char value) override {
    gpu_.driver.select(gpu_.ordinal);
    gpu_.driver.fill(gpu_.out.get(), value, gpu_.size, gpu_.stream.get());
    gpu_.finish();
  }
  [[nodiscard]] unsigned char received(std::size_t offset) const override {
    unsigned char value = 0;
    gpu_.driver.select(gpu_.ordinal);
    gpu_.driver.copy_to_host(&value, gpu_.in.get() + offset, 1, gpu_.stream.get());
    gpu_.finish();
    return value;
  }

 protected:
  [[nodiscard]] const Buffers& gpu() const { return gpu_; }
  [[nodiscard]] const mpi::Messages& messages() const { return messages_; }
  std::vector<mpi::OutgoingMessage> outgoing_;
  std::vector<mpi::IncomingMessage> incoming_;

 private:
  const mpi::Messages& messages_;
  Buffers gpu_;
};

class DeviceExchange final : public OnGpu {
 public:
  using OnGpu::OnGpu;
  void exchange(const RankMessages& own) override {
    outgoing_.clear();
    incoming_.clear();
    for (const Part& part : own.out) outgoing_.push_back({as_pointer(gpu().out.get()), part.bytes, part.other});
    for (const Part& part : own.in)
      incoming_.push_back({as_pointer(gpu().in.get() + part.offset), part.bytes, part.other});
    messages().exchange(outgoing_, incoming_);
  }
};

/// Copies a message into the receiver's memory where that could be opened, else through host memory.
class CopyExchange final : public OnGpu {
 public:
  CopyExchange(const mpi::Messages& messages, Buffers buffers, MemorySizes staging,
               std::vector<device::OwnedImport> theirs)
      : OnGpu(messages, std::move(buffers)),
        theirs_(std::move(theirs)),
        out_(gpu().driver, staging.out),
        in_(gpu().driver, staging.in) {}

  void exchange(const RankMessages& own) override {
    outgoing_.clear();
    incoming_.clear();
    gpu().driver.select(gpu().ordinal);
    std::size_t staged = 0;
    for (const Part& part : own.out) {
      if (is_open(part.other))
        gpu().driver.copy(opened(part.other) + part.offset, gpu().out.get(), part.bytes, gpu().stream.get());
      else
        staged = std::max(staged, part.bytes);
      outgoing_.push_back(is_open(part.other) ? mpi::OutgoingMessage{nullptr, 0, part.other}
                                              : mpi::OutgoingMessage{out_.data(), part.bytes, part.other});
    }
    for (const Part& part : own.in) {
      incoming_.push_back(is_open(part.other) ? mpi::IncomingMessage{nullptr, 0, part.other}
                                              : mpi::IncomingMessage{in_.data() + part.offset, part.bytes, part.other});
    }
    if (staged > 0) gpu().driver.copy_to_host(out_.data(), gpu().out.get(), staged, gpu().stream.get());
    gpu().finish();
    messages().exchange(outgoing_, incoming_);
    for (const Part& part : own.in) {
      if (!is_open(part.other))
        gpu().driver.copy_to_device(gpu().in.get() + part.offset, in_.data() + part.offset, part.bytes,
                                    gpu().stream.get());
    }
    gpu().finish();
  }

 private:
  [[nodiscard]] device::Address opened(int process) const { return theirs_[static_cast<std::size_t>(process)].get(); }
  [[nodiscard]] bool is_open(int process) const { return opened(process) != 0; }

  std::vector<device::OwnedImport> theirs_;
  Staging out_, in_;
};

/// The opened memory of all other processes on this host, by process. All entries are empty if any process of the job
/// cannot open the memory of another.
std::vector<device::OwnedImport> open_all(const mpi::Team& team, const Buffers& gpu,
                                          const std::vector<std::size_t>& host_of, std::string& reason) {
  std::vector<device::IpcHandle> own;
  std::vector<device::OwnedImport> theirs(host_of.size());
  const auto me = static_cast<std::size_t>(team.rank());
  try {
    own.push_back(gpu.driver.export_memory(gpu.in.get()));
  } catch (const Error& error) {
    reason = error.what();
  }
  const std::vector<std::vector<device::IpcHandle>> all = team.gather_at_all(own);
  try {
    for (std::size_t p = 0; p < all.size() && reason.empty(); ++p) {
      if (p == me || host_of[p] != host_of[me]) continue;
      if (all[p].empty()) throw not_available("another process cannot export its memory");
      theirs[p] = device::make_import(gpu.driver, gpu.ordinal, all[p].front());
    }
  } catch (const Error& error) {
    reason = error.what();
  }
  const bool everywhere = team.sum(std::vector<std::int64_t>{reason.empty() ? 0 : 1}).front() == 0;
  if (everywhere) return theirs;
  if (reason.empty()) reason = "another process cannot open this one's memory";
  return std::vector<device::OwnedImport>(host_of.size());
}

}  // namespace

std::string_view to_string(GpuWay way) {
  switch (way) {
    case GpuWay::device:
      return "MPI from GPU memory";
    case GpuWay::ipc:
      return "copies into memory shared by IPC, between hosts through host memory";
    case GpuWay::staged:
      return "through host memory";
  }
  return {};
}

GpuExchange gpu_exchange_memory(const mpi::Team& team, const mpi::Messages& messages, const Driver& driver, int ordinal,
                                MemorySizes sizes, const std::vector<std::size_t>& host_of) {
  Buffers buffers(driver, ordinal, sizes);
  // MPI would ask the real driver about addresses of a simulated one.
  const bool here = messages.takes_device_memory(driver.backend()) && !probe::is_simulated(driver);
  GpuExchange made;
  if (team.sum(std::vector<std::int64_t>{here ? 0 : 1}).front() == 0) {
    made.way = GpuWay::device;
    made.memory = std::make_unique<DeviceExchange>(messages, std::move(buffers));
    return made;
  }
  std::vector<device::OwnedImport> theirs = open_all(team, buffers, host_of, made.reason);
  made.way = made.reason.empty() ? GpuWay::ipc : GpuWay::staged;
  const bool one_host = std::ranges::count(host_of, host_of.front()) == std::ssize(host_of);
  const MemorySizes staging = made.way == GpuWay::ipc && one_host ? MemorySizes{1, 1} : sizes;
  made.memory = std::make_unique<CopyExchange>(messages, std::move(buffers), staging, std::move(theirs));
  return made;
}

}  // namespace topowise::benchmark
