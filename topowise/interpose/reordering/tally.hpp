// SPDX-License-Identifier: BSD-3-Clause
// What became of the calls that could reorder: counted in the process that computed, and said once a job.
#pragma once

#include <cstdint>
#include <string>

#include <topowise/interpose/base/feature.hpp>

namespace topowise::interpose::reordering {

enum class Outcome : std::uint8_t {
  moved,      ///< ranks were reordered; in a report, would be
  best,       ///< no better order was found, or one that gains too little
  contested,  ///< an order that costs less was not taken, because something else is lost by it
  unasked,    ///< the program passes reorder = false
  denied,     ///< by the user's lists
  known,      ///< of a library that is known to ignore its new ranks
  one_host,   ///< all processes share a host
  left,       ///< nothing to decide, or not by these processes alone: MPI made it as the program asks
  trouble,
};
inline constexpr std::size_t kOutcomes = 9;

/// Hop-bytes of the calls that were mapped: between places, as a rule hosts, and between the parts of each.
struct Costs {
  double before = 0;
  double after = 0;
  double inside_before = 0;
  double inside_after = 0;
  double fullest_before = 0;  ///< how far the fullest host is above its share of the loads; of several calls the most
  double fullest_after = 0;
};
/// "20.0 % less", "3.1 % more"
[[nodiscard]] std::string change_text(double before, double after);
/// "the fullest host has 50.0 % -> 0.0 % more than its share of the loads"; empty if loads are not known, or are equal
/// shares.
[[nodiscard]] std::string load_text(const Costs& costs);
/// "hop-bytes 8 -> 0, 100.0 % less; inside hosts 16 -> 8, 50.0 % less". A part that is 0 before is left out; empty if
/// both are. With loads, they follow.
[[nodiscard]] std::string gain_text(const Costs& costs);

/// What one process counted, or all. Sent as bytes.
struct Tally {
  std::int64_t calls[kOutcomes] = {};
  Costs costs;
  std::int64_t assumed = 0;  ///< calls with the outcome `moved` in which the weights of the edges are an assumption
  // In a report, of the calls with the outcome `unasked`: those in which --reorder=always would reorder ranks.
  std::int64_t by_always = 0;
  Costs costs_by_always;
  double seconds = 0;  ///< in these calls; for all processes, the longest of any of them
  // Entries of the user's lists that named a call: bits as in SiteNames::in().
  std::uint64_t only = 0;
  std::uint64_t except = 0;
  std::uint64_t include = 0;
};

/// The line at the end of a job that reordered MPI_COMM_WORLD, or did not.
[[nodiscard]] std::string world_summary(const Tally& tally);

/// The line at the end of other jobs. `mode`: as the user wrote it; `report`: nothing was changed; `who`: whose calls.
[[nodiscard]] std::string summary(const Tally& tally, const char* mode, bool report,
                                  const std::string& who = "the program");

/// The entries of a user's list that named no call, in one line; empty if there are none. `named`: as in
/// SiteNames::in().
[[nodiscard]] std::string idle_entries(const char* option, const char* list, std::uint64_t named);

void count(Outcome outcome) noexcept;
/// A call that was mapped. `assumed`: nobody knows what its edges weigh. `obeyed` is false in a report where only
/// --reorder=always would do it.
void count_mapped(Outcome outcome, const Costs& costs, bool assumed, bool obeyed) noexcept;
void count_time(double seconds) noexcept;
void count_entries(std::uint64_t only, std::uint64_t except, std::uint64_t include) noexcept;

/// All processes of MPI_COMM_WORLD are in one of these calls, so that all of them run with this library: at the end
/// they may wait for each other. Elsewhere part of the job may be another program, started without it.
void note_all_processes() noexcept;

/// Says a line on stderr, once however often it is called. Rank 0 says it at once; lines of other processes are printed
/// at the end of the job.
void say_once(const std::string& line) noexcept;

/// Prints the summary when MPI ends.
extern const Feature kReordering;

}  // namespace topowise::interpose::reordering
