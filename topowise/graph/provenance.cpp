// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/provenance.hpp>

#include <algorithm>
#include <array>

namespace topowise {
namespace {

constexpr std::string_view kMark = " SIMULATED";

/// By Basis: what follows the origin.
constexpr std::array<std::string_view, 8> kEndings{
    "", " (as printed)", " (nominal)", " (assumed)", " (constant)", " (width not known)", " (nccl)", " (measured)"};

constexpr std::array kOrigins{origin::kNvidiaSmi,  origin::kNcclXml, origin::kNcclLog, origin::kHwlocXml,
                              origin::kNvml,       origin::kCuda,    origin::kHip,     origin::kRocmSmi,
                              origin::kAmdSmi,     origin::kPreset,  origin::kP2pTest, origin::kP2pTestByHip,
                              origin::kNvbandwidth};

/// True for "measured", "measured:probe (GPU memory by cuda)", "measured by Ann".
bool is_measurement(std::string_view name) {
  constexpr std::string_view kWord = "measured";
  return name.starts_with(kWord) &&
         (name.size() == kWord.size() || name[kWord.size()] == ':' || name[kWord.size()] == ' ');
}

/// `name` may have the mark of simulated GPUs at its end.
Origin origin_of(std::string_view name) {
  std::string_view known = name;
  if (known.ends_with(kMark)) known.remove_suffix(kMark.size());
  const auto found = std::ranges::find(kOrigins, known, &Origin::name);
  if (found != kOrigins.end()) return {name, found->vendor, found->trust};
  return {name, GpuVendor::unknown, is_measurement(name) ? Trust::measured : Trust::stated};
}

/// What a basis makes of the trust in an origin.
Trust trust_by(Basis basis, Trust in_origin) {
  if (in_origin == Trust::measured) return in_origin;
  if (basis == Basis::constant || basis == Basis::unknown_width) return Trust::placeholder;
  const bool is_program = in_origin == Trust::wiring || in_origin == Trust::backend;
  return basis == Basis::printed && is_program ? Trust::tool : in_origin;
}

}  // namespace

Provenance::Provenance(const Origin& origin, Basis basis)
    : origin_(origin.name), vendor_(origin.vendor), basis_(basis), trust_(trust_by(basis, origin.trust)) {}

Provenance::Provenance(std::string_view text) {
  for (std::size_t basis = 1; basis < kEndings.size(); ++basis) {
    if (!text.ends_with(kEndings[basis])) continue;
    text.remove_suffix(kEndings[basis].size());
    basis_ = static_cast<Basis>(basis);
    break;
  }
  *this = Provenance(origin_of(text), basis_);
}

Provenance Provenance::with(Basis basis) const {
  return {origin_of(origin_), basis};
}

Provenance Provenance::simulated() const {
  Provenance marked = *this;
  marked.origin_ += kMark;
  return marked;
}

std::string to_string(const Provenance& provenance) {
  return provenance.origin() + std::string(kEndings[static_cast<std::size_t>(provenance.basis())]);
}

}  // namespace topowise
