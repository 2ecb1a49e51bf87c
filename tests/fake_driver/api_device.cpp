// SPDX-License-Identifier: BSD-3-Clause
// cuInit, devices, contexts.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>

#include "environment.hpp"
#include "process.hpp"

using namespace topowise::fake;

namespace {

int copy_text(const std::string& text, char* to, int size) {
  if (to == nullptr || size <= 0) return result::kInvalidValue;
  const std::size_t length = std::min(text.size(), static_cast<std::size_t>(size) - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
  return result::kSuccess;
}

/// Runs a call about one device.
template <class Body>
int call_for(const char* name, int device, Body body) noexcept {
  return call(name, [&](Process& self) {
    if (device < 0 || device >= static_cast<int>(self.devices().size())) return result::kInvalidDevice;
    return body(self, self.devices()[static_cast<std::size_t>(device)]);
  });
}

/// Attributes, by the driver's numbers; 0 for the many attributes that no one asks for.
int attribute_value(int attribute) {
  switch (attribute) {
    case 1:
      return 1024;  // threads of a block
    case 10:
      return 32;  // threads of a warp
    case 16:
      return 13;  // multiprocessors of a K80
    case 41:
      return 1;  // unified addressing
    case 75:
      return environment().compute;
    case 76:
      return 0;
    case 133:
      return environment().mps ? 1 : 0;
    default:
      return 0;
  }
}

/// The class of a pair, and its number among the classes of all pairs of the node, from the nearest.
std::pair<topowise::PathClass, int> rank_of(const Node& node, const Gpu& from, const Gpu& to) {
  std::set<topowise::PathClass> classes;
  for (const Gpu& a : node.gpus) {
    for (const Gpu& b : node.gpus) {
      if (a.index != b.index) classes.insert(node.topology.path_class(a.place, b.place));
    }
  }
  const topowise::PathClass path = node.topology.path_class(from.place, to.place);
  return {path, static_cast<int>(std::distance(classes.begin(), classes.find(path)))};
}

}  // namespace

extern "C" {

int cuInit(unsigned /*flags*/) {
  const int code = initialize();
  if (code != result::kSuccess) return code;
  return enter("cuInit");
}

int cuDriverGetVersion(int* version) {
  constexpr int kCuda12 = 12000;
  if (version == nullptr) return result::kInvalidValue;
  *version = kCuda12;
  return result::kSuccess;
}

int cuGetErrorName(int code, const char** text) {
  *text = result::name(code);
  return *text != nullptr ? result::kSuccess : result::kInvalidValue;
}

int cuGetErrorString(int code, const char** text) {
  *text = result::description(code);
  return *text != nullptr ? result::kSuccess : result::kInvalidValue;
}

int cuDeviceGetCount(int* count) {
  return call("cuDeviceGetCount", [&](Process& self) {
    *count = static_cast<int>(self.devices().size());
    return result::kSuccess;
  });
}

int cuDeviceGet(int* device, int ordinal) {
  return call_for("cuDeviceGet", ordinal, [&](Process&, const VisibleDevice&) {
    *device = ordinal;
    return result::kSuccess;
  });
}

int cuDeviceGetName(char* name, int size, int device) {
  return call_for("cuDeviceGetName", device, [&](Process&, const VisibleDevice& each) {
    return copy_text(each.gpu->name + (each.instance != nullptr ? " MIG" : ""), name, size);
  });
}

int cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  return call_for("cuDeviceGetUuid", device, [&](Process&, const VisibleDevice& each) {
    const UuidBytes& bytes = each.instance != nullptr ? each.instance->uuid_bytes : each.gpu->uuid_bytes;
    std::copy(bytes.begin(), bytes.end(), uuid);
    return result::kSuccess;
  });
}

int cuDeviceGetPCIBusId(char* text, int size, int device) {
  return call_for("cuDeviceGetPCIBusId", device, [&](Process&, const VisibleDevice& each) {
    return copy_text(each.gpu->pci.to_string(), text, size);
  });
}

int cuDeviceTotalMem_v2(std::size_t* size, int device) {
  return call_for("cuDeviceTotalMem", device, [&](Process& self, const VisibleDevice&) {
    *size = self.memory().gpu_size();
    return result::kSuccess;
  });
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  return call_for("cuDeviceGetAttribute", device, [&](Process&, const VisibleDevice&) {
    *value = attribute_value(attribute);
    return result::kSuccess;
  });
}

int cuDeviceCanAccessPeer(int* can, int device, int peer) {
  return call_for("cuDeviceCanAccessPeer", device, [&](Process& self, const VisibleDevice& from) {
    if (peer < 0 || peer >= static_cast<int>(self.devices().size())) return result::kInvalidDevice;
    *can = can_access(environment().peers, from.gpu->index, self.gpu_of(peer)) ? 1 : 0;
    return result::kSuccess;
  });
}

/// Gives the rank of a pair, whether there is peer access, and whether a bond joins the two.
int cuDeviceGetP2PAttribute(int* value, int attribute, int device, int peer) {
  enum { kRank = 1, kAccess = 2, kNativeAtomics = 3 };
  return call_for("cuDeviceGetP2PAttribute", device, [&](Process& self, const VisibleDevice& from) {
    if (peer < 0 || peer >= static_cast<int>(self.devices().size()) || peer == device) return result::kInvalidDevice;
    const VisibleDevice& to = self.devices()[static_cast<std::size_t>(peer)];
    const bool access = can_access(environment().peers, from.gpu->index, to.gpu->index);
    const auto [path, rank] = rank_of(self.node(), *from.gpu, *to.gpu);
    if (attribute == kRank) *value = rank;
    if (attribute == kAccess) *value = access ? 1 : 0;
    const bool joined = is_bond(path) && path.kind != topowise::PathKind::xgmi_relay;
    if (attribute == kNativeAtomics) *value = access && joined ? 1 : 0;
    return attribute >= kRank && attribute <= kNativeAtomics ? result::kSuccess : result::kInvalidValue;
  });
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  return call_for("cuDevicePrimaryCtxRetain", device, [&](Process& self, const VisibleDevice&) {
    ++self.context(device)->retained;
    *context = self.context(device);
    return result::kSuccess;
  });
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  return call_for("cuDevicePrimaryCtxRelease", device, [&](Process& self, const VisibleDevice&) {
    Context* context = self.context(device);
    if (context->retained == 0) return result::kInvalidContext;
    if (--context->retained == 0) self.synchronize(device);
    return result::kSuccess;
  });
}

int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  return call_for("cuDevicePrimaryCtxGetState", device, [&](Process& self, const VisibleDevice&) {
    *flags = 0;
    *active = self.context(device)->retained > 0 ? 1 : 0;
    return result::kSuccess;
  });
}

int cuCtxSetCurrent(void* handle) {
  return call("cuCtxSetCurrent", [&](Process& self) {
    Context* context = self.context(handle);
    if (handle != nullptr && context == nullptr) return result::kInvalidContext;
    if (!Process::stack().empty()) Process::stack().pop_back();
    if (context != nullptr) Process::stack().push_back(context);
    return result::kSuccess;
  });
}

int cuCtxGetCurrent(void** context) {
  return call("cuCtxGetCurrent", [&](Process&) {
    *context = Process::current();
    return result::kSuccess;
  });
}

int cuCtxPushCurrent_v2(void* handle) {
  return call("cuCtxPushCurrent", [&](Process& self) {
    Context* context = self.context(handle);
    if (context == nullptr) return result::kInvalidContext;
    Process::stack().push_back(context);
    return result::kSuccess;
  });
}

int cuCtxPopCurrent_v2(void** handle) {
  return call_in_context("cuCtxPopCurrent", [&](Process&, Context& context) {
    if (handle != nullptr) *handle = &context;
    Process::stack().pop_back();
    return result::kSuccess;
  });
}

int cuCtxGetDevice(int* device) {
  return call_in_context("cuCtxGetDevice", [&](Process&, Context& context) {
    *device = context.device;
    return result::kSuccess;
  });
}

int cuCtxSynchronize() {
  return call_in_context("cuCtxSynchronize", [](Process& self, Context& context) {
    self.synchronize(context.device);
    return result::kSuccess;
  });
}

int cuCtxEnablePeerAccess(void* handle, unsigned /*flags*/) {
  return call_in_context("cuCtxEnablePeerAccess", [&](Process& self, Context& context) {
    const Context* peer = self.context(handle);
    if (peer == nullptr || peer == &context) return result::kInvalidContext;
    if (!can_access(environment().peers, self.gpu_of(context.device), self.gpu_of(peer->device))) {
      return result::kPeerAccessUnsupported;
    }
    const std::lock_guard lock(context.peers_mutex);
    return context.peers.insert(peer->device).second ? result::kSuccess : result::kPeerAccessAlreadyEnabled;
  });
}

int cuCtxDisablePeerAccess(void* handle) {
  return call_in_context("cuCtxDisablePeerAccess", [&](Process& self, Context& context) {
    const Context* peer = self.context(handle);
    if (peer == nullptr) return result::kInvalidContext;
    const std::lock_guard lock(context.peers_mutex);
    return context.peers.erase(peer->device) > 0 ? result::kSuccess : result::kPeerAccessNotEnabled;
  });
}

}  // extern "C"
