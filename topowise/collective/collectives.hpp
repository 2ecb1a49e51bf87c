// SPDX-License-Identifier: BSD-3-Clause
// Collectives on vectors in GPU memory, among the ranks of a communicator that are on one node; an allreduce may go on
// across nodes.
//
// Each call begins with an agreement, which costs one flag there and one back: every rank says what it wants, rank 0
// decides for all. So ranks may disagree (one has its buffer on the host), and none is left waiting. Then a plan runs.
// Before an algorithm runs for the first time, its memory is made and proven to be within reach of all who use it; if
// it is not, another algorithm takes its place, at all ranks alike.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <topowise/collective/call.hpp>
#include <topowise/collective/choice.hpp>
#include <topowise/collective/gpu/gpu.hpp>
#include <topowise/collective/gpu/scratch.hpp>
#include <topowise/collective/node/node_ranks.hpp>
#include <topowise/collective/plan/algorithms.hpp>
#include <topowise/device/scope.hpp>

namespace topowise::collective {

// An allreduce of a communicator over several nodes. Each node reduces on its GPUs, rank 0 of each takes part in an
// allreduce of the MPI library on the host, and each node hands the result out.
//
// A node that cannot take part must not leave the others waiting. So the nodes agree before each call, and after it
// they say whether all went well: two small allreduces of MPI's. Both would be wasted on vectors on the host, and no
// rank knows where the vectors of the others lie. So the nodes vote now and then whether most vectors were on GPUs
// lately: at calls 1, 2, 4, 8, ... and every 1024th. The nodes agree at each call only while this was so; otherwise
// every call goes through MPI.

struct Across {
  int nodes = 1;
  /// Ranks 0 of all nodes call these together; both throw if MPI fails. bitwise_and() turns the words into the bitwise
  /// and of all nodes' words.
  using Words = std::array<std::uint64_t, 4>;
  std::function<void(Words& words)> bitwise_and;
  std::function<void(void* vector, const CollectiveCall& piece)> reduce;
};

class ActivityVote {
 public:
  /// Notes that a call begins. True if the nodes must vote before it.
  [[nodiscard]] bool begin(bool on_gpu) {
    ++calls_;
    ++since_vote_;
    if (on_gpu) ++on_gpu_;
    constexpr std::uint64_t kLongest = 1024;
    return (calls_ & (calls_ - 1)) == 0 || calls_ % kLongest == 0;
  }
  /// Whether at least half of the calls since the last vote, this one included, had their vectors on a GPU.
  [[nodiscard]] bool mine() const { return 2 * on_gpu_ >= since_vote_; }
  void end_vote(bool active) {
    active_ = active;
    since_vote_ = on_gpu_ = 0;
  }
  [[nodiscard]] bool active() const { return active_; }

 private:
  std::uint64_t calls_ = 0, since_vote_ = 0, on_gpu_ = 0;
  bool active_ = false;
};

enum class Outcome : std::uint8_t {
  done,
  through_mpi,  ///< at all ranks of this call: nothing was written, the MPI library is to do it
  failed,       ///< the call cannot be saved; later ones go through MPI
};

struct CollectiveOptions {
  std::optional<std::size_t> algorithm;  ///< position in algorithms(); nothing: the best
  /// Gives what was measured here, asked by rank 0 when it chooses; null: there is nothing. `message` is why there is
  /// nothing.
  const std::optional<Tuning>& (*tuning)(std::string& message) = nullptr;
  std::size_t scratch_piece = std::size_t{4} << 20;  ///< bytes of a part
  std::size_t staging_piece = std::size_t{1} << 20;
  Progress progress;  ///< called while this rank waits; may be empty
};

class Collectives {
 public:
  /// All ranks of the node make it together; throws what NodeRanks::meet() throws. Whatever else it throws
  /// (std::bad_alloc, what `exchange` throws) is thrown at this rank alone, and the others may wait for it. `across`:
  /// how rank 0 reaches the other nodes; all ranks of the communicator state how many nodes there are.
  Collectives(int rank, int size, const CollectiveOptions& options, const Exchange& exchange, Across across = {});
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;
  ~Collectives();

  /// All ranks call it together, except those that call pass(). Throws nothing. `message` says why a call failed, or
  /// why another algorithm is used from now on.
  Outcome perform(const CollectiveCall& call, std::string& message);
  /// Says that the MPI library is about to reduce this rank's vector, which lies on the host or is nothing for this
  /// class. Waits for no rank of its node. The MPI library's collective must follow; where all ranks pass, it need not
  /// keep them together.
  void pass() noexcept;
  /// Says that this rank cannot read its vector and gives MPI another one for it. Called before the MPI library's
  /// collective, in a call that goes through MPI; after that collective all ranks of the node know that get its vector.
  /// A rank that is behind may learn it of an earlier call as well.
  void spoil() noexcept;
  [[nodiscard]] bool is_spoiled() const noexcept;

  /// Why what was measured, or an algorithm, is not used; said once, then empty. A lack of kernels is said once in a
  /// process.
  [[nodiscard]] std::string take_notice() { return std::exchange(notice_, {}); }

  /// Calls of this rank that ended, by algorithm.
  [[nodiscard]] const std::vector<std::uint64_t>& counts() const { return counts_; }

  /// Frees memory of objects that are gone, once the others have closed it. With `wait` it gives them some seconds to
  /// do so.
  static void sweep(bool wait);

 private:
  struct Prepared {
    Plan plan;
    std::vector<std::set<int>> reached;
    std::vector<std::set<int>> opened;  ///< by rank: whose buffers it opens
    bool several_work = false;          ///< more than one rank copies or reduces
    Scratch scratch;
    std::uint64_t last_repetition = 0;
    enum class State : std::uint8_t { untried, good, bad } state = State::untried;
  };
  struct Closing;
  void keep_what_others_have_open() noexcept;
  static std::vector<std::unique_ptr<Closing>>& closing();

  // The end of a call.
  [[nodiscard]] Outcome perform_or_settle(const CollectiveCall& call, std::string& message);
  [[nodiscard]] Outcome outcome_of_all(std::string& message) const;
  void settle() noexcept;
  void let_others_settle() const noexcept;
  void close_opened() noexcept;

  // The agreement.
  Outcome try_perform(const CollectiveCall& call, std::string& message);
  void enter_device(const CollectiveCall& call, std::optional<device::DeviceScope>& scope, std::string& message);
  [[nodiscard]] std::optional<CallRecord> record_of(const CollectiveCall& call, std::string& message);
  [[nodiscard]] CallDecision agree(const CallRecord& record, std::string& message);
  [[nodiscard]] CallDecision decide(std::string& message);
  [[nodiscard]] CallDecision decide_on_node(std::string& message);
  [[nodiscard]] CallDecision pick();
  [[nodiscard]] std::vector<std::size_t> order_of_preference();
  void notice_lack_of_kernels(std::size_t algorithm, const Prepared& one);
  [[nodiscard]] bool kernels_and_handles(const Prepared& one) const;
  [[nodiscard]] std::uint64_t name_of_buffers(std::size_t algorithm) const;
  void give_way() noexcept;

  // What comes before the first use.
  [[nodiscard]] Prepared& prepared(std::size_t algorithm);
  void prepare(std::size_t algorithm, std::string& message);
  [[nodiscard]] bool make_ready(Prepared& one, std::string& message);
  void pin_staging(const Plan& plan);
  void publish_layout();
  void read_layout();
  void open_buffers(const Prepared& one);
  void try_buffers(std::size_t algorithm, std::string& message);
  [[nodiscard]] bool all_agree(bool good);

  // Across nodes.
  [[nodiscard]] CallDecision decide_across(CallDecision mine, bool failed);
  [[nodiscard]] bool takes_part(bool on_gpu);
  void run_across(Prepared& one, const CollectiveCall& call);
  void finish_pieces(const Prepared& one, const CollectiveCall& call);
  void end_across();
  void tell_other_nodes() noexcept;

  // The plan.
  [[nodiscard]] std::uint64_t piece_of(const Plan& plan, const CollectiveCall& call) const;
  void run(Prepared& one, const CollectiveCall& call);
  void run_step(const Prepared& one, const Step& step, const CollectiveCall& piece);
  struct Part {
    std::uint64_t begin, count;  ///< elements of the piece
  };
  [[nodiscard]] Part part_of(const Plan& plan, const Slice& slice, const CollectiveCall& piece) const;
  void copy(const Prepared& one, const Step& step, const CollectiveCall& piece);
  void reduce_on_gpu(const Prepared& one, const Step& step, const CollectiveCall& piece);
  void move_on_gpu(device::Address from, const std::vector<device::Address>& to, std::uint64_t bytes);
  void reduce_on_host(const Prepared& one, const Step& step, const CollectiveCall& piece) const;
  [[nodiscard]] device::Address address_of(const Prepared& one, const Region& region, const Slice& slice,
                                           const CollectiveCall& piece) const;
  [[nodiscard]] char* staging_part(int part) const;
  [[nodiscard]] device::Handle stream();

  CollectiveOptions options_;
  Across across_;
  std::uint64_t round_ = 0;  ///< of the agreement: one per call, more if something must be prepared
  std::uint64_t call_ = 0;
  std::uint64_t repetition_ = 0;
  std::uint64_t preparations_ = 0;
  std::vector<Layout> layouts_;
  std::size_t layout_ = 0;  ///< position of the layout of the call that runs
  std::map<std::tuple<std::size_t, std::size_t, int, int>, std::unique_ptr<Prepared>>
      prepared_;                                                      ///< layout, algorithm, collective, root
  std::set<std::uint64_t> opened_once_, good_buffers_, bad_buffers_;  ///< sets of buffers, which only rank 0 keeps
  bool layout_is_news_ = false;  ///< only at rank 0: the others have not read it yet
  ActivityVote activity_;
  std::uint64_t counted_call_ = 0;  ///< the last call that the vote has counted
  std::uint64_t told_call_ = 0;     ///< the last call of which the other nodes know what this one wants
  std::map<int, device::OwnedStream> streams_;
  std::vector<std::uint64_t> counts_;
  std::string notice_;
  bool staging_is_pinned_ = false;
  // The call that runs:
  bool runs_ = false;          ///< all ranks are in it, and a plan is on its way
  bool tries_ = false;         ///< all ranks are in it, and buffers were tried
  bool needs_others_ = false;  ///< this rank has done its part, and one that has not may still fail
  CollectiveCall now_;
  std::uint64_t whole_ = 0;          ///< elements of the call
  std::uint64_t done_ = 0;           ///< elements before the piece
  std::uint64_t across_pieces_ = 0;  ///< pieces that went across nodes
  int device_ = 0;
  std::vector<device::Address> inputs_, outputs_;  ///< by rank: where this rank reaches them; 0 where it does not
  std::vector<Import> open_;
  std::unique_ptr<NodeRanks> ranks_;  ///< the last one: once ranks have met, nothing of this object may fail to be made
};

}  // namespace topowise::collective
