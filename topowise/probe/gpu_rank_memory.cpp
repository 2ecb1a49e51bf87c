// SPDX-License-Identifier: BSD-3-Clause
// A rank has one buffer to send from and one to receive into, for all its pairs. The two ranks of a pair first tell
// each other what they can, and take the best way that both can:
//   1. MPI takes addresses of GPU memory;
//   2. on one host, each opens the other's buffer (IPC) and copies into it;
//   3. the bytes go through host memory that the driver has pinned.
#include <topowise/device/owned.hpp>
#include <topowise/probe/gpu_memory.hpp>
#include <topowise/probe/rank_memory.hpp>

namespace topowise::probe {
namespace {

using device::Driver;

struct GpuBuffers {
  GpuBuffers(const Driver& which, int on, std::size_t largest)
      : driver(which),
        ordinal(on),
        out(device::make_memory(driver, on, largest)),
        in(device::make_memory(driver, on, largest)),
        stream(device::make_stream(driver, on)) {}

  /// Waits until what has been put on the stream is done.
  void finish() const { driver.synchronize_stream(stream.get()); }

  Driver driver;
  int ordinal;
  device::OwnedMemory out, in;
  device::OwnedStream stream;
};

/// Host memory that the driver knows, as long as this lives.
class PinnedBuffer {
 public:
  PinnedBuffer(const Driver& driver, std::size_t size) : driver_(driver), bytes_(size) {
    driver_.register_host(bytes_.data(), size);
  }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  ~PinnedBuffer() {
    try {
      driver_.unregister_host(bytes_.data());
    } catch (const Error&) {  // a lost GPU: nothing to be done about it
    }
  }
  [[nodiscard]] char* data() { return bytes_.data(); }

 private:
  Driver driver_;
  std::vector<char> bytes_;
};

/// An address of GPU memory in the form that MPI takes.
void* as_pointer(device::Address address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

class IpcTransfer final : public Transfer {
 public:
  IpcTransfer(const mpi::Messages& messages, int other, const GpuBuffers& gpu, device::OwnedImport theirs)
      : messages_(messages), other_(other), gpu_(gpu), theirs_(std::move(theirs)) {}

  void send(std::size_t bytes) override {
    copy(bytes);
    messages_.send(nullptr, 0, other_);
  }
  void receive(std::size_t /*bytes*/) override { messages_.receive(nullptr, 0, other_); }
  void exchange(std::size_t bytes) override {
    copy(bytes);
    messages_.send_and_receive(nullptr, nullptr, 0, other_);
  }

 private:
  void copy(std::size_t bytes) const {
    gpu_.driver.copy(theirs_.get(), gpu_.out.get(), bytes, gpu_.stream.get());
    gpu_.finish();
  }

  const mpi::Messages& messages_;
  int other_;
  const GpuBuffers& gpu_;
  device::OwnedImport theirs_;
};

class StagedTransfer final : public Transfer {
 public:
  StagedTransfer(const mpi::Messages& messages, int other, const GpuBuffers& gpu, std::size_t largest)
      : messages_(messages), other_(other), gpu_(gpu), out_(gpu.driver, largest), in_(gpu.driver, largest) {}

  void send(std::size_t bytes) override {
    fetch(bytes);
    messages_.send(out_.data(), bytes, other_);
  }
  void receive(std::size_t bytes) override {
    messages_.receive(in_.data(), bytes, other_);
    store(bytes);
  }
  void exchange(std::size_t bytes) override {
    fetch(bytes);
    messages_.send_and_receive(out_.data(), in_.data(), bytes, other_);
    store(bytes);
  }

 private:
  void fetch(std::size_t bytes) {
    gpu_.driver.copy_to_host(out_.data(), gpu_.out.get(), bytes, gpu_.stream.get());
    gpu_.finish();
  }
  void store(std::size_t bytes) {
    gpu_.driver.copy_to_device(gpu_.in.get(), in_.data(), bytes, gpu_.stream.get());
    gpu_.finish();
  }

  const mpi::Messages& messages_;
  int other_;
  const GpuBuffers& gpu_;
  PinnedBuffer out_, in_;
};

/// What one rank sends the other of a pair.
struct Offer {
  bool mpi_takes_device_memory = false;
  bool exported = false;
  device::IpcHandle handle{};
};

class GpuRankMemory final : public RankMemory {
 public:
  GpuRankMemory(const mpi::Messages& messages, const Driver& driver, int ordinal, std::size_t largest)
      : messages_(messages), gpu_(driver, ordinal, largest), largest_(largest) {
    // MPI would ask the real driver about addresses of a simulated one.
    own_.mpi_takes_device_memory = messages.takes_device_memory(driver.backend()) && !is_simulated(driver);
    try {
      own_.handle = driver.export_memory(gpu_.in.get());
      own_.exported = true;
    } catch (const Error& error) {  // there are other ways
      not_exported_ = error.what();
    }
  }

  Connection connect(int other, End end, bool same_host) override {
    gpu_.driver.select(gpu_.ordinal);
    const Offer theirs = swap(own_, other);
    Connection connection;
    std::unique_ptr<Transfer> transfer;
    if (own_.mpi_takes_device_memory && theirs.mpi_takes_device_memory) {
      connection.way = Way::device;
      transfer =
          std::make_unique<MessageTransfer>(messages_, other, as_pointer(gpu_.out.get()), as_pointer(gpu_.in.get()));
    } else if (same_host) {
      transfer = by_ipc(theirs, other, connection);
    }
    if (!transfer) {
      connection.way = Way::staged;
      transfer = std::make_unique<StagedTransfer>(messages_, other, gpu_, largest_);
    }
    connection.line = std::make_unique<RankLine>(messages_, other, end, std::move(transfer));
    return connection;
  }

 private:
  template <class T>
  [[nodiscard]] T swap(const T& own, int other) const {
    T theirs{};
    messages_.send_and_receive(&own, &theirs, sizeof own, other);
    return theirs;
  }

  /// A transfer by IPC; nothing if one of the two cannot do it.
  std::unique_ptr<Transfer> by_ipc(const Offer& theirs, int other, Connection& connection) const {
    device::OwnedImport opened;
    connection.reason = not_exported_;
    bool here = own_.exported && theirs.exported;
    try {
      if (here) opened = device::make_import(gpu_.driver, gpu_.ordinal, theirs.handle);
    } catch (const Error& error) {
      connection.reason = error.what();
      here = false;
    }
    const bool there = swap(here, other);
    if (!here || !there) {
      if (connection.reason.empty()) connection.reason = "the other rank cannot open this one's memory";
      return nullptr;
    }
    connection.way = Way::ipc;
    return std::make_unique<IpcTransfer>(messages_, other, gpu_, std::move(opened));
  }

  const mpi::Messages& messages_;
  GpuBuffers gpu_;
  std::size_t largest_;
  Offer own_;
  std::string not_exported_;
};

}  // namespace

std::unique_ptr<RankMemory> gpu_rank_memory(const mpi::Messages& messages, const Driver& driver, int ordinal,
                                            std::size_t largest) {
  return std::make_unique<GpuRankMemory>(messages, driver, ordinal, largest);
}

}  // namespace topowise::probe
