// SPDX-License-Identifier: BSD-3-Clause
// The structures by which NCCL talks to its profiler plugin, for each version of the interface: each version is given
// in full, as in the library's public headers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace {

struct Described1 {
  std::uint8_t type;
  void* parentObj;
  int rank;
  union {
    struct {
      const char* name;
      std::uint64_t commHash;
      std::uint64_t seqNumber;
      std::uint8_t func;
      const void* sendBuff;
      void* recvBuff;
      std::size_t count;
      int root;
      std::uint8_t datatype;
      std::uint32_t op;
      std::size_t trafficBytes;
      std::uint8_t nMaxChannels;
      std::uint8_t nWarps;
      std::uint8_t algo;
      std::uint8_t proto;
      int isCollnet;
      int isNvls;
    } coll;
    struct {
      const char* name;
      std::uint64_t commHash;
      std::uint8_t func;
      void* buff;
      std::uint8_t datatype;
      std::size_t count;
      int peer;
    } p2p;
  };
};

struct Described2 {
  std::uint8_t type;
  void* parentObj;
  int rank;
  union {
    struct {
      const char* name;
      std::uint64_t commHash;
      std::uint64_t seqNumber;
      const char* func;
      const void* sendBuff;
      void* recvBuff;
      std::size_t count;
      int root;
      const char* datatype;
      std::size_t trafficBytes;
      std::uint8_t nMaxChannels;
      std::uint8_t nWarps;
      const char* algo;
      const char* proto;
    } coll;
    struct {
      const char* name;
      std::uint64_t commHash;
      const char* func;
      void* buff;
      const char* datatype;
      std::size_t count;
      int peer;
    } p2p;
  };
};

struct Described3 {
  std::uint8_t type;
  void* parentObj;
  int rank;
  union {
    struct {
      const char* name;
      std::uint64_t commHash;
      std::uint64_t seqNumber;
      const char* func;
      const void* sendBuff;
      void* recvBuff;
      std::size_t count;
      int root;
      const char* datatype;
      std::uint8_t nMaxChannels;
      std::uint8_t nWarps;
      const char* algo;
      const char* proto;
    } coll;
    struct {
      const char* name;
      std::uint64_t commHash;
      const char* func;
      void* buff;
      const char* datatype;
      std::size_t count;
      int peer;
    } p2p;
  };
};

struct Described4 {
  std::uint8_t type;
  void* parentObj;
  int rank;
  union {
    struct {
      std::uint64_t seqNumber;
      const char* func;
      const void* sendBuff;
      void* recvBuff;
      std::size_t count;
      int root;
      const char* datatype;
      std::uint8_t nChannels;
      std::uint8_t nWarps;
      const char* algo;
      const char* proto;
    } coll;
    struct {
      const char* func;
      void* buff;
      const char* datatype;
      std::size_t count;
      int peer;
      std::uint8_t nChannels;
    } p2p;
  };
};

/// Versions 5 to 7; later versions only add fields at the end.
struct Described5 {
  std::uint64_t type;
  void* parentObj;
  int rank;
  union {
    struct {
      std::uint64_t seqNumber;
      const char* func;
      const void* sendBuff;
      void* recvBuff;
      std::size_t count;
      int root;
      const char* datatype;
      std::uint8_t nChannels;
      std::uint8_t nWarps;
      const char* algo;
      const char* proto;
      void* parentGroup;
      const char* kernelVariant;
      bool isSymColl;
      std::uint64_t userTag;
    } coll;
    struct {
      const char* func;
      void* buff;
      const char* datatype;
      std::size_t count;
      int peer;
      std::uint8_t nChannels;
      void* parentGroup;
      std::uint64_t userTag;
    } p2p;
    struct {
      std::uint64_t seqNumber;
      const char* func;
      const void* sendBuff;
      void* recvBuff;
      std::size_t count;
      int root;
      const char* datatype;
      const char* syncStrategy;
      bool intraBatchSync;
      std::uint32_t batchSize;
      std::uint32_t numBatches;
      std::uint32_t ceSeqNum;
      void* stream;
      std::uint64_t userTag;
    } ceColl;
  };
};

/// The plugin's table: init differs by version, all other functions have the same form.
struct Plugin {
  const char* name;
  void* init;
  int (*startEvent)(void*, void**, void*);
  int (*stopEvent)(void*);
  int (*recordEventState)(void*, int, void*);
  int (*finalize)(void*);
};

}  // namespace
