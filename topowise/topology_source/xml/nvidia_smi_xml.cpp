// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/xml/nvidia_smi_xml.hpp>

#include <fmt/format.h>

#include <pugixml.hpp>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>
#include <topowise/topology_source/xml/located_xml.hpp>

namespace topowise {

bool is_nvidia_smi_xml(std::string_view head) {
  return head.find("<nvidia_smi_log") != std::string_view::npos;
}

GpuIdentities read_nvidia_smi_xml(const std::string& where, std::string_view text) {
  const LocatedXml xml(where, text);
  GpuIdentities identities;
  for (const pugi::xml_node& gpu : xml.root().children("gpu")) {
    const std::string_view id = gpu.attribute("id").value();
    GpuIdentities::Gpu found{PciAddress::parse(id), {}};
    if (!found.pci)
      throw Error(ExitStatus::bad_input,
                  {xml.at(gpu, fmt::format("'{}' is not a PCI bus id", printable(id.substr(0, 80))), {}, id)});
    const std::string_view uuid = gpu.child("uuid").text().get();
    if (uuid.starts_with("GPU-")) found.uuid = printable(uuid);
    identities.gpus.push_back(std::move(found));
    if (identities.gpus.size() > DeviceMatrix::kMost)
      throw Error(ExitStatus::bad_input,
                  {xml.at(gpu, fmt::format("more than {} GPUs in one machine", DeviceMatrix::kMost))});
  }
  if (identities.gpus.empty())
    throw Error(ExitStatus::bad_input, {xml.at(xml.root(), "there is no <gpu> in this file")});
  return identities;
}

}  // namespace topowise
