// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/call_site.hpp>

#include <doctest/doctest.h>

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

using namespace topowise::interpose::reordering;

namespace {

/// A function that is not exported: only the file's own symbol table has its name.
[[gnu::noinline]] CallSite call_from_here() {
  return {"MPI_Cart_create", __builtin_extract_return_addr(__builtin_return_address(0))};
}
[[gnu::noinline]] CallSite caller_without_exported_name() {
  const CallSite site = call_from_here();
  asm volatile("" : : "r"(site.address));  // prevents a tail call
  return site;
}

const SiteNames kNames{"MPI_Cart_create", "libpetscvec.so.3", "libpetscvec.so.3+0x1d3f", "VecScatterSetUp",
                       "VecScatterSetUp+0x2b"};

}  // namespace

TEST_CASE("a call site is named by file, address and function") {
  const SiteNames names = names_of(caller_without_exported_name());
  CHECK(names.file.find("interpose_test") != std::string::npos);
  CHECK(names.place.find(names.file + "+0x") == 0);
  CHECK(names.function == "(anonymous namespace)::caller_without_exported_name");
  CHECK(names.text() == names.place + " (" + names.place_in_function + ")");
}

TEST_CASE("an address that nothing is loaded at") {
  const SiteNames names = names_of({"MPI_Cart_create", nullptr});
  CHECK(names.text() == "an unknown place");
}

TEST_CASE("lists of call sites") {
  for (const char* list :
       {"MPI_Cart_create", "libpetsc*", "x,libpetscvec.so.3", "libpetscvec.so.3+0x1d3f", "VecScatter*",
        "VecScatterSetUp", "VecScatterSetUp+0x2b,", ",,MPI_Cart_????te", "x, MPI_Cart_create ", "\tVecScatter*\n, x"})
    CHECK_MESSAGE(kNames.in(list), list);
  for (const char* list : {"", ",", "MPI_Graph_create", "libpetsc", "Vec", "libpetscvec.so.3+0x1d3", "main", "[", "\\"})
    CHECK_MESSAGE(!kNames.in(list), list);
  CHECK(SiteNames{.mpi_function = "MPI_Cart_create", .file = "a", .place = "a+0x1"}.in("?"));
  CHECK(kNames.in(" , MPI_Graph_create, libpetsc* ,VecScatterSetUp") == 0b110);
  CHECK(entries_of(" a b ,, c") == std::vector<std::string>{"a b", "c"});
}

TEST_CASE("files that are no programs, or broken ones, have no names") {
  CHECK(!function_at("/nowhere", 0));
  CHECK(!function_at("/dev/null", 0));
  CHECK(!function_at("/proc/self/maps", 0));
  Dl_info library{};
  REQUIRE(::dladdr(reinterpret_cast<const void*>(&::getpid), &library) != 0);
  std::ifstream file_of_library(library.dli_fname, std::ios::binary);
  const std::vector<char> whole{std::istreambuf_iterator<char>(file_of_library), {}};
  REQUIRE(whole.size() > 1000);
  std::string path = "/tmp/topowise-elf-XXXXXX";
  const int file = ::mkstemp(path.data());
  REQUIRE(file >= 0);
  ::close(file);
  const auto look = [&] { static_cast<void>(function_at(path.c_str(), 0x1234)); };  // the test is only that it returns
  std::ofstream(path, std::ios::binary).write(whole.data(), static_cast<std::streamsize>(whole.size()));
  std::fstream copy(path, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t at, char byte) {
    copy.seekp(static_cast<std::streamoff>(at)).put(byte).flush();
    REQUIRE(copy.good());
  };
  for (std::size_t at = 4; at < 64; ++at) {  // every byte of the header
    put(at, '\xff');
    look();
    put(at, whole[at]);
  }
  for (const std::size_t length :
       {whole.size() - 100, whole.size() / 2, std::size_t{64}, std::size_t{63}, std::size_t{4}, std::size_t{1}}) {
    std::filesystem::resize_file(path, length);
    look();
  }
  std::remove(path.c_str());
}

TEST_CASE("libraries that ignore their new ranks, by their files, or by the functions of a static one") {
  const auto name = [](const char* call, const char* file, const char* function) {
    const KnownLibrary* row = known_library(call, file, function);
    return std::string(row == nullptr ? "" : row->name);
  };
  CHECK(name("MPI_Dist_graph_create_adjacent", "libpetsc_real.so.3.18", "") == "PETSc");
  CHECK(name("MPI_Dist_graph_create_adjacent", "app", "PetscSFGetDistComm_Neighbor") == "PETSc");
  CHECK(name("MPI_Dist_graph_create_adjacent", "app",
             "Nektar::MultiRegions::NeighborAllToAllV::NeighborAllToAllV(std::map<int, int> const&)") == "Nektar++");
  CHECK(name("MPI_Dist_graph_create", "libcosma.so.2", "") == "COSMA");
  CHECK(name("MPI_Dist_graph_create", "app", "cosma::communicator::add_topology") == "COSMA");
  CHECK(name("MPI_Dist_graph_create_adjacent", "app", "dolfinx::common::IndexMap::IndexMap") == "DOLFINx");
  CHECK(name("MPI_Dist_graph_create", "app", "std::vector<int, std::allocator<int> > dolfinx::graph::build<double>") ==
        "DOLFINx");
  CHECK(name("MPI_Dist_graph_create", "libpetsc.so", "").empty());
  CHECK(name("MPI_Cart_create", "libpetsc.so", "").empty());
  CHECK(name("MPI_Dist_graph_create_adjacent", "app", "setup").empty());
  for (const char* users :
       {"initNeighborAllToAllV", "Solver::initNeighborAllToAllV(int)", "NeighborAllToAllV", "solve(dolfinx::Mesh&)",
        "void solve<dolfinx::mesh::Mesh<double> >", "dolfinx::Mesh make<double>(int)", "use_dolfinx",
        "app::dolfinx::setup", "app::communicator::add_topology", "communicator_add_topology"}) {
    CAPTURE(users);
    CHECK(name("MPI_Dist_graph_create", "app", users).empty());
    CHECK(name("MPI_Dist_graph_create_adjacent", "app", users).empty());
  }
  CHECK(is_known_call("MPI_Dist_graph_create"));
  CHECK(!is_known_call("MPI_Cart_create"));
}
