// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/recorded/profile_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstring>

#include <topowise/base/plural.hpp>
#include <topowise/reading/matrix_reading.hpp>

namespace topowise::recorded {
namespace {

using profile::Segment;
using profile::SegmentKind;

template <class Struct>
Struct load(std::string_view text, std::size_t offset) {
  Struct result;
  std::memcpy(&result, text.data() + offset, sizeof(Struct));
  return result;
}

class FileReader {
 public:
  FileReader(const std::string& where, std::string_view text, std::vector<Diagnostic>& warnings, WithTrace with_trace)
      : where_(where), text_(text), warnings_(warnings), with_trace_(with_trace) {}

  /// Makes the reader read only the communicators.
  FileReader& only_communicators() {
    only_communicators_ = true;
    return *this;
  }

  File read() {
    file_.header = load<profile::Header>(text_, 0);
    std::size_t offset = file_.header.header_bytes;
    while (offset < text_.size()) {
      if (text_.size() - offset < sizeof(Segment)) {
        warn(offset, "the file is cut off");
        break;
      }
      const Segment segment = load<Segment>(text_, offset);
      if (segment.kind == SegmentKind::none) break;
      if (segment.bytes < sizeof(Segment) || segment.bytes % profile::kPage != 0) {
        warn(offset, fmt::format("a segment of {} bytes", segment.bytes));
        break;
      }
      const bool cut_off = segment.bytes > text_.size() - offset;
      if (cut_off) warn(offset, "the file is cut off");
      read_segment(segment, offset);
      if (cut_off) break;
      offset += segment.bytes;
    }
    if (unknown_ > 0)
      warnings_.push_back(
          {where_,
           {},
           fmt::format("{} of operations that this version does not know left out", counted(unknown_, "row")),
           {},
           "a newer version of topowise may know them"});
    return std::move(file_);
  }

 private:
  void warn(std::size_t offset, const std::string& what) {
    warnings_.push_back(
        {where_, {}, fmt::format("damaged at byte {}: {}; what stands before it is used", offset, what), {}, {}});
  }

  void read_segment(const Segment& segment, std::size_t offset) {
    if (only_communicators_ && segment.kind != SegmentKind::communicators) return;
    switch (segment.kind) {
      case SegmentKind::peers:
        return read_rows(segment, offset, file_.peers);
      case SegmentKind::collectives:
        return read_rows(segment, offset, file_.collectives);
      case SegmentKind::vectors:
        return read_rows(segment, offset, file_.vectors);
      case SegmentKind::groups:
        return read_groups(segment, offset);
      case SegmentKind::communicators:
        return read_rows(segment, offset, file_.communicators);
      case SegmentKind::communicator_calls:
        return read_rows(segment, offset, file_.communicator_calls);
      case SegmentKind::communicator_sends:
        return read_rows(segment, offset, file_.communicator_sends);
      case SegmentKind::trace:
        if (with_trace_ == WithTrace::yes) read_rows(segment, offset, file_.trace);
        return;
      default:
        return;  // kinds of rows of later versions are skipped
    }
  }

  /// Number of rows of the segment that lie inside both it and the file.
  std::size_t rows_present(const Segment& segment, std::size_t offset, std::size_t row_bytes) {
    const std::size_t begin = offset + sizeof(Segment);
    const std::size_t end =
        std::min<std::size_t>(text_.size(), offset + std::min<std::uint64_t>(segment.bytes, text_.size() - offset));
    const std::size_t room = (end - begin) / row_bytes;
    if (segment.used <= room) return segment.used;
    warn(offset, fmt::format("{} announced, but {} found", counted(segment.used, "row"), room));
    return room;
  }

  template <class Row>
  void read_rows(const Segment& segment, std::size_t offset, std::vector<Row>& rows) {
    if (segment.row_bytes != sizeof(Row))
      return warn(offset, fmt::format("rows of {} bytes are not known", segment.row_bytes));
    const std::size_t count = rows_present(segment, offset, sizeof(Row));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = offset + sizeof(Segment) + i * sizeof(Row);
      const Row row = load<Row>(text_, at);
      if (!is_known(row)) {
        ++unknown_;
        continue;
      }
      if (!is_possible(row)) return warn(at, "a row that cannot be");
      rows.push_back(row);
    }
  }

  /// False for an operation that only a later version knows. The other rows of the segment can be read.
  template <class Row>
  [[nodiscard]] static bool is_known(const Row& row) {
    if constexpr (requires { row.operation; })
      return static_cast<std::size_t>(row.operation) < profile::kOperationCount ||
             (std::same_as<Row, profile::TraceRow> && row.operation == profile::Operation::point_to_point);
    else if constexpr (requires { row.channel; })
      return row.channel <= profile::Channel::receive;
    else
      return true;
  }
  [[nodiscard]] bool is_rank(std::int32_t rank) const {
    return rank == profile::kOutside || (rank >= 0 && rank < file_.header.world_size);
  }
  [[nodiscard]] static bool is_memory(profile::Memory memory) { return memory <= profile::Memory::device; }
  [[nodiscard]] bool is_possible(const profile::PeerRow& row) const {
    const bool receive = row.channel == profile::Channel::receive;
    return (is_rank(row.peer) || (receive && row.peer == profile::kAnySource)) && is_memory(row.memory);
  }
  [[nodiscard]] static bool is_possible(const profile::CollectiveRow& row) { return is_memory(row.memory); }
  [[nodiscard]] bool is_possible(const profile::VectorRow& row) const {
    return is_rank(row.peer) && is_memory(row.memory);
  }
  /// True for a possible rank in a communicator of NCCL, which may have more members than the job has processes.
  [[nodiscard]] static bool is_member(std::int32_t rank) {
    return rank >= 0 && static_cast<std::size_t>(rank) < matrix::kMostRanks;
  }
  /// A communicator's row may hold more ranks than processes, because a process may drive several GPUs of its node.
  [[nodiscard]] bool is_possible(const profile::CommunicatorRow& row) const {
    constexpr std::int64_t kGpusOfProcess = 16;
    constexpr std::int64_t kGpusOfLoneProcess = 64;
    const std::int64_t world = file_.header.world_size;
    const auto most = world == 0 ? static_cast<std::int64_t>(matrix::kMostRanks)
                                 : std::max(kGpusOfLoneProcess, kGpusOfProcess * world);
    return row.rank >= 0 && row.rank < most && row.size >= 0 && row.size <= most &&
           (row.size == 0 || row.rank < row.size);
  }
  [[nodiscard]] static bool is_possible(const profile::CommunicatorCallRow& row) {
    return is_member(row.rank) && (row.root == profile::kNoRoot || is_member(row.root));
  }
  [[nodiscard]] static bool is_possible(const profile::CommunicatorSendRow& row) {
    return is_member(row.rank) && is_member(row.peer);
  }
  [[nodiscard]] bool is_possible(const profile::TraceRow& row) const {
    if (!is_memory(row.memory) || row.channel >= profile::Channel::receive) return false;
    return row.operation != profile::Operation::point_to_point || is_rank(row.peer) ||
           (row.group != 0 && is_member(row.peer));
  }

  void read_groups(const Segment& segment, std::size_t offset) {
    std::size_t at = offset + sizeof(Segment);
    const std::size_t end = at + rows_present(segment, offset, 1);
    while (end - at >= sizeof(profile::GroupRecord)) {
      const auto record = load<profile::GroupRecord>(text_, at);
      at += sizeof(profile::GroupRecord);
      const std::size_t runs = std::size_t{record.runs} + record.remote_runs;
      if (runs > (end - at) / sizeof(profile::Run)) return warn(at, "the list of a communicator's members is cut off");
      Group& group = file_.groups[record.key];
      group = {};
      for (std::size_t i = 0; i < runs; ++i, at += sizeof(profile::Run))
        (i < record.runs ? group.local : group.remote).push_back(load<profile::Run>(text_, at));
    }
  }

  const std::string& where_;
  std::string_view text_;
  std::vector<Diagnostic>& warnings_;
  WithTrace with_trace_;
  bool only_communicators_ = false;
  std::size_t unknown_ = 0;  ///< rows that only a later version knows
  File file_;
};

}  // namespace

bool is_without_mpi(const profile::Header& header) {
  return std::string_view(header.mpi, ::strnlen(header.mpi, sizeof(header.mpi))) == "none";
}

std::optional<profile::Header> read_header(std::string_view text, std::string& why_not) {
  constexpr std::string_view kMagic(profile::kMagic, sizeof(profile::kMagic));
  if (!text.starts_with(kMagic)) {
    why_not = "not a recorded profile";
    return std::nullopt;
  }
  if (text.size() < sizeof(profile::Header)) {
    why_not = "cut off in its header";
    return std::nullopt;
  }
  const auto header = load<profile::Header>(text, 0);
  const auto most = static_cast<std::int32_t>(matrix::kMostRanks);
  if (header.byte_order != profile::kByteOrder)
    why_not = "written on a machine with another byte order";
  else if (header.version != profile::kVersion)
    why_not = fmt::format("of version {}, only {} is known", header.version, profile::kVersion);
  else if (header.header_bytes < sizeof(profile::Header) || header.world_size < 0 || header.world_size > most ||
           header.rank < 0 || (header.world_size > 0 && header.rank >= header.world_size))
    why_not = fmt::format("damaged in its header: rank {} of {}", header.rank, header.world_size);
  else
    return header;
  return std::nullopt;
}

File read_file(const std::string& where, std::string_view text, std::vector<Diagnostic>& warnings,
               WithTrace with_trace) {
  return FileReader(where, text, warnings, with_trace).read();
}

std::vector<profile::CommunicatorRow> communicators_in(std::string_view text) {
  std::vector<Diagnostic> ignored;
  return FileReader({}, text, ignored, WithTrace::no).only_communicators().read().communicators;
}

std::vector<std::int32_t> members_of(const std::vector<profile::Run>& runs, std::size_t most) {
  std::vector<std::int32_t> members;
  for (const profile::Run& run : runs) {
    const bool outside = run.first == profile::kOutside && run.stride == 0;
    for (std::uint64_t i = 0; i < run.length; ++i) {
      const std::int64_t rank = outside ? profile::kOutside : run.first + static_cast<std::int64_t>(i) * run.stride;
      // Members of other jobs are not bounded by this job's size, so another limit holds.
      if (members.size() >= (outside ? matrix::kMostRanks : most) ||
          (!outside && (rank < 0 || rank >= static_cast<std::int64_t>(most))))
        throw bad_input(fmt::format("a recorded communicator has member {} among {} ranks", rank, most));
      members.push_back(static_cast<std::int32_t>(rank));
    }
  }
  return members;
}

}  // namespace topowise::recorded
