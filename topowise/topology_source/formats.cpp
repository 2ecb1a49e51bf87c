// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/formats.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/reading/line_prefix.hpp>
#include <topowise/reading/quoted_text.hpp>
#include <topowise/topology_source/fabric/infiniband.hpp>
#include <topowise/topology_source/foreign_input.hpp>
#include <topowise/topology_source/matrix/tables.hpp>
#include <topowise/topology_source/node/text_formats.hpp>
#include <topowise/topology_source/xml/nvidia_smi_xml.hpp>

namespace topowise {
namespace {

/// True for an object that no other reader of JSON claims.
bool is_json(std::string_view head) {
  return trim(head).starts_with('{') && !kRocmSmiFormat.recognises(head) && !kKubernetesFormat.recognises(head) &&
         !kFluxFormat.recognises(head) && !kPbsFormat.recognises(head);
}

/// A plain matrix comes last, because any numbers can be one.
const std::array kFormats{TopologyFormat{"json", "topowise's own description (topology --save)", is_json,
                                         topology_from_json, kLargestCluster},
                          kNcclXmlFormat,
                          kHwlocXmlFormat,
                          kNcclLogFormat,
                          kNvidiaSmiFormat,
                          kRocmSmiFormat,
                          kAmdSmiFormat,
                          kIbnetdiscoverFormat,
                          kSlurmFormat,
                          kKubernetesFormat,
                          kFluxFormat,
                          kPbsFormat,
                          kSlurmAddressFormat,
                          kLspciFormat,
                          kLstopoTextFormat,
                          kPairMatrixFormat};

/// The text without what was put around it.
std::string cleaned(std::string text) {
  return unquoted(without_line_prefix(std::move(text)));
}

/// True for `{"host": "n1", "topo": "\\tGPU0\\tGPU1\\n..."}`.
bool is_field_of_json(std::string_view head) {
  const std::string_view begin = trim(head);
  if (!begin.starts_with('{') && !begin.starts_with('[')) return false;
  return json_schema(head).empty() && head.find("\\n") != std::string_view::npos && !describes_machine(head) &&
         describes_machine(without_escapes(head));
}

std::optional<ForeignInput> foreign(std::string_view head) {
  if (is_field_of_json(head))
    return ForeignInput{"JSON that holds the description as a text in one of its fields",
                        "jq -r .FIELD FILE > text.txt, which is the description itself"};
  return foreign_input(head);
}

/// The format that claims the beginning of a text.
const TopologyFormat& claiming_format(std::string_view head, const std::string& where) {
  if (const std::optional<ForeignInput> other = foreign(head))
    throw wrong_input(where, fmt::format("this is {}", other->what), std::string(other->hint));
  if (const TopologyFormat* found = format_of(kFormats, head)) return *found;
  if (head.empty()) throw wrong_input(where, "the input is empty");
  if (std::string why = why_no_text(head); !why.empty()) throw wrong_input(where, std::move(why));
  throw wrong_input(where, fmt::format("format not recognised; known are {}", fmt::join(names_of(kFormats), ", ")),
                    "topowise topology FILE --format NAME forces one");
}

}  // namespace

std::span<const TopologyFormat> topology_formats() {
  return kFormats;
}

const TopologyFormat& topology_format(std::string_view name) {
  if (const TopologyFormat* found = format_named(kFormats, name)) return *found;
  throw unknown_format("topology format", name, names_of(kFormats));
}

bool describes_machine(std::string_view head) {
  if (json_schema(head) == "topowise.topology/1") return true;
  if (looks_like_forwarding(head) || looks_measured(head) || is_nvidia_smi_xml(head)) return true;
  const std::span<const TopologyFormat> plain = std::span(kFormats).subspan(1, kFormats.size() - 2);
  return format_of(plain, head) != nullptr;  // neither just any JSON nor just any matrix
}

const std::string& MachineFile::head() {
  if (!head_) head_ = cleaned(input_.text_head());
  return *head_;
}

const std::string& MachineFile::text(std::size_t limit) {
  if (!text_) text_ = cleaned(std::move(input_).text(limit));
  return *text_;
}

const TopologyFormat& format_of(MachineFile& file, std::string_view format) {
  const TopologyFormat& chosen = format.empty() ? claiming_format(file.head(), file.where()) : topology_format(format);
  // Also where the format is forced: devices, noise and binary files have bytes that no text has.
  if (std::string why = why_no_text(file.head()); !why.empty()) throw wrong_input(file.where(), std::move(why));
  return chosen;
}

Topology read_topology_text(const std::string& where, std::string_view text, std::string_view format) {
  const std::string plain = cleaned(std::string(text));
  const std::string_view head = std::string_view(plain).substr(0, Input::kHead);
  return (format.empty() ? claiming_format(head, where) : topology_format(format)).read(where, plain);
}

}  // namespace topowise
