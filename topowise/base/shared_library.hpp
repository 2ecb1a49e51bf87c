// SPDX-License-Identifier: BSD-3-Clause
// Vendor libraries are opened at run time, so one binary serves machines with and without them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace topowise {

/// A loaded shared library; closed when the last copy goes.
class SharedLibrary {
 public:
  /// Tries the names in turn. If none loads, the result is empty and `reason` says why the last one did not.
  [[nodiscard]] static std::optional<SharedLibrary> open(std::span<const std::string> names, std::string& reason);

  /// The name under which it was found.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Address of a symbol, or null.
  [[nodiscard]] void* symbol(const char* name) const;
  template <class Function>
  [[nodiscard]] Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  SharedLibrary(std::string name, std::shared_ptr<void> handle) : name_(std::move(name)), handle_(std::move(handle)) {}
  std::string name_;
  std::shared_ptr<void> handle_;
};

}  // namespace topowise
