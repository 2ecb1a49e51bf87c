// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Strong ids: a Rank cannot be passed where a Place is meant.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

namespace topowise {

/// Throws Error(bad_input) that says that there is no such id.
[[noreturn]] void throw_no_such_id(std::size_t value);

/// An index into one kind of thing. `Tag` only separates the kinds. Four bytes, because large problems hold many.
template <class Tag>
class Id {
 public:
  /// The largest index.
  static constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();

  constexpr Id() = default;
  /// Throws Error(bad_input) for a number that is too large. Use checked() where such a number is not an error of the
  /// input.
  constexpr explicit Id(std::size_t value) : value_(static_cast<std::uint32_t>(value)) {
    if (value > kMost) [[unlikely]]
      throw_no_such_id(value);
  }
  /// Numbers of these types always fit.
  template <std::unsigned_integral Narrow>
  requires(sizeof(Narrow) <= sizeof(std::uint32_t)) constexpr explicit Id(Narrow value) : value_(value) {}
  /// The id of this number; nothing if the number is too large.
  [[nodiscard]] static constexpr std::optional<Id> checked(std::size_t value) {
    return value <= kMost ? std::optional(Id(value)) : std::nullopt;
  }

  /// The plain index, for arrays that are laid out by this id.
  [[nodiscard]] constexpr std::size_t index() const { return value_; }

  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  std::uint32_t value_ = 0;
};

using Rank = Id<struct RankTag>;        ///< position in a job (in MPI_COMM_WORLD unless said otherwise)
using Place = Id<struct PlaceTag>;      ///< position that can hold ranks
using VertexId = Id<struct VertexTag>;  ///< vertex of the host graph
using LinkId = Id<struct LinkTag>;      ///< one direction between two vertices

}  // namespace topowise

template <class Tag>
struct std::hash<topowise::Id<Tag>> {
  std::size_t operator()(topowise::Id<Tag> id) const noexcept { return id.index(); }
};
