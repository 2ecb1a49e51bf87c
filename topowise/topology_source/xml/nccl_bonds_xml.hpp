// SPDX-License-Identifier: BSD-3-Clause
// The bonds of NCCL's XML: <nvlink>, <xgmi> and <c2c> below each <gpu>.
#pragma once

#include <cstddef>
#include <map>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/node/bonds.hpp>
#include <topowise/topology_source/node/link_rate.hpp>
#include <topowise/topology_source/xml/nccl_elements_xml.hpp>

namespace topowise {

struct NcclCpu {
  VertexId vertex;
  std::string_view host;
  Processor processor;
};

struct NcclGpu {
  pugi::xml_node element;  ///< <gpu>, or its <pci> if there is no <gpu>
  PciAddress pci;
  int device = 0;  ///< the attribute "dev"
  VertexId above;
  BytesPerSecond bandwidth;  ///< of its PCIe link
  std::size_t cpu = 0;
  std::string_view vendor;  ///< empty if not known
  VertexId vertex;
};

/// The bonds of all GPUs, whose vertices exist already, and how far they can be known.
class NcclBonds {
 public:
  /// Reads the bonds. Errors go to `errors`; ends that are no GPU of the file go to the warnings of `builder`. All
  /// arguments must outlive it.
  NcclBonds(const std::vector<NcclCpu>& cpus, const std::vector<NcclGpu>& gpus, NcclErrors& errors,
            TopologyBuilder& builder);

  /// Adds the links of the bonds, and those into the NVSwitches.
  void add_links();

  /// True if the file names no bond at all.
  [[nodiscard]] bool none_told() const { return bonds_.empty() && to_switches_.empty() && !far_ends_missing_; }
  [[nodiscard]] bool widths_are_known() const;

 private:
  void read(const NcclGpu& gpu);
  void read_nvlink(const NcclGpu& gpu, const pugi::xml_node& element);
  void read_xgmi(const NcclGpu& gpu, const pugi::xml_node& element);
  void read_c2c(const NcclGpu& gpu, const pugi::xml_node& element);
  void join_switches();

  [[nodiscard]] int count(const pugi::xml_node& element);
  /// The GPU of that bus id on the host of `gpu`; null if there is none.
  [[nodiscard]] const NcclGpu* peer_of(const NcclGpu& gpu, PciAddress pci) const;
  void warn_of_hidden_target(const NcclGpu& gpu, const pugi::xml_node& element);
  [[nodiscard]] std::string hidden_target(const NcclGpu& gpu, const pugi::xml_node& element) const;

  const std::vector<NcclCpu>& cpus_;
  const std::vector<NcclGpu>& gpus_;
  NcclErrors& errors_;
  TopologyBuilder& builder_;
  std::map<std::pair<std::string_view, PciAddress>, std::size_t> by_address_;  ///< by host: index in gpus_
  Bonds bonds_;
  std::map<std::size_t, int> to_switches_;  ///< index in gpus_ -> number of links into the NVSwitches
  bool far_ends_missing_ = false;           ///< bonds were left out because their other end is not in the file
};

}  // namespace topowise
