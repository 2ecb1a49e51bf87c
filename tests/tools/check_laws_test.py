#!/usr/bin/env python3
"""check_laws.py finds each kind of breach, and nothing in a clean tree."""

import unittest

from tree_check import TreeCheck

FUNCTION = "int {name}() {{\n{body}  return 1;\n}}\n"
REGISTRY = """#include <topowise/mapper/construct/greedy.hpp>
#include <topowise/mapper/search/tabu.hpp>
constexpr std::array<Mapper, 2> kMappers{{
    {"greedy", map_greedy},
    {"tabu", map_tabu},
}};
"""
MEMBERS = {"topowise/mapper/registry.cpp": REGISTRY,
           "topowise/mapper/construct/greedy.hpp": "MapperAnswer map_greedy(const MapProblem& problem);\n",
           "topowise/mapper/search/tabu.hpp": "MapperAnswer map_tabu(const MapProblem& problem);\n"}
PAGE = """```
topowise/
  base/        layer 1
  graph/       layer 2
tests/
```
"""


class CheckLaws(TreeCheck):
    program = "check_laws.py"

    def assert_breach(self, files, text):
        """This one and no other."""
        self.assertEqual(len(super().assert_breach(files, text).splitlines()), 1)

    def test_clean_tree(self):
        self.assert_kept({"topowise/graph/a.cpp": "#include <topowise/base/id.hpp>\n#include <vector>\n"})

    def test_variable_that_help_does_not_name(self):
        reads = {"topowise/job/a.cpp": 'const char* a = getenv("TOPOWISE_NEW");\n'}
        self.assert_breach(reads, "topowise/job/a.cpp:1: TOPOWISE_NEW is missing in topowise/cli/topics.cpp")
        self.assert_kept({**reads, "topowise/cli/topics.cpp": '{"TOPOWISE_NEW", "what it does"},\n'})

    def test_format_that_was_not_tried(self):
        table = {"topowise/topology_source/fabric/a.cpp": 'const TopologyFormat kGoal{"goal"};\n'}
        page = "docs/formats/topology.md"
        head = "| `goal` | a fabric |\n\n## What was tried\n\n"
        large = {"tests/memory/texts.cpp": 'LargeText{"goal", text}\n'}
        self.assert_kept({**table, **large, page: f"{head}| `goal` | a file |\n"})
        self.assert_breach({**table, **large, page: f"{head}| `xml` | `goal` |\n"}, f"'goal' has no row in {page}, What was tried")
        self.assert_breach({**table, "tests/memory/texts.cpp": "\n", page: f"{head}| `goal` | a file |\n"},
                           "'goal' has no large text in tests/memory/texts.cpp")

    def test_name_that_its_page_does_not_tell(self):
        table = {"topowise/graph/objective.cpp": 'constexpr EnumNames<Objective, 2> kNames{{"mix",\n  "hop-bytes"}};\n'}
        page = "docs/concepts.md"
        self.assert_kept({**table, page: "`mix`, and\n```\nmap --objective hop-bytes\n```\n"})
        self.assert_kept({**table, page: "## mix\n\n    map --objective hop-bytes\n"})
        self.assert_breach({**table, page: "`mix` and in words hop-bytes\n"}, f"topowise/graph/objective.cpp:2: 'hop-bytes' is missing in {page}")
        self.assert_breach({**table, page: "`mix`, `hop-bytes-2`\n"}, "'hop-bytes' is missing")
        self.assert_breach({"topowise/graph/objective.cpp": "int a;\n", page: "`mix`\n"}, f"topowise/graph/objective.cpp: no names are found for {page}")

    def test_a_claim_that_no_row_explains(self):
        page = "docs/models/sentences.md"
        row = '| `proven optimal` | a search | `tests/cli/a.t` "the optimum" |\n'
        says = {page: row, "tests/cli/a.t": "the optimum\n", "topowise/cli/a.cpp": 'const char* a = "proven optimal";\n'}
        self.assert_kept(says)
        self.assert_breach({**says, "topowise/cli/b.cpp": 'const char* b = "no map"\n  "ping can help";\n'},
                           "topowise/cli/b.cpp: no row of docs/models/sentences.md says what 'no mapping can help' rests on")
        self.assert_breach({**says, "tests/cli/a.t": "the best\n"}, "sentences.md:1: there is no test 'the optimum' in tests/cli/a.t")
        self.assert_breach({**says, page: row.replace("proven", "surely")} | {"topowise/cli/a.cpp": 'const char* a = "nothing";\n'},
                           "sentences.md:1: the program does not print 'surely optimal'")

    def test_files_opened_directly(self):
        for call in ("::open(path, 0)", "open(path, O_RDONLY)", "::unlink(path)", "unlink(path)", "::rename(a, b)", "std::rename(a, b) != 0", "std::remove(a);",
                     "std::fopen(path, mode)", "::mkfifo(path, 0600)", "dlopen(path, RTLD_NOW)", "std::ofstream file(path)", "std::filesystem::remove_all(path)",
                     "fs::create_directory(path)", "::shm_open(path, 0, 0)", "::mkdirat(folder, path, 0700)", "mkdtemp(path)",
                     "execvp(words[0], words)", "::posix_spawn(a, b)", "::system(line)", "open(path,\n       O_RDONLY)", "::bind(socket, a, b)", "document.load_file(path)", "YAML::LoadFile(path)",
                     "std::system(line)", "std::remove(path.c_str());", "std::wofstream file(path)", "std::filebuf file", "::connect(socket, a, b)",
                     "::syscall(SYS_openat, folder, path)"):
            self.assert_breach({"topowise/job/a.cpp": f"void f() {{\n  {call};\n}}\n"}, "topowise/job/a.cpp:2: ")
        for other in ("folder.remove(name)", "machine.link(id)", "library->open(names)", "SharedLibrary::open(names)", "std::remove(a.begin(), a.end(), b)", "folder.rename(a, b)",
                      "std::remove_if(a.begin(), a.end(), b)", "open(false)", "reopen(path, O_RDONLY)", "::syscall(SYS_futex, word)", "line.connect(a)"):
            self.assert_kept({"topowise/job/a.cpp": f"void f() {{\n  {other};\n}}\n"})
        for call in ("open(path)", "os.replace(a, b)", "subprocess.run(words)", "path.write_text(text)", "tempfile.mkdtemp()", "ctypes.CDLL(name)"):
            self.assert_breach({"python/topowise/_a.py": f'"""A module."""\nx = {call}\n'}, "python/topowise/_a.py:2: ")
        self.assert_breach({"topowise/job/a.cpp": "#include <fmt/os.h>\nauto a = fmt::output_file(path);\n"}, "topowise/job/a.cpp:2: output_file directly")
        libraries = "void* a = dlopen(name, 0);\n"
        self.assert_kept({"topowise/mpi/mpi_team.cpp": libraries})
        self.assert_breach({"topowise/mpi/mpi_team.cpp": libraries + "int b = ::unlink(name);\n"}, "topowise/mpi/mpi_team.cpp:2: unlink directly")
        self.assert_breach({"topowise/mpi/mpi_team.cpp": "\n"}, "topowise/mpi/mpi_team.cpp:1: it may call dlopen by tools/laws/files.py, and does not")
        self.assert_kept({"python/topowise/_a.py": '"""As open() does."""\nx = file.open(a)  # open(a)\n', "python/tests/a_test.py": "open(a)\n"})
        self.assert_kept({"topowise/job/a_test.cpp": "std::ofstream file(path);\n", "topowise/base/private_folder.cpp": "int f = ::openat(a, b, c);\n"})

    def test_higher_layer(self):
        self.assert_breach({"topowise/base/a.cpp": "#include <topowise/graph/topology.hpp>\n"},
                           "topowise/base/a.cpp:1: 'base' must not include 'graph'")

    def test_other_folder_of_the_same_layer(self):
        self.assert_breach({"topowise/mapper/a.cpp": "\n#include <topowise/report/page.hpp>\n"}, "mapper/a.cpp:2:")

    def test_code_of_the_tests(self):
        include = "#include <tests/fixtures/machines.hpp>\n"
        self.assert_breach({"topowise/graph/a.cpp": "\n" + include}, "topowise/graph/a.cpp:2: <tests/fixtures/machines.hpp> is for tests")
        self.assert_kept({"topowise/graph/a_test.cpp": include})

    def test_unknown_folder(self):
        self.assert_breach({"topowise/new/a.cpp": "\n"}, "topowise/new/a.cpp: the folder is on no layer")

    def test_higher_subfolder(self):
        self.assert_breach({"topowise/mapper/problem/a.cpp": "#include <topowise/mapper/search/b.hpp>\n"},
                           "topowise/mapper/problem/a.cpp:1: 'mapper/problem' must not include 'mapper/search'")

    def test_a_call_of_what_is_not_included(self):
        header = {"topowise/graph/b.hpp": "#include <topowise/graph/c.hpp>\n", "topowise/graph/c.hpp": "[[nodiscard]] std::vector<int> all_ones(int n);\n"}
        call = "int f() {\n  return all_ones(2).size();\n}\n"
        self.assert_breach({**header, "topowise/graph/a.cpp": call}, "topowise/graph/a.cpp:2: includes nothing that declares all_ones(), as "
                                                                     "topowise/graph/c.hpp does")
        for other in ("ok && all_ones(2)", "2 * all_ones(2)", "not all_ones(2)", "all_ones<int>(2)"):
            self.assert_breach({**header, "topowise/graph/a.cpp": f"int f() {{\n  return {other};\n}}\n"}, "declares all_ones()")
        self.assert_kept({**header, "topowise/graph/a.cpp": "#include <topowise/graph/b.hpp>\n" + call})
        for own in ("const auto all_ones = [] {};\n", "const auto [one, all_ones] = two();\n", "void f(int one, const F& all_ones);\n", "int all_ones(int n) {\n  return n;\n}\n"):
            self.assert_kept({**header, "topowise/graph/a.cpp": own + call})
        self.assert_kept({**header, "topowise/graph/a.cpp": "int f() {\n  return std::all_ones(one.all_ones(2));\n}\n"})

    def test_fmt_that_is_not_included(self):
        use = "std::string f() {\n  return fmt::format(2);\n}\n"
        self.assert_breach({"topowise/graph/a.cpp": use}, "topowise/graph/a.cpp: includes nothing of fmt")
        self.assert_kept({"topowise/graph/a.cpp": "#include <fmt/format.h>\n" + use})

    def test_subfolder_and_the_files_above_it(self):
        self.assert_breach({"topowise/mapper/problem/a.cpp": "#include <topowise/mapper/registry.hpp>\n"},
                           "'mapper/problem' must not include 'mapper'")
        self.assert_kept({"topowise/mapper/course.cpp": "#include <topowise/mapper/problem/a.hpp>\n"})

    def test_subfolders_beside_each_other(self):
        self.assert_breach({"topowise/topology_source/smi/a.cpp": "#include <topowise/topology_source/xml/b.hpp>\n"},
                           "'topology_source/smi' must not include 'topology_source/xml'")

    def test_a_subfolder_whose_order_is_not_said(self):
        for folder in ("launch/deep", "mapper/strange", "mapper/search/deep", "topology_source/synthetic/presets/deep"):
            self.assert_breach({f"topowise/{folder}/a.cpp": "\n"}, f"topowise/{folder}: the order of subfolders")

    def test_folders_below_subfolders(self):
        self.assert_breach({"topowise/topology_source/synthetic/presets/a.cpp": "#include <topowise/topology_source/synthetic/tree.hpp>\n"},
                           "presets/a.cpp:1: 'topology_source/synthetic/presets' must not include 'topology_source/synthetic'")
        self.assert_kept({"topowise/topology_source/synthetic/tree.cpp": "#include <topowise/topology_source/synthetic/presets/a.hpp>\n"})

    def test_circle_of_three(self):
        self.assert_breach({"topowise/base/a.hpp": "#include <topowise/base/b.hpp>\n",
                            "topowise/base/b.cpp": "#include <topowise/base/c.hpp>\n",
                            "topowise/base/c.hpp": "#include <topowise/base/a.hpp>\n"},
                           "in a circle: topowise/base/a, topowise/base/b, topowise/base/c")

    def test_members_of_a_family_are_read_from_its_table(self):
        self.assert_kept(MEMBERS)
        self.assert_breach({**MEMBERS, "topowise/mapper/search/tabu.cpp": "#include <topowise/mapper/construct/greedy.hpp>\n"},
                           "search/tabu.cpp:1: a member of its family must not include another, 'topowise/mapper/construct/greedy'")
        self.assert_kept({**MEMBERS, "topowise/mapper/construct/greedy.cpp": "#include <topowise/mapper/construct/greedy.hpp>\n",
                          "topowise/mapper/search/tabu_test.cpp": "#include <topowise/mapper/construct/greedy.hpp>\n"})

    def test_a_stranger_that_includes_a_member(self):
        for stranger in ("topowise/mapper/search/memory.cpp", "topowise/mapper/course.cpp", "topowise/cli/verb/map.cpp"):
            self.assert_breach({**MEMBERS, stranger: "#include <topowise/mapper/search/tabu.hpp>\n"},
                               f"{stranger}:1: only the table topowise/mapper/registry.cpp may include 'topowise/mapper/search/tabu'")

    def test_a_file_that_may_include_a_member(self):
        table = {"topowise/device/table.cpp": "#include <topowise/device/cuda.hpp>\n#include <topowise/device/hip.hpp>\nconst Driver* const table[] = {cuda(), hip()};\nvoid* a = dlopen(name, 0);\n",
                 "topowise/device/cuda.hpp": "Driver* cuda();\n", "topowise/device/hip.hpp": "Driver* hip();\n"}
        stranger = "#include <topowise/device/cuda.hpp>\n"
        self.assert_kept({**table, "topowise/topology_source/live/live.cpp": stranger})
        self.assert_breach({**table, "topowise/topology_source/live/gpus.cpp": stranger}, "only the table topowise/device/table.cpp may include")

    def test_members_that_share_a_header(self):
        shared = {**MEMBERS, "topowise/mapper/construct/greedy.hpp": "MapperAnswer map_greedy(int x);\nMapperAnswer map_other(int x);\n",
                  "topowise/mapper/registry.cpp": REGISTRY.replace("map_greedy}", "map_greedy}, {map_other}")}
        own = "#include <topowise/mapper/construct/greedy.hpp>\nMapperAnswer map_other(int x) {\n  return {};\n}\n"
        self.assert_kept({**shared, "topowise/mapper/construct/other.cpp": own})

    def test_formats_of_traffic(self):
        table = {"topowise/traffic_source/formats.cpp": "constexpr std::array kFormats{\n  Format{\"csv\", read_csv},\n  Format{\"npy\", read_npy},\n};\n",
                 "topowise/traffic_source/matrix/matrix_file.hpp": "Traffic read_csv(int text);\nTraffic read_npy(int text);\n",
                 "topowise/traffic_source/matrix/csv.cpp": "Traffic read_csv(int text) {\n  return {};\n}\n"}
        self.assert_kept(table)
        self.assert_breach({**table, "topowise/traffic_source/matrix/npy.cpp": "#include <topowise/traffic_source/matrix/matrix_file.hpp>\nTraffic read_npy(int text) {\n  return read_csv(text);\n}\n"},
                           "matrix/npy.cpp:3: only the table of its family may use 'read_csv'")
        stranger = "#include <topowise/traffic_source/matrix/matrix_file.hpp>\nint f() {\n  return read_csv(1);\n}\n"
        self.assert_breach({**table, "topowise/cli/verb/map.cpp": stranger}, "verb/map.cpp:3: only the table of its family may use 'read_csv'")

    def test_presets(self):
        folder = "topowise/topology_source/synthetic"
        header = f"#include <{folder}/presets/groups.hpp>\n"
        table = {f"{folder}/preset.cpp": header + "void f() {\n  for (const auto group : {preset_group::trees(), preset_group::servers()}) g();\n}\n",
                 f"{folder}/presets/groups.hpp": "Presets trees();\nPresets servers();\n",
                 f"{folder}/presets/trees.cpp": "Presets trees() {\n  return {};\n}\n"}
        self.assert_kept(table)
        self.assert_breach({**table, f"{folder}/presets/servers.cpp": header + "Presets servers() {\n  return trees();\n}\n"},
                           "presets/servers.cpp:3: only the table of its family may use 'trees'")

    def test_a_table_without_members(self):
        self.assert_breach({"topowise/mapper/registry.cpp": "constexpr int kMappers = 0;\n"}, "no members are found")

    def test_third_party(self):
        self.assert_breach({"topowise/graph/a.cpp": "#include <nlohmann/json.hpp>\n",
                            "topowise/graph/json/parse.cpp": "#include <nlohmann/json.hpp>\n"}, "graph/a.cpp:1: <nlohmann/json.hpp>")

    def test_a_header_of_no_table(self):
        self.assert_breach({"topowise/graph/a.cpp": "#include <boost/graph/graph.hpp>\n"}, "is in no table")
        self.assert_breach({"topowise/predict/a.cpp": "#include <Eigen/Dense>\n"}, "is in no table")
        self.assert_kept({"topowise/base/a.cpp": "#include <sys/stat.h>\n#include <vector>\n#include <fmt/format.h>\n"})
        self.assert_breach({"topowise/graph/a.cpp": "#include <doctest/doctest.h>\n"}, "belongs only into")

    def test_code_that_the_laws_would_not_see(self):
        self.assert_breach({"topowise/base/a.cpp": "#define HEADER <topowise/mapper/mapper.hpp>\n#include HEADER\n"},
                           "base/a.cpp:2: a macro names the header")
        self.assert_breach({"topowise/base/a.cc": "\n", "topowise/base/b.cpp": "\n"}, "base/a.cc: source files end in .cpp")

    def test_a_relative_include(self):
        self.assert_breach({"topowise/base/a.cpp": '#include "../mapper/mapper.hpp"\n'}, "whole path in angle brackets")

    def test_ways_to_include_that_hide_the_header(self):
        self.assert_breach({"topowise/base/a.cpp": "#include <topowise/base/../cli/help.hpp>\n"}, "base/a.cpp:1: <topowise/base/../cli/help.hpp>: a path has no '..'")
        for begin in ("/* why */ ", "/* why\n  so */ ", "# /* why */ "):
            line = begin.count("\n") + 1
            code = begin + ("" if begin.startswith("#") else "#") + "include <topowise/cli/help.hpp>\n"
            self.assert_breach({"topowise/base/a.cpp": code}, f"base/a.cpp:{line}: 'base' must not include 'cli'")
        self.assert_breach({"topowise/base/a.cpp": '#include "topowise/base/b.hpp"  // why\n'}, "whole path in angle brackets")
        self.assert_breach({"topowise/base/a.cpp": "%:include <topowise/cli/help.hpp>\n"}, "base/a.cpp:1: a macro names the header")
        self.assert_breach({"topowise/base/a.cpp": "/* why */ #ifdef A\n#endif\n"}, "a.cpp:1: a condition of the preprocessor")
        self.assert_kept({"topowise/base/a.cpp": "// #include <topowise/cli/help.hpp>\n/*\n#include <topowise/cli/help.hpp>\n*/\n"
                                                 'const char* a = R"(\n#include <topowise/cli/help.hpp>\n)";\n'})

    def test_members_without_headers(self):
        table = {"topowise/launch/launcher.cpp": "constexpr std::array<Launcher, 2> kLaunchers{{\n  {one_file},\n  {other_file},\n}};\n",
                 "topowise/launch/launchers.hpp": "std::string one_file();\nstd::string other_file();\n",
                 "topowise/launch/one.cpp": "std::string one_file() {\n  return {};\n}\n"}
        self.assert_kept(table)
        self.assert_breach({**table, "topowise/launch/other.cpp": "#include <topowise/launch/launchers.hpp>\nstd::string other_file() {\n  return one_file();\n}\n"},
                           "launch/other.cpp:3: only the table of its family may use 'one_file'")

    def test_conditions_of_the_preprocessor(self):
        self.assert_breach({"topowise/graph/a.cpp": "#ifdef __APPLE__\nint a;\n#endif\n"}, "a.cpp:1: a condition of the preprocessor")

    def test_what_the_preloaded_library_never_does(self):
        for code, does in {"throw Error();": "throws", "throw;": "throws", "throw (1);": "throws",
                           "std::rethrow_exception(error);": "throws", "__builtin_trap();": "ends the process", "::kill(getpid(), 9);": "ends the process",
                           "assert(ready);": "ends the process", "::dprintf(1, text);": "writes to stdout", "std::exit(1);": "ends the process", "std::raise(SIGKILL);": "ends the process",
                           'printf("x");': "writes to stdout", 'fmt::print("x");': "writes to stdout",
                           "::write(1, text, 3);": "writes to stdout"}.items():
            self.assert_breach({"topowise/interpose/a.cpp": f"#include <fmt/format.h>\nvoid f() {{\n  {code}\n}}\n"}, f"a.cpp:3: the preloaded library {does}")
        self.assert_kept({"topowise/interpose/a.cpp": '#include <fmt/format.h>\nvoid f() {\n  fmt::print(stderr, "x");\n  file.write(1);\n  ::write(10, text, 3);\n  new (std::nothrow) A;\n  static_assert(true);\n}\n'})
        self.assert_kept({"topowise/interpose/base/handle_table.hpp": "void f() {\n  throw;\n}\n"})
        self.assert_breach({"topowise/interpose/base/handle_table.hpp": "void f() {\n  throw Error();\n}\n"}, "throws")
        self.assert_breach({"topowise/interpose/a.cpp": "void f(int a) {\n  if (a > 1'000) throw 1;\n  if (a > 2'000) return;\n}\n"}, "a.cpp:2: the preloaded library throws")
        self.assert_kept({"topowise/interpose/a.cpp": "void f() {\n  at_exit(1);\n  mpi.abort(1);\n}\n",
                          "topowise/cli/a.cpp": "void f() {\n  throw Error();\n}\n"})

    def test_code_of_lower_layers_in_the_preloaded_library(self):
        build = {"topowise/interpose/CMakeLists.txt": "list(APPEND sources ${PROJECT_SOURCE_DIR}/topowise/job/process.cpp)\n"}
        for name in ("topowise/job/process.cpp", "topowise/job/process.hpp"):
            self.assert_breach({**build, name: "void f() {\n  throw 1;\n}\n"}, f"{name}:2: the preloaded library throws")
        self.assert_kept({**build, "topowise/job/other.cpp": "void f() {\n  throw 1;\n}\n"})

    def test_what_only_computes(self):
        for name in ("topowise/reading/a.hpp", "topowise/device/a.hpp"):
            self.assert_breach({name: "\n", "topowise/predict/a.cpp": f"#include <{name}>\n"}, f"'predict' only computes: it must not include <{name}>")
        self.assert_breach({"topowise/predict/a.cpp": "#include <fstream>\n"}, "predict/a.cpp:1: 'predict' only computes: it must not include <fstream>")
        self.assert_breach({"topowise/schedule/a.cpp": 'const char* a = std::getenv("HOME");\n'}, "a.cpp:1: 'schedule' only computes: it must not call 'getenv'")
        self.assert_breach({"topowise/graph/a.cpp": "#include <sys/time.h>\n"}, "'graph' only computes: it must not include <sys/time.h>")
        for code, name in {"auto a = std::chrono::steady_clock::now();": "std::chrono", "std::ifstream file(path);": "ifstream", "std::cin >> a;": "std::cin",
                           "std::random_device draw;": "random_device"}.items():
            self.assert_breach({"topowise/predict/a.cpp": f"void f() {{\n  {code}\n}}\n"}, f"a.cpp:2: 'predict' only computes: it must not use '{name}'")
        self.assert_breach({"topowise/predict/a.cpp": "int a = ::gettimeofday(&b, nullptr);\n"}, "it must not call 'gettimeofday'")
        self.assert_kept({"topowise/predict/a.cpp": "double a = alone.time(1) + transfer_time(2) + model->clock();  // getenv()\n",
                          "topowise/probe/b.cpp": "#include <chrono>\n"})

    def test_long_file(self):
        self.assert_breach({"topowise/base/a.cpp": "\n" * 701, "topowise/base/b.cpp": "\n", "topowise/base/c.cpp": "\n"},
                           "a.cpp: 701 lines")

    def test_long_median(self):
        self.assert_breach({"topowise/base/a.cpp": "\n" * 151}, "the median file has 151 lines")

    def test_long_function(self):
        short = "".join(FUNCTION.format(name=f"f{i}", body="") for i in range(30))
        long = FUNCTION.format(name="long_one", body="  work();\n" * 79)
        self.assert_breach({"topowise/base/a.cpp": "// one\n" + long, "topowise/base/b.cpp": short, "topowise/base/c.cpp": "\n"},
                           "a.cpp:2: a function of 82 lines")

    def test_functions_of_classes_and_those_with_braces_in_literals(self):
        member = "struct A {\n  int f() const {\n" + "    work('{', \"}\");  // }\n" * 79 + "  }\n};\n"
        short = "".join(FUNCTION.format(name=f"f{i}", body="") for i in range(30))
        self.assert_breach({"topowise/base/a.hpp": member, "topowise/base/b.cpp": short, "topowise/base/c.cpp": "\n"},
                           "a.hpp:2: a function of 81 lines")

    def test_functions_that_begin_like_something_else(self):
        short = {"topowise/base/b.cpp": "".join(FUNCTION.format(name=f"f{i}", body="") for i in range(30)), "topowise/base/c.cpp": "\n"}
        body = "  work();\n" * 79 + "}\n"
        for head in ['extern "C" int f(int x) {', "template <class T>\nT f(T x) {", "template <class T, std::vector<T> V>\nT f(T x) {",
                     "const auto f = [] {"]:
            self.assert_breach({"topowise/base/a.cpp": f"{head}\n{body}", **short}, "a.cpp:1: a function of")
        for initialisers in ["x{y}", "x{y}, z(y)", "z(y), x{std::move(y)}", "std::vector<int>{y}"]:
            self.assert_breach({"topowise/base/a.cpp": f"struct A {{\n  A(int y) : {initialisers} {{\n{body}  int x;\n}};\n", **short},
                               "a.cpp:2: a function of 81 lines")

    def test_a_long_macro(self):
        macro = "#define ALL(name) \\\n" + "  work(name); \\\n" * 39
        self.assert_kept({"topowise/base/a.cpp": "\n", "topowise/base/b.cpp": "\n", "topowise/base/c.hpp": macro[:-2] + "\n"})
        self.assert_breach({"topowise/base/a.cpp": "// why\n" + macro + "  done()\n"}, "topowise/base/a.cpp:2: a macro of 41 lines, at most 40")

    def test_many_functions_of_middle_length(self):
        self.assert_breach({"topowise/base/a.cpp": FUNCTION.format(name="f", body="  work();\n" * 40)},
                           "1 of 1 functions are longer than 40 lines")

    def test_a_body_that_occurs_twice(self):
        body = "".join(f"  step{i}();\n" for i in range(6))
        self.assert_breach({"topowise/base/a.cpp": FUNCTION.format(name="f", body=body),
                            "topowise/base/b.cpp": FUNCTION.format(name="g", body=body)},
                           "topowise/base/a.cpp:1: the same body is in topowise/base/b.cpp:1")

    def test_a_type_name_with_two_meanings(self):
        one = "namespace topowise {\nstruct Result {\n  int value;\n};\n}\n"
        other = "namespace topowise {\nstruct Result {\n  double value;\n};\n}\n"
        self.assert_breach({"topowise/mapper/a.hpp": one, "topowise/schedule/b.hpp": other},
                           "topowise/mapper/a.hpp:2: the type 'topowise::Result' means something else")
        self.assert_breach({"topowise/mapper/a.cpp": one, "topowise/schedule/b.cpp": other},
                           "topowise/mapper/a.cpp:2: the type 'topowise::Result' means something else")
        for one_line, lines in (("using Part = int;", "struct Part {\n  int value;\n};"), ("struct Part { int a; };", "struct Part { double b; };")):
            self.assert_breach({"topowise/mapper/a.hpp": f"namespace topowise {{\n{one_line}\n}}\n", "topowise/report/b.hpp": f"namespace topowise {{\n{lines}\n}}\n"},
                               "the type 'topowise::Part' means something else")
        hidden = "namespace topowise {\nnamespace {\n\nstruct Result {\n  double value;\n};\n\n}  // namespace\n}\n"
        self.assert_kept({"topowise/mapper/a.cpp": one, "topowise/schedule/b.cpp": hidden})

    def test_words(self):
        self.assert_breach({"topowise/base/a.cpp": "// sent by the crew\n"}, "a.cpp:1: 'crew': say 'ranks'")
        self.assert_breach({"topowise/base/a.cpp": "int thermal_walk;\n"}, "say 'annealing at constant temperature'")
        self.assert_breach({"topowise/base/a.cpp": "int ThermalWalk;\n"}, "say 'annealing at constant temperature'")
        self.assert_kept({"topowise/base/a.cpp": "// the error handler of MPI_Comm_call_errhandler\n",
                          "docs/" + "decisions/multilevel.md": "funnels\n"})
        self.assert_breach({"README.md": "The crew goes on.\n"}, "README.md:1: 'crew'")
        self.assert_breach({"tests/mpi/programs/a.c": "/* muster all */\n"}, "a.c:1: 'muster'")
        for name in ("python/topowise/a.py", "spack/packages/topowise/package.py", ".github/workflows/a.yml", "tests/mpi/programs/a.F90", "topowise/device/a.cu"):
            self.assert_breach({name: "! the crew\n"}, f"{name}:1: 'crew'")
        self.assert_breach({"topowise/base/file_util.cpp": "\n"}, "the file is named 'util'")
        self.assert_breach({"topowise/base/a.cpp": "struct RankInfo {};\n"}, "a.cpp:1: 'struct RankInfo'")
        self.assert_kept({"topowise/base/a.cpp": "struct Database {};\nstruct PciInfo {};\n"})

    def test_a_page_that_does_not_draw_the_tree(self):
        tree = {"topowise/base/a.cpp": "\n", "topowise/graph/b.cpp": "\n"}
        self.assert_kept({**tree, "docs/architecture.md": PAGE})
        self.assert_breach({"topowise/base/a.cpp": "\n", "docs/architecture.md": PAGE}, "there is no folder 'graph'")
        self.assert_breach({**tree, "topowise/mpi/c.cpp": "\n", "docs/architecture.md": PAGE}, "the folder 'mpi' is missing")
        self.assert_breach({**tree, "docs/architecture.md": PAGE.replace("layer 2", "layer 3")}, "'graph' is on layer 2")
        deeper = {"topowise/topology_source/synthetic/presets/a.cpp": "\n", "docs/architecture.md":
                  "```\ntopowise/\n  topology_source/   layer 4\n    synthetic/   trees; presets\ntests/\n```\n"}
        self.assert_kept(deeper)
        self.assert_breach({**deeper, "docs/architecture.md": deeper["docs/architecture.md"].replace("presets", "tori")},
                           "the line of 'topology_source/synthetic' does not name 'topology_source/synthetic/presets'")
        jobs = {**tree, "tests/jobs/one.txt": "\n"}
        self.assert_breach({**jobs, "docs/architecture.md": PAGE}, "the folder 'tests/jobs' is missing")
        self.assert_kept({**jobs, "docs/architecture.md": PAGE.replace("tests/", "tests/   what spans files: cli/,\n         jobs/ (whole)")})

    def test_a_class_of_jobs_that_no_test_runs(self):
        job = "class Spare:\n    pass\n\n\nclass Ring(Spare):\n    def test_it(self):\n        pass\n"
        tree = {"topowise/base/a.cpp": "\n", "tests/mpi/ring_test.py": job}
        breach = "tests/mpi/ring_test.py:5: no test of tests/mpi/CMakeLists.txt runs 'ring_test.Ring'"
        for words in ("ring_test", "other_test ring_test.Ring"):
            self.assert_kept({**tree, "tests/mpi/CMakeLists.txt": f"add_mpi_test(name family mpi {words})   # why\n"})
        for text in ("add_mpi_test(ring_test family mpi other_test ring_test.Ring.test_it)\n", "# add_mpi_test(name family mpi ring_test)\n"):
            self.assert_breach({**tree, "tests/mpi/CMakeLists.txt": text}, breach)

    def test_tests_that_depend_on_the_clock(self):
        for name, line in {"topowise/base/a_test.cpp": "std::this_thread::sleep_for(1s);", "tests/mpi/a_test.py": "    time.sleep(0.5)",
                           "tests/cli/a.t": "  $ sleep 2", "tests/cli/b.t": "  $ app & sleep 5; kill $!", "tests/mpi/programs/a.c": "usleep(100);"}.items():
            self.assert_breach({name: f"\n{line}\n"}, f"{name}:2: a test sleeps")
        self.assert_breach({"tests/mpi/a_test.py": "for _ in range(3):\n    time.sleep(5)\n"}, "tests/mpi/a_test.py:2: a test sleeps")
        for name, line in {"tests/cli/a.t": "  $ timeout 1 app", "tests/mpi/a_test.py": "job.communicate(timeout=60)"}.items():
            self.assert_breach({name: f"{line}\n"}, f"{name}:1: a test gives up after less than 600 s")
        for name, line in {"topowise/base/a_test.cpp": "auto a = std::chrono::steady_clock::now();", "python/tests/a_test.py": "a = time.monotonic()",
                           "tests/mpi/a_test.py": "assert perf_counter() - before < 0.1",
                           "tests/mpi/programs/a.c": "double a = -MPI_Wtime();"}.items():
            self.assert_breach({name: f"{line}\n"}, f"{name}:1: a test reads a clock")
        self.assert_kept({"topowise/base/a_test.cpp": "while (!there()) std::this_thread::sleep_for(1ms);\n", "topowise/base/a.cpp": "sleep_for(1s);\n",
                          "tests/mpi/a_test.py": "while not there():\n    time.sleep(0.05)\n", "tests/mpi/programs/gpu_exchange.c": "usleep(1);\n"})


if __name__ == "__main__":
    unittest.main()
