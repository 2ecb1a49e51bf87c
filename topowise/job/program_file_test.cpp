// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/program_file.hpp>

#include <doctest/doctest.h>
#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <topowise/job/preload.hpp>
#include <topowise/job/process.hpp>
#include <topowise/job/start.hpp>

using namespace topowise;
using namespace topowise::job;

TEST_CASE("the loader of a program: glibc's, musl's or none") {
  const std::string path = std::filesystem::temp_directory_path() / ("topowise-elf-" + std::to_string(::getpid()));
  const auto with_part = [&](std::uint32_t type, const std::string& text) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_phoff = sizeof header;
    header.e_phnum = 1;
    header.e_phentsize = sizeof(Elf64_Phdr);
    Elf64_Phdr part{};
    part.p_type = type;
    part.p_offset = sizeof header + sizeof part;
    part.p_filesz = text.size() + 1;
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    file.write(reinterpret_cast<const char*>(&part), sizeof part);
    file << text << '\0';
    file.close();
    return program_file(path).loader;
  };
  CHECK(with_part(PT_INTERP, "/lib64/ld-linux-x86-64.so.2") == Loader::glibc);
  CHECK(with_part(PT_INTERP, "/lib/ld-musl-x86_64.so.1") == Loader::musl);
  CHECK(with_part(PT_INTERP, "/opt/musl/lib/ld-musl-aarch64.so.1") == Loader::musl);
  std::vector<std::string> notes;
  const Notices notices{[&](const std::string& line) { notes.push_back(line); }, [](const Diagnostic&) {}};
  const std::string others = environment("LD_PRELOAD").value_or("");
  set_variable("TOPOWISE_INTERPOSE", path);
  set_variable("TOPOWISE_PROFILE", "somewhere");
  preload_interpose_library();
  fit_preloading({"sh"}, {}, notices);
  CHECK(environment("LD_PRELOAD").value_or("").starts_with(path));
  fit_preloading({path}, {}, notices);
  CHECK(environment("LD_PRELOAD").value_or("") == others);
  CHECK(notes == std::vector<std::string>{"nothing will be recorded: '" + path +
                                          "' is linked against musl, so the recording library, which needs glibc, "
                                          "cannot be loaded into it"});
  const std::string script = path + ".script";
  const std::string second = path + ".second";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  std::ofstream(second) << "#! " + path;
  std::filesystem::permissions(second, std::filesystem::perms::owner_all);
  for (const std::string& line : {path + " -x\n", "/usr/bin/env A=1 -S " + path + " -u\n", second + "\n"}) {
    std::ofstream(script) << "#!" << line;
    CAPTURE(line);
    CHECK(program_file(script).loader == Loader::musl);
    CHECK(program_file(script).interpreter == path);
  }
  fit_preloading({script}, {}, notices);
  CHECK(notes.back() == "nothing will be recorded: '" + path + "', which runs '" + script +
                            "', is linked against musl, so the recording library, which needs glibc, cannot be loaded "
                            "into it");
  for (const std::string& line :
       {script, std::string("/bin/sh"), std::string(" "), std::string("env"), "env " + script}) {
    std::ofstream(script) << "#!" << line;
    CAPTURE(line);
    CHECK(program_file(script).loader == Loader::glibc);
  }
  std::filesystem::remove(script);
  std::filesystem::remove(second);
  for (const char* name : {"TOPOWISE_INTERPOSE", "TOPOWISE_PROFILE", "ASAN_OPTIONS"}) ::unsetenv(name);
  CHECK(with_part(PT_LOAD, "") == Loader::none);
  std::filesystem::resize_file(path, sizeof(Elf64_Ehdr));
  CHECK(program_file(path).loader == Loader::glibc);  // not known
  std::ofstream(path) << "#!/bin/sh\n";
  CHECK(program_file(path).loader == Loader::glibc);
  std::filesystem::remove(path);
  for (const std::string command : {path.c_str(), "sh", "no-such-command", "/", ""})
    CHECK(program_file(command).loader == Loader::glibc);
}

TEST_CASE("a command is a regular file by its path, or along PATH the first that may be executed") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("topowise-path-" + std::to_string(::getpid()));
  fs::create_directories(folder / "a" / "app");  // a folder is no program, though it may be entered
  fs::create_directories(folder / "b");
  fs::create_directories(folder / "c");
  std::ofstream(folder / "b" / "app");
  std::ofstream(folder / "c" / "app");
  fs::permissions(folder / "c" / "app", fs::perms::owner_all);
  const std::string path = fmt::format("{0}/a:{0}/b:{0}/c", folder.string());
  CHECK(file_of_command("app", path) == (folder / "c" / "app").string());
  CHECK_FALSE(file_of_command("app", (folder / "a").string()));
  CHECK_FALSE(file_of_command("other", path));
  CHECK_FALSE(file_of_command("", path));
  CHECK_FALSE(file_of_command((folder / "a" / "app").string(), path));
  CHECK(file_of_command((folder / "b" / "app").string(), path) == (folder / "b" / "app").string());
  const fs::path before = fs::current_path();
  fs::current_path(folder / "c");
  CHECK(file_of_command("app", "/nonexistent:") == "./app");
  fs::current_path(before);
  fs::remove_all(folder);
}

TEST_CASE("the libraries that a program asks for") {
  const std::vector<std::string> libraries = program_file("/proc/self/exe").libraries;
  CHECK(std::ranges::any_of(libraries, [](const std::string& name) { return name.starts_with("libstdc++.so"); }));
  CHECK(std::ranges::all_of(libraries, [](const std::string& name) { return name.find(".so") != std::string::npos; }));
  for (const char* name : {"libasan.so.8", "/usr/lib/libasan.so", "libclang_rt.asan-x86_64.so", "libclang_rt.asan.so"})
    CHECK(is_address_sanitizer(name));
  for (const char* name : {"libtsan.so.2", "libc.so.6", "libmyasan.so"}) CHECK_FALSE(is_address_sanitizer(name));
}
