// SPDX-License-Identifier: BSD-3-Clause
// Strong ids: a Rank cannot be passed where a Place is meant.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace topowise {

/// An index into one kind of thing. `Tag` only tells the kinds apart.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::size_t value) : value_(static_cast<std::uint32_t>(value)) {}

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
