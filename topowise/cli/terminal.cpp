// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/terminal.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/base/write_all.hpp>

namespace topowise::cli {
namespace {

constexpr std::size_t kMostDiagnostics = 10;

/// Open MPI's launchers give the standard output of each process a terminal of its own and copy what is written there
/// to their own output, which may be a file.
bool is_a_launchers_terminal() {
  return std::getenv("OMPI_COMM_WORLD_RANK") != nullptr;
}

bool wants_colour(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && !is_a_launchers_terminal() && (no_colour == nullptr || *no_colour == '\0') &&
         term != nullptr && std::string_view(term) != "dumb";
}

std::size_t columns_of(int descriptor) {
  winsize size{};
  constexpr std::size_t kLeast = 40, kUsual = 100, kMost = 1000;
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= kLeast) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const std::optional<std::int64_t> number = columns == nullptr ? std::nullopt : parse_integer(columns);
  if (!number || *number <= 0) return kUsual;
  return std::clamp(static_cast<std::size_t>(*number), kLeast, kMost);
}

constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kPlain = "\033[0m";
constexpr std::string_view kYellow = "\033[1;33m";
constexpr std::string_view kRed = "\033[1;31m";

/// The length of one of the sequences above at the beginning of `text`; 0 if there is none.
std::size_t length_of_colour(std::string_view text) {
  for (const std::string_view colour : {kBold, kPlain, kYellow, kRed}) {
    if (text.starts_with(colour)) return colour.size();
  }
  return 0;
}

/// All text to both streams passes here: names of hosts and files come from outside, and none of their control
/// characters may reach a terminal. Colours and line ends stay.
std::string safe(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t escape = std::min(text.find('\033'), text.size());
    result += printable_lines(text.substr(0, escape));
    text.remove_prefix(escape);
    if (text.empty()) break;
    const std::size_t colour = length_of_colour(text);
    if (colour > 0)
      result += text.substr(0, colour);
    else
      result += printable(text.substr(0, 1));
    text.remove_prefix(std::max<std::size_t>(colour, 1));
  }
  return result;
}

/// Writes in one call, so that lines of several processes do not mix.
void write_error(std::string_view message) {
  static_cast<void>(write_all(STDERR_FILENO, safe(message) + '\n'));  // no stream is left to report a failure
}

}  // namespace

Terminal::Terminal()
    : colour_out_(wants_colour(STDOUT_FILENO)),
      colour_error_(wants_colour(STDERR_FILENO)),
      width_(columns_of(STDOUT_FILENO)) {}

std::string Terminal::begin_bold() const {
  return std::string(colour_out_ ? kBold : "");
}

std::string Terminal::end_bold() const {
  return std::string(colour_out_ ? kPlain : "");
}

std::string Terminal::bold(std::string_view text) const {
  return begin_bold() + printable(text) + end_bold();
}

void Terminal::note(std::string_view text) const {
  write_error(fmt::format("{}: {}", speaker_, printable(text)));
}

void Terminal::warn(std::string_view text) const {
  warn(Diagnostic{{}, {}, std::string(text), {}, {}});
}

void Terminal::warn(const Diagnostic& diagnostic) const {
  warnings_.push_back(diagnostic.what);
  const std::string severity = colour_error_ ? fmt::format("{}warning{}", kYellow, kPlain) : "warning";
  write_error(fmt::format("{}: {}", speaker_, diagnostic.render(severity)));
}

void Terminal::report(const Error& error) const {
  const std::string severity = colour_error_ ? fmt::format("{}error{}", kRed, kPlain) : "error";
  std::string text;
  const std::size_t count = error.diagnostics().size();
  for (std::size_t i = 0; i < std::min(count, kMostDiagnostics); ++i)
    text += fmt::format("{}{}: {}", i > 0 ? "\n" : "", speaker_, error.diagnostics()[i].render(severity));
  if (count > kMostDiagnostics) text += fmt::format("\n{}: {} errors in all", speaker_, count);
  write_error(text);
}

void Terminal::flush() {
  // A large result is written in blocks of whole lines, any other result in one call.
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  const std::string result = std::exchange(result_, {});
  std::string_view rest = result;
  while (!rest.empty()) {
    const std::size_t line = rest.size() > kBlock ? rest.find('\n', kBlock) : std::string_view::npos;
    const std::string_view block = rest.substr(0, line == std::string_view::npos ? line : line + 1);
    if (!write_all(STDOUT_FILENO, safe(block))) {
      if (errno == EPIPE) return;
      throw bad_input(fmt::format("cannot write the standard output: {}", std::strerror(errno)));
    }
    rest.remove_prefix(block.size());
  }
}

void occupy_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // Opened for the wrong direction on purpose: reading or writing still fails, as on a closed descriptor.
    ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void outlive_file_size_limit() {
  struct sigaction limit = {};
  sigaction(SIGXFSZ, nullptr, &limit);
  if (limit.sa_handler != SIG_DFL) return;
  limit.sa_handler = [](int /*signal*/) {};  // unlike SIG_IGN, a signal handler does not outlive exec
  sigaction(SIGXFSZ, &limit, nullptr);
}

}  // namespace topowise::cli
