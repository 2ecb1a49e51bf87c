// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/host_names.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>

#include <topowise/base/text.hpp>

namespace topowise {

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

bool is_host_name(std::string_view name) {
  constexpr std::size_t kLongest = 253;  // RFC 1035, without the length bytes
  return !name.empty() && name.size() <= kLongest && is_letter_or_digit(name.front()) &&
         std::ranges::all_of(name, [](char c) { return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_'; });
}

bool is_address(std::string_view host) {
  // A host name has no colon, and a host name with dots is never made of digits alone.
  return host.find(':') != std::string_view::npos ||
         (host.find('.') != std::string_view::npos &&
          std::ranges::all_of(host, [](char c) { return c == '.' || is_digit(c); }));
}

std::string_view without_domain(std::string_view host) {
  return is_address(host) ? host : host.substr(0, host.find('.'));
}

bool is_same_host(std::string_view a, std::string_view b) {
  HostNames names;
  names.add(a);
  return names.find(b).has_value();
}

void HostNames::add(std::string_view host) {
  const std::string name = lower(host);
  const std::size_t number = count_++;
  const std::string_view short_name = without_domain(name);
  if (!whole_.emplace(name, number).second || short_name == name) return;
  Longer& longer = longer_.try_emplace(std::string(short_name), Longer{0, number}).first->second;
  ++longer.count;
}

std::optional<std::size_t> HostNames::find(std::string_view host) const {
  const std::string name = lower(host);
  if (const auto equal = whole_.find(name); equal != whole_.end()) return equal->second;
  const std::string_view short_name = without_domain(name);
  const Longer others = longer(short_name);
  if (short_name == name) return others.count == 1 ? std::optional(others.first) : std::nullopt;
  const auto found = whole_.find(short_name);
  return others.count == 0 && found != whole_.end() ? std::optional(found->second) : std::nullopt;
}

bool HostNames::is_alone(std::string_view host) const {
  const std::string name = lower(host);
  const std::string_view short_name = without_domain(name);
  const std::size_t alike = longer(short_name).count + (whole_.contains(short_name) ? 1 : 0);
  return alike <= (whole_.contains(name) ? 1 : 0);
}

HostNames::Longer HostNames::longer(std::string_view name) const {
  const auto found = longer_.find(name);
  return found == longer_.end() ? Longer{} : found->second;
}

}  // namespace topowise
