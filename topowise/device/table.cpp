// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/device/table.hpp>

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

#include <topowise/device/cuda.hpp>
#include <topowise/device/hip.hpp>

namespace topowise::device {
namespace {

constexpr const char* kHint = "'topowise doctor' lists what is missing and how to get it";

/// A driver has threads of its own, which may still run when its last user is gone.
void keep_loaded(const SharedLibrary& library) {
  ::dlopen(library.name().c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace

std::span<const Backend* const> backends() {
  static const std::array<const Backend*, 2> table{&cuda_backend(), &hip_backend()};
  return table;
}

Driver open_driver(const Backend& backend) {
  std::string reason;
  const std::optional<SharedLibrary> library = SharedLibrary::open(names_to_try(backend.names), reason);
  if (!library) {
    throw not_available(fmt::format("the {} driver cannot be opened: {}", backend.names.backend, reason), kHint);
  }
  keep_loaded(*library);
  return {backend.names.backend, *library, backend.fill(*library)};
}

Driver open_driver() {
  std::optional<DriverError> refused;
  std::string missing;
  for (const Backend* backend : backends()) {
    try {
      return open_driver(*backend);
    } catch (const DriverError& error) {
      if (!refused) refused = error;
    } catch (const Error& error) {
      missing += (missing.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  if (refused) throw DriverError(*refused);  // a driver that is there and fails says more than one that is not there
  throw not_available(missing, kHint);
}

std::optional<Driver> find_driver(std::string& reason) {
  try {
    return open_driver();
  } catch (const Error& error) {
    reason = error.what();
    return std::nullopt;
  }
}

}  // namespace topowise::device
