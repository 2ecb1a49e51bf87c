// SPDX-License-Identifier: BSD-3-Clause
// Names of hosts as different programs write them: with the domain or without, in any case, or as an address.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace topowise {

/// IPv4 or IPv6.
[[nodiscard]] bool is_address(std::string_view host);

/// What `hostname -s` prints. An address has no domain and stays whole.
[[nodiscard]] std::string_view without_domain(std::string_view host);

/// Equal but for case, or one is the other without its domain.
[[nodiscard]] bool is_same_host(std::string_view a, std::string_view b);

/// Several hosts, numbered in the order in which they are added. A host is found by its name, and by its name with or
/// without the domain where no other of the hosts could be meant.
class HostNames {
 public:
  /// Of two equal names the first keeps its number; the second has one that is never found.
  void add(std::string_view host);
  [[nodiscard]] std::optional<std::size_t> find(std::string_view host) const;
  /// True unless another of the names differs from this one in the domain alone.
  [[nodiscard]] bool is_alone(std::string_view host) const;

 private:
  struct Longer {
    std::size_t count = 0;
    std::size_t first = 0;
  };
  [[nodiscard]] Longer longer(std::string_view name) const;

  std::size_t count_ = 0;
  std::map<std::string, std::size_t, std::less<>> whole_;
  std::map<std::string, Longer, std::less<>> longer_;  ///< by short name: the names that have a domain
};

}  // namespace topowise
