// SPDX-License-Identifier: BSD-3-Clause
// The interface between the preloaded library and the mappers. The preloaded library brings nothing but the standard
// library into a program; what maps is a second library, opened only when ranks are to be reordered, and only by the
// process that computes. Plain C types, so that neither sees the other's C++ runtime.
#pragma once

#include <cstddef>
#include <cstdint>

#include <topowise/reorder/node_part.hpp>

namespace topowise::engine {

/// Both sides must have been built from the same form of these structures.
inline constexpr std::int32_t kVersion = 8;
inline constexpr const char* kLibrary = "libtopowise_engine.so";
inline constexpr const char* kFunction = "topowise_engine_reorder";

enum class Kind : std::int32_t {
  cart,
  graph,
  edges,
  world,  ///< no virtual topology: what the profile says, and nothing without it
};

struct Edge {
  std::int32_t source;
  std::int32_t destination;
  std::int32_t weight;
};

struct Question {
  std::int32_t version = kVersion;
  Kind kind = Kind::edges;
  std::int32_t processes = 0;
  std::int32_t vertices = 0;        ///< for graph and edges
  const char* hosts = nullptr;      ///< name of each process's host, `host_bytes` each, ended by a zero
  std::int32_t host_bytes = 0;      ///
  const NodePart* parts = nullptr;  ///< where on its host each process is bound
  std::int32_t dimensions = 0;      ///< for cart
  const int* extents = nullptr;     ///
  const int* periodic = nullptr;    ///< 0 or not
  const int* index = nullptr;       ///< for graph, `vertices` of them
  const int* neighbors = nullptr;   ///< for graph, index[vertices - 1] of them
  const Edge* edges = nullptr;      ///< for edges
  std::size_t edge_count = 0;       ///
  const char* topology = nullptr;   ///< TOPOLOGY as on the command line; null: none is given
  const char* network = nullptr;    ///< without one: a file that may know the hosts; null: they are equally far apart
  const char* metric = nullptr;     ///< as for 'map --metric'; null: distance
  const char* profile = nullptr;    ///< TRAFFIC of an earlier run as on the command line; null: edges weigh as stated
  const char* loads = nullptr;      ///< LIST or FILE as of 'map --loads', for the ranks of the job; null: not known
  const std::int32_t* world_ranks = nullptr;  ///< the rank of each process in its job, as profile and loads count
  std::int32_t world_size = 0;                ///
  double seconds = 0;                         ///< what the mapping may take; 0: it is to be fast
  bool suggest = false;                       ///< look for better extents of a cart
};

struct Answer {
  std::int32_t* process_of_vertex = nullptr;  ///< room for the caller's number of vertices
  std::int32_t vertices = 0;
  std::int32_t hosts = 0;
  bool trivial = true;  ///< every vertex stays with its process
  bool proven_optimal = false;
  double cost_before = 0;
  double cost = 0;
  double inside_before = 0;  ///< between the parts of each host, as Reordering has it
  double inside = 0;
  double fullest_before = 0;  ///< how far the fullest host is above its share of the loads, as Reordering has it
  double fullest = 0;
  bool assumed = false;       ///< nobody knows what the edges weigh
  bool contested = false;     ///< another order costs less, and yet was not taken
  char assumption[240] = {};  ///< what the edges are taken to weigh, in a clause, and why an order was not taken
  char message[480] = {};     ///< why there is no answer; with an answer, what could not be regarded
  char suggestion[160] = {};  ///< better extents, in a clause; empty: none
  char machine[240] = {};     ///< where it comes from, in a clause
};

/// False with a message: the trivial answer is to be taken.
using Function = bool (*)(const Question*, Answer*);

}  // namespace topowise::engine
