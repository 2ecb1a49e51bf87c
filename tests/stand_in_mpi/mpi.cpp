// SPDX-License-Identifier: BSD-3-Clause
// An MPI library that only answers queries, with the handles of the MPICH family; this process is rank 1 of 4. The unit
// tests of the recorder run on it; no program ever calls it.
//
//   0x44000000  MPI_COMM_WORLD
//   0x84000001  ranks 3 and 1
//   0x84000002  between {1, 0} (ours) and {2, 3}
//   0x840000NN  any other: the members of MPI_COMM_WORLD
// It is a GPU driver as well, which knows one allocation: stand_in_gpu_memory, on device 2.
//
//   type 0xNN00 has NN bytes, window 0xa0000001 is of the ranks 3 and 1
#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

namespace {

const std::map<int, std::vector<int>>& groups() {
  static const std::map<int, std::vector<int>> all{{1, {0, 1, 2, 3}}, {2, {3, 1}}, {3, {1, 0}}, {4, {2, 3}}};
  return all;
}
constexpr int kPair = static_cast<int>(0x84000001U);
constexpr int kBetween = static_cast<int>(0x84000002U);
constexpr int kUndefined = -32766;
constexpr int kFailed = 5;

int group_of(int comm) {
  return comm == kPair ? 2 : comm == kBetween ? 3 : 1;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {
int stand_in_questions = 0;  // about sizes of types and members of communicators

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
  return *rank = comm == kBetween ? 0 : 1, 0;
}
int PMPI_Comm_size(int comm, int* size) {
  return *size = static_cast<int>(groups().at(group_of(comm)).size()), 0;
}
int PMPI_Comm_test_inter(int comm, int* flag) {
  return *flag = comm == kBetween ? 1 : 0, 0;
}
int PMPI_Comm_group(int comm, int* group) {
  ++stand_in_questions;
  return *group = group_of(comm), 0;
}
int PMPI_Comm_remote_group(int, int* group) {
  return *group = 4, 0;
}
int PMPI_Comm_get_parent(int* parent) {
  return *parent = 0x04000000, 0;
}
int PMPI_Comm_create_keyval(void*, void*, int* key, void*) {
  return *key = 1, 0;
}
int PMPI_Comm_set_attr(int, int, void*) {
  return 0;
}
int PMPI_Win_get_group(int, int* group) {
  return *group = 2, 0;
}
int PMPI_Group_size(int group, int* size) {
  return *size = static_cast<int>(groups().at(group).size()), 0;
}
int PMPI_Group_rank(int, int* rank) {
  return *rank = 1, 0;
}
int PMPI_Group_translate_ranks(int from, int count, const int* ranks, int to, int* found) {
  for (int i = 0; i < count; ++i) {
    const int world = groups().at(from)[static_cast<std::size_t>(ranks[i])];
    found[i] = kUndefined;
    for (std::size_t other = 0; other < groups().at(to).size(); ++other)
      if (groups().at(to)[other] == world) found[i] = static_cast<int>(other);
  }
  return 0;
}
int PMPI_Group_free(int* group) {
  return *group = 0, 0;
}
int PMPI_Type_size_x(int type, std::int64_t* size) {
  ++stand_in_questions;
  return *size = type >> 8 & 0xff, 0;
}
int PMPI_Topo_test(int, int* kind) {
  return *kind = kUndefined, 0;
}
int PMPI_Cartdim_get(int, int*) {
  return kFailed;
}
int PMPI_Cart_shift(int, int, int, int*, int*) {
  return kFailed;
}
int PMPI_Graph_neighbors_count(int, int, int*) {
  return kFailed;
}
int PMPI_Graph_neighbors(int, int, int, int*) {
  return kFailed;
}
int PMPI_Dist_graph_neighbors_count(int, int*, int*, int*) {
  return kFailed;
}
int PMPI_Dist_graph_neighbors(int, int, int*, int*, int, int*, int*) {
  return kFailed;
}

char stand_in_gpu_memory[64];
int cuPointerGetAttribute(void* to, int attribute, unsigned long long address) {
  const auto base = reinterpret_cast<unsigned long long>(&stand_in_gpu_memory);
  constexpr int kInvalidValue = 1;
  if (address < base || address >= base + sizeof(stand_in_gpu_memory)) return kInvalidValue;
  switch (attribute) {
    case 2:  // memory type: device
    case 9:  // ordinal
      *static_cast<int*>(to) = 2;
      return 0;
    case 7:  // number of the allocation
      *static_cast<std::uint64_t*>(to) = 5;
      return 0;
    case 8:  // managed
      *static_cast<int*>(to) = 0;
      return 0;
    case 11:  // begin
      *static_cast<unsigned long long*>(to) = base;
      return 0;
    default:  // size
      *static_cast<std::uint64_t*>(to) = sizeof(stand_in_gpu_memory);
      return 0;
  }
}
int cuPointerGetAttributes(unsigned count, const int* attributes, void** to, unsigned long long address) {
  int result = 0;
  for (unsigned i = 0; i < count && result == 0; ++i) result = cuPointerGetAttribute(to[i], attributes[i], address);
  return result;
}
int cuDeviceGetPCIBusId(char* text, int size, int device) {
  std::snprintf(text, static_cast<std::size_t>(size), "0000:%02x:00.0", 10 + device);
  return 0;
}
}
#pragma GCC visibility pop
