// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mpi/library.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include <topowise/base/error.hpp>
#include <topowise/mpi/family.hpp>

using namespace topowise;
using namespace topowise::mpi;

namespace {

LauncherTraces traces(std::string launcher, std::vector<std::string> ancestors,
                      const std::map<std::string, std::string>& variables = {}) {
  return {std::move(launcher), std::move(ancestors), [variables](const std::string& name) {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
          }};
}

}  // namespace

TEST_CASE("the library beside the launcher comes before the one that the loader knows") {
  const auto names = library_names(traces("Open MPI", {"/bin/sh", "/opt/ompi/bin/prted"}));
  const auto at = [&](const char* name) { return std::ranges::find(names, name) - names.begin(); };
  CHECK(at("/opt/ompi/lib/libmpi.so.40") < at("libmpi.so.40"));
  CHECK(std::ranges::find(names, "libmpi.so.12") == names.end());  // belongs to another launcher
  const auto hydra = library_names(traces("hydra", {"/opt/intel/bin/hydra_pmi_proxy"}, {{"I_MPI_ROOT", "/opt/intel"}}));
  CHECK(hydra.front() == "/opt/intel/lib/libmpi.so.12");
  CHECK(std::ranges::count(hydra, "/opt/intel/lib/libmpi.so.12") == 1);
}

TEST_CASE("a launcher that starts programs of any library has all names") {
  const auto pmix = library_names(traces("Slurm", {}, {{"PMIX_NAMESPACE", "job.0"}}));
  const auto pmi2 = library_names(traces("Slurm", {}));
  CHECK(pmix.front() == "libmpi.so.40");
  CHECK(pmi2.front() == "libmpi.so.12");
  CHECK(std::ranges::is_permutation(pmix, pmi2));
}

TEST_CASE("what the user names is the only one") {
  const auto stated = traces("hydra", {"/opt/x/bin/hydra_pmi_proxy"}, {{"TOPOWISE_MPI_LIBRARY", "/no/libmpi.so"}});
  CHECK(library_names(stated) == std::vector<std::string>{"/no/libmpi.so"});
  CHECK_THROWS_AS((void)open_library(stated), Error);
}

TEST_CASE("families are recognised by their file and their objects") {
  const int object = 0;
  const auto nothing = [](const char*) -> const void* { return nullptr; };
  const auto something = [&](const char*) -> const void* { return &object; };
  CHECK(std::string(family_of("/x/libmpi_abi.so.1", something).name) == "standard");
  CHECK(std::string(family_of("/x/libmpi.so.40", something).name) == "openmpi");
  CHECK(family_of("/x/libmpi.so.40", something).type_byte == reinterpret_cast<Word>(&object));
  const Family mpich = family_of("/x/libmpi.so.12", nothing);
  CHECK(std::string(mpich.name) == "mpich");
  CHECK(mpich.handle(static_cast<Word>(0x7fffffff44000000)) == mpich.comm_world);
}
