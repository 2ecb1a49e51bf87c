// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where a number about a machine comes from, and how far it can be trusted.
#pragma once

#include <string>
#include <string_view>

#include <topowise/graph/gpu_vendor.hpp>

namespace topowise {

/// How its origin came to a number.
enum class Basis : unsigned char {
  stated,         ///< the origin states it and says no more; also where there is no number
  printed,        ///< a vendor's tool printed it of this machine
  nominal,        ///< the peak of the standard for this kind of link
  assumed,        ///< that of most machines, because nothing states this machine's
  constant,       ///< the same for every machine
  unknown_width,  ///< of a bond that counts as one link, because its width is not known
  nccl,           ///< the rate that NCCL counts on
  measured,       ///< published by somebody who measured such a machine
};

/// How far an origin is trusted about the bonds between GPUs, the least trusted first.
enum class Trust : unsigned char {
  placeholder,  ///< a constant for every machine, or bonds of unknown width
  wiring,       ///< says which GPUs are joined, with nominal rates but no widths: rocm-smi, a driver
  preset,       ///< the widths of a machine of this model
  stated,       ///< words of a user, which say no more than that it is so
  backend,      ///< widths that hwloc, NVML or NCCL computed from the driver's rates
  tool,         ///< widths that the vendor's tool or library printed of this machine
  measured,     ///< a measurement
};

/// A program, a library or a table that states numbers about machines.
struct Origin {
  std::string_view name;        ///< as JSON and terminal have it
  GpuVendor vendor{};           ///< whose GPUs alone it describes; unknown if it describes those of several
  Trust trust = Trust::stated;  ///< in its bonds
};

/// The origins of which more is known than the name.
namespace origin {
/// `nvidia-smi`.
inline constexpr Origin kNvidiaSmi{"nvidia-smi", GpuVendor::nvidia, Trust::tool};
/// NCCL's topology file.
inline constexpr Origin kNcclXml{"nccl-xml", GpuVendor::unknown, Trust::tool};
/// The log of NCCL.
inline constexpr Origin kNcclLog{"nccl-log", GpuVendor::unknown, Trust::backend};
/// hwloc's XML.
inline constexpr Origin kHwlocXml{"hwloc-xml", GpuVendor::unknown, Trust::backend};
/// NVIDIA's management library.
inline constexpr Origin kNvml{"nvml", GpuVendor::nvidia, Trust::backend};
/// CUDA's driver.
inline constexpr Origin kCuda{"cuda", GpuVendor::nvidia, Trust::wiring};
/// HIP's runtime.
inline constexpr Origin kHip{"hip", GpuVendor::amd, Trust::wiring};
/// `rocm-smi`.
inline constexpr Origin kRocmSmi{"rocm-smi", GpuVendor::amd, Trust::wiring};
/// `amd-smi`.
inline constexpr Origin kAmdSmi{"amd-smi", GpuVendor::amd, Trust::wiring};
/// A preset of this program.
inline constexpr Origin kPreset{"preset", GpuVendor::unknown, Trust::preset};
/// NVIDIA's program p2pBandwidthLatencyTest.
inline constexpr Origin kP2pTest{"measured:p2pBandwidthLatencyTest", GpuVendor::nvidia, Trust::measured};
/// NVIDIA's program, built for AMD's GPUs.
inline constexpr Origin kP2pTestByHip{"measured:p2pBandwidthLatencyTest (HIP)", GpuVendor::amd, Trust::measured};
/// NVIDIA's program nvbandwidth.
inline constexpr Origin kNvbandwidth{"measured:nvbandwidth", GpuVendor::nvidia, Trust::measured};
}  // namespace origin

/// Where a number comes from. JSON and terminal have it as text: "nvidia-smi (nominal)", "measured:probe",
/// "site survey 2026 by Ann".
class Provenance {
 public:
  /// Nothing is known; the text is empty.
  Provenance() = default;
  /// A number of a known origin.
  Provenance(const Origin& origin, Basis basis = Basis::stated);
  /// Reads the text that to_string() gives. Words that name no known origin are an origin of their own, which states
  /// its numbers.
  Provenance(std::string_view text);
  /// The same for a string.
  Provenance(const std::string& text) : Provenance(std::string_view(text)) {}
  /// The same for a literal.
  Provenance(const char* text) : Provenance(std::string_view(text)) {}

  /// The name without the basis; empty if nothing is known.
  [[nodiscard]] const std::string& origin() const { return origin_; }
  /// Whose GPUs alone the origin describes; unknown if that is not so.
  [[nodiscard]] GpuVendor vendor() const { return vendor_; }
  /// How the origin came to the number.
  [[nodiscard]] Basis basis() const { return basis_; }
  /// How far the origin is trusted about bonds.
  [[nodiscard]] Trust trust() const { return trust_; }
  /// True if the number is that of most machines and not known of this one.
  [[nodiscard]] bool is_assumed() const { return basis_ == Basis::assumed; }
  /// The same origin for a number of another basis.
  [[nodiscard]] Provenance with(Basis basis) const;
  /// The same for GPUs that a test driver only pretends to have: "cuda SIMULATED".
  [[nodiscard]] Provenance simulated() const;

  /// Equal in all that to_string() shows.
  friend bool operator==(const Provenance&, const Provenance&) = default;

 private:
  std::string origin_;
  GpuVendor vendor_{};
  Basis basis_ = Basis::stated;
  Trust trust_ = Trust::stated;
};

/// The text in JSON and on the terminal: the origin, with the basis behind it unless it is only stated.
[[nodiscard]] std::string to_string(const Provenance& provenance);

}  // namespace topowise
