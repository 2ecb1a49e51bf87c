// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/input/traffic_options.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>

#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/topology_source/formats.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/recorded/ends.hpp>
#include <topowise/traffic_source/source.hpp>

namespace topowise::cli {
namespace {

std::vector<std::string> model_names() {
  return names_of(collective::models(), {"auto"});
}

/// Prints a line every few seconds, on a terminal only; a small file is read before the first line. It counts bytes on
/// the disk, of which compressed traces have a tenth.
ReadProgress reading_progress(const Terminal& terminal) {
  if (::isatty(STDERR_FILENO) != 1) return {};
  constexpr std::size_t kStep = 64'000'000;
  constexpr std::size_t kPackedStep = 8'000'000;
  struct Told {
    std::string where;
    std::size_t done = 0;   ///< bytes read of that file
    std::size_t since = 0;  ///< bytes read of all files since the last line
  };
  const auto told = std::make_shared<Told>();
  return [told, &terminal](const std::string& where, std::size_t done, std::size_t size) {
    if (where != told->where) *told = {where, 0, told->since};
    told->since += done - told->done;
    told->done = done;
    const bool packed = lower(where).find(".gz") != std::string::npos;
    if (told->since < (packed ? kPackedStep : kStep)) return;
    told->since = 0;
    const std::string all = size > 0 ? " of " + to_string(Bytes(static_cast<double>(size))) : "";
    terminal.note(fmt::format("{}: {}{} read", printable(where), to_string(Bytes(static_cast<double>(done))), all));
  };
}

TrafficOptions reading_options(const Arguments& arguments, const Terminal& terminal, const std::string& format) {
  return {.format = format,
          .collectives = arguments.text("--collectives"),
          .memory = arguments.text("--memory"),
          .run = arguments.text("--run"),
          .progress = reading_progress(terminal),
          .is_machine = describes_machine};
}

}  // namespace

std::vector<Option> traffic_options(std::string_view group) {
  return {
      {.name = "--collectives",
       .value = "MODEL",
       .group = group,
       .help = "how recorded collectives become pairs; auto: MPI's by openmpi, NCCL's by its own",
       .fallback = "auto",
       .choices = model_names,
       .kind = "collective model"},
      {.name = "--memory",
       .value = "KIND",
       .group = group,
       .help = "which recorded buffers count, by one end or both",
       .fallback = "all",
       .choices = recorded::ends_names,
       .kind = "memory"},
      {"--run", "NAME", group,
       "which of several runs that were recorded into one profile, as 'slurm 7.1' or '7.1'; without it the one that "
       "began last"}};
}

Traffic traffic_of(const Arguments& arguments, const std::string& argument, const Terminal& terminal,
                   const std::string& format) {
  TrafficReading reading = read_traffic_with_warnings(argument, reading_options(arguments, terminal, format));
  for (const Diagnostic& warning : reading.warnings) terminal.warn(warning);
  return std::move(reading.traffic);
}

ExchangeReading exchange_of(const Arguments& arguments, const std::string& argument, const Terminal& terminal) {
  ExchangeReading reading = read_exchange(argument, reading_options(arguments, terminal, {}));
  for (const Diagnostic& warning : reading.warnings) terminal.warn(warning);
  return reading;
}

}  // namespace topowise::cli
