// SPDX-License-Identifier: BSD-3-Clause
// Under Slurm's srun the step is cancelled by Slurm's own command. Under hydra the process writes what PMI_Abort writes
// in version 1 of the protocol between hydra's proxy and its processes: one line on the socket whose number is in
// PMI_FD.
#include <topowise/job/abort_job.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <topowise/base/child_process.hpp>

namespace topowise::job {
namespace {

/// The name of this process's job step for scancel: "71.0". Empty outside Slurm, and if another launcher inside the
/// step started this process.
std::string own_slurm_step(const Process& process) {
  const char* job = std::getenv("SLURM_JOB_ID");
  const char* step = std::getenv("SLURM_STEP_ID");
  if (job == nullptr || step == nullptr) return {};
  // `srun --mpi=pmi2` sets PMI_RANK as hydra does.
  const bool like_hydra = process.launcher == "hydra" && std::getenv("MPI_LOCALRANKID") == nullptr;
  return process.launcher == "Slurm" || like_hydra ? std::string(job) + "." + step : std::string();
}

void cancel_step(const std::string& step, const Process& process) {
  let_output_pass();
  // Where all ranks fail, one request is enough, and thousands at once would be a burden: so every rank but the first
  // waits before it asks.
  if (process.rank != 0) let_first_rank_speak();
  constexpr int kSeconds = 10;
  static_cast<void>(program_output({"scancel", step}, kSeconds));
}

/// Returns at once if no proxy listens.
void tell_proxy(int socket, ExitStatus status) {
  let_output_pass();
  char line[64];
  const int length = std::snprintf(line, sizeof line, "cmd=abort exitcode=%d\n", static_cast<int>(status));
  // Another rank may have ended the job, and the proxy may have closed its end. MSG_NOSIGNAL then keeps a signal from
  // changing the exit status of this process.
  if (::send(socket, line, static_cast<std::size_t>(length), MSG_NOSIGNAL) < 0) return;
  constexpr unsigned kSeconds = 5;
  ::sleep(kSeconds);  // the proxy ends this process
}

}  // namespace

bool is_child_of_hydra() {
  std::ifstream file("/proc/" + std::to_string(::getppid()) + "/comm");
  std::string name;
  return std::getline(file, name) && name.starts_with("hydra_pmi_proxy");
}

void let_output_pass() noexcept {
  constexpr unsigned kMicroseconds = 200'000;
  ::usleep(kMicroseconds);
}

void let_first_rank_speak() noexcept {
  constexpr unsigned kSeconds = 3;  // the launcher ends this process before, as soon as the first rank ends
  ::sleep(kSeconds);
}

void wait_for_turn(const Process& process) noexcept {
  if (process.launcher.empty() || process.size == 1 || process.rank == 0) return;
  let_first_rank_speak();
  if (process.local_rank.value_or(0) != 0) let_first_rank_speak();
}

void abort_job(ExitStatus status) noexcept {
  try {
    const Process process = this_process();
    const std::string step = own_slurm_step(process);
    if (!step.empty())
      cancel_step(step, process);
    else if (const char* socket = std::getenv("PMI_FD"))
      tell_proxy(std::atoi(socket), status);
  } catch (...) {  // no memory: this process ends all the same
  }
}

}  // namespace topowise::job
