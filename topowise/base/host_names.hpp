// SPDX-License-Identifier: BSD-3-Clause
// Names of hosts as different programs write them: with the domain or without, in any case, or as an address.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace topowise {

/// The name of the host that this process runs on, as the system states it.
[[nodiscard]] std::string host_name();

/// True for what may be the name of a host: letters, digits, '.', '-' and '_', of which a letter or digit is the first.
[[nodiscard]] bool is_host_name(std::string_view name);

/// True for an IPv4 or IPv6 address.
[[nodiscard]] bool is_address(std::string_view host);

/// What `hostname -s` prints. An address has no domain and stays whole.
[[nodiscard]] std::string_view without_domain(std::string_view host);

/// True if the two names differ in case at most, or if one is the other without its domain.
[[nodiscard]] bool is_same_host(std::string_view a, std::string_view b);

/// Several hosts, numbered in the order in which they are added. A host is found by its name as it was added. It is
/// also found by its name with or without the domain, unless that could mean another of the hosts.
class HostNames {
 public:
  /// Gives the name the next number. A name that was added before keeps its first number: find() never returns the
  /// second.
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
  std::map<std::string, Longer, std::less<>> longer_;  ///< the names that have a domain, by their short name
};

}  // namespace topowise
