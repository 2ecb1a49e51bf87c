// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <topowise/base/descriptor.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/write_all.hpp>
#include <topowise/base/write_target.hpp>

namespace topowise {
namespace {

Error system_error(const std::string& path, std::string_view verb, int code) {
  return bad_input(fmt::format("cannot {} '{}': {}", verb, path, std::strerror(code)));
}

}  // namespace

std::string read_file(const std::string& path, std::size_t limit) {
  return Input(path).whole(limit);
}

std::string why_no_text(std::string_view head) {
  if (!head.empty() && head.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos)
    return "this holds nothing but blanks and line ends";
  const std::size_t zero = head.find('\0');
  return zero == std::string_view::npos ? std::string() : fmt::format("this is no text: byte {} is 0", zero);
}

std::string read_text(const std::string& path, std::size_t limit) {
  Input input(path);
  if (const std::string why = why_no_text(input.text_head()); !why.empty())
    throw bad_input(fmt::format("cannot read '{}': {}", input.where(), why));
  return std::move(input).text(limit);
}

std::string read_found_file(const std::string& path, std::size_t limit) {
  return Input::of_found_file(path).whole(limit);
}

std::string read_found_head(const std::string& path, std::size_t count) {
  return std::string(Input::of_found_file(path).head(count));
}

void write_file(const std::string& path, std::string_view content) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode)) throw system_error(path, "write", EISDIR);
    const Descriptor device = open_device_or_pipe(path);  // what cannot be replaced: /dev/stdout, /dev/null
    if (!write_all(device.number(), content)) throw system_error(path, "write", errno);
    return;
  }
  const WriteTarget target = write_target(path);
  Replacement file(target);
  if (file.descriptor() < 0 || !write_new(file.descriptor(), content) || !file.take_place())
    throw system_error(path, "write", errno);
}

}  // namespace topowise
