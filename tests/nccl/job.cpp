// SPDX-License-Identifier: BSD-3-Clause
// One rank of a training job that calls NCCL; nccl_test.cpp knows the traffic that it sends.
//
//   job RANK SIZE JOB WHAT...    JOB names the job's communicators; WHAT is done in turn:
//     step     an allreduce of 1000 floats and one of 10 in the world; in pairs of neighbouring ranks an allgather of
//              100 halves and a reduce-scatter of 50 doubles; 4 KiB from each rank but the last to the next one; a
//              broadcast of 300 bytes (ncclUint8) by rank 1; a reduce of 8 doubles to rank 2
//     threads  each of four threads does a thousand allreduces of 256 floats, on a communicator of its own
//     group    a communicator is made in a group and used in the next one
//     all      ncclCommInitAll of 3 GPUs, then an allreduce of 1000 floats on each
//     gpus     two GPUs in each process: it is member 2 RANK of a communicator on GPU 2 RANK + 1, and member
//              2 RANK + 1 on GPU 2 RANK. An allreduce of 1024 floats in this communicator; 4 KiB from the second
//              member of each process to the first of the next process; an allgather of 100 halves in each of two
//              communicators, one of the first GPUs of all processes and one of the second GPUs
//     alltoall RCCL's ncclAllToAll of 16 floats
//     again    all communicators destroyed and made anew
//     meet     waits for the others
//     kill     SIGKILL of itself if it is rank 1
//     fail     exit status 3
//     fork     a child that ends by exit(0)
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

struct ncclComm;
extern "C" {
struct ncclUniqueId {
  char internal[128];
};
int ncclGroupStart();
int ncclGroupEnd();
int ncclCommInitRank(ncclComm**, int, ncclUniqueId, int);
int ncclCommInitRankConfig(ncclComm**, int, ncclUniqueId, int, void*);
int ncclCommInitAll(ncclComm**, int, const int*);
int ncclCommSplit(ncclComm*, int, int, ncclComm**, const int*);
int ncclCommDestroy(ncclComm*);
int ncclAllReduce(const void*, void*, std::size_t, int, int, ncclComm*, void*);
int ncclBroadcast(const void*, void*, std::size_t, int, int, ncclComm*, void*);
int ncclReduce(const void*, void*, std::size_t, int, int, int, ncclComm*, void*);
int ncclAllGather(const void*, void*, std::size_t, int, ncclComm*, void*);
int ncclReduceScatter(const void*, void*, std::size_t, int, int, ncclComm*, void*);
int ncclSend(const void*, std::size_t, int, int, ncclComm*, void*);
int ncclRecv(void*, std::size_t, int, int, ncclComm*, void*);
int ncclAllToAll(const void*, void*, std::size_t, int, ncclComm*, void*);
}

namespace {

constexpr int kUint8 = 1, kHalf = 6, kFloat = 7, kDouble = 8, kSum = 0;

void check(int status) {
  if (status != 0) _exit(20);
}

struct Job {
  int rank;
  int size;
  const char* name;
  ncclComm* world = nullptr;
  ncclComm* pair = nullptr;

  [[nodiscard]] ncclUniqueId id(int number) const {
    ncclUniqueId made{};
    std::strncpy(made.internal, name, sizeof(made.internal) - 2);
    made.internal[127] = static_cast<char>(number);
    return made;
  }

  void begin() {
    check(ncclCommInitRank(&world, size, id(0), rank));
    const std::array<int, 2> place{rank % 2, rank / 2 == size / 2 ? 1 : 2};
    check(ncclCommSplit(world, rank / 2, rank, &pair, place.data()));
    ncclComm* none = nullptr;
    check(ncclCommSplit(world, -1, rank, &none, place.data()));
  }
  void end() const {
    check(ncclCommDestroy(pair));
    check(ncclCommDestroy(world));
  }
  void step() const {
    check(ncclAllReduce(nullptr, nullptr, 1000, kFloat, kSum, world, nullptr));
    check(ncclAllReduce(nullptr, nullptr, 10, kFloat, kSum, world, nullptr));
    check(ncclAllGather(nullptr, nullptr, 100, kHalf, pair, nullptr));
    check(ncclReduceScatter(nullptr, nullptr, 50, kDouble, kSum, pair, nullptr));
    check(ncclGroupStart());
    if (rank + 1 < size) check(ncclSend(nullptr, 4096, 0, rank + 1, world, nullptr));
    if (rank > 0) check(ncclRecv(nullptr, 4096, 0, rank - 1, world, nullptr));
    check(ncclGroupEnd());
    check(ncclBroadcast(nullptr, nullptr, 300, kUint8, 1, world, nullptr));
    check(ncclReduce(nullptr, nullptr, 8, kDouble, kSum, 2, world, nullptr));
  }
  void threads() const {
    std::vector<std::thread> team;
    for (int number = 1; number <= 4; ++number)
      team.emplace_back([this, number] {
        ncclComm* own = nullptr;
        check(ncclCommInitRankConfig(&own, size, id(number), rank, nullptr));
        for (int call = 0; call < 1000; ++call) check(ncclAllReduce(nullptr, nullptr, 256, kFloat, kSum, own, nullptr));
        check(ncclCommDestroy(own));
      });
    for (std::thread& one : team) one.join();
  }
  void meet() const {
    ncclComm* made = nullptr;
    check(ncclCommInitRank(&made, size, id(8), rank));
    check(ncclCommDestroy(made));
  }
  void group() const {
    ncclComm* made = reinterpret_cast<ncclComm*>(0x17);  // the call must not use the old value
    check(ncclGroupStart());
    check(ncclCommInitRank(&made, size, id(9), rank));
    check(ncclGroupEnd());
    check(ncclGroupStart());
    check(ncclAllReduce(nullptr, nullptr, 2048, kFloat, kSum, made, nullptr));
    check(ncclGroupEnd());
    check(ncclCommDestroy(made));
  }
  static void all() {
    std::array<ncclComm*, 3> made{};
    check(ncclCommInitAll(made.data(), 3, nullptr));
    for (ncclComm* one : made) check(ncclAllReduce(nullptr, nullptr, 1000, kFloat, kSum, one, nullptr));
    for (ncclComm* one : made) check(ncclCommDestroy(one));
  }
};

/// Makes the GPU current in this thread, if there is a driver.
void use_gpu(int number) {
  const char* name = std::getenv("TOPOWISE_CUDA_LIBRARY");
  if (name == nullptr) return;
  void* driver = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  if (driver == nullptr) _exit(21);
  void* context = nullptr;
  check(reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"))(0));
  check(reinterpret_cast<int (*)(void**, int)>(dlsym(driver, "cuDevicePrimaryCtxRetain"))(&context, number));
  check(reinterpret_cast<int (*)(void*)>(dlsym(driver, "cuCtxSetCurrent"))(context));
}

void gpus(const Job& job) {
  std::array<ncclComm*, 2> all{};
  std::array<ncclComm*, 2> alike{};
  check(ncclGroupStart());
  for (const int k : {0, 1}) {
    use_gpu(2 * job.rank + 1 - k);
    check(
        ncclCommInitRankConfig(&all[static_cast<std::size_t>(k)], 2 * job.size, job.id(20), 2 * job.rank + k, nullptr));
  }
  for (const int k : {0, 1}) {
    use_gpu(2 * job.rank + k);
    check(ncclCommInitRankConfig(&alike[static_cast<std::size_t>(k)], job.size, job.id(21 + k), job.rank, nullptr));
  }
  check(ncclGroupEnd());
  check(ncclGroupStart());
  for (ncclComm* one : all) check(ncclAllReduce(nullptr, nullptr, 1024, kFloat, kSum, one, nullptr));
  if (job.rank + 1 < job.size) check(ncclSend(nullptr, 4096, 0, 2 * (job.rank + 1), all[1], nullptr));
  if (job.rank > 0) check(ncclRecv(nullptr, 4096, 0, 2 * job.rank - 1, all[0], nullptr));
  for (ncclComm* one : alike) check(ncclAllGather(nullptr, nullptr, 100, kHalf, one, nullptr));
  check(ncclGroupEnd());
  for (ncclComm* one : all) check(ncclCommDestroy(one));
  for (ncclComm* one : alike) check(ncclCommDestroy(one));
}

void fork_and_exit() {
  const pid_t child = fork();
  if (child == 0) std::exit(0);
  int status = 0;
  waitpid(child, &status, 0);
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return 2;
  Job job{std::atoi(words[1]), std::atoi(words[2]), words[3]};
  if (job.size > 0) job.begin();
  int status = 0;
  for (int i = 4; i < count; ++i) {
    const std::string_view what = words[i];
    if (what == "step") job.step();
    if (what == "threads") job.threads();
    if (what == "group") job.group();
    if (what == "all") Job::all();
    if (what == "gpus") gpus(job);
    if (what == "alltoall") check(ncclAllToAll(nullptr, nullptr, 16, kFloat, job.world, nullptr));
    if (what == "again") job.end();
    if (what == "again") job.begin();
    if (what == "meet") job.meet();
    if (what == "kill" && job.rank == 1) std::raise(SIGKILL);
    if (what == "fail") status = 3;
    if (what == "fork") fork_and_exit();
  }
  if (job.size > 0) job.end();
  return status;
}
