"""The layers and folders of topowise/, and which files may include which. docs/architecture.md explains them."""

# Lowest first. A file includes its own folder and folders of lower layers.
LAYERS = [
    ["base"],
    ["graph", "device", "mpi", "profile"],
    ["reading"],
    ["topology_source", "traffic_source", "predict", "collective", "probe", "launch"],
    ["mapper", "schedule", "report"],
    ["job", "distributed", "reorder", "library", "benchmark"],
    ["cli", "interpose", "engine"],
]

# The folders that the public headers topowise/*.hpp may include. Nothing else is installed for users.
PUBLIC_HEADERS_INCLUDE = {"base", "graph", "profile", "library"}

# Folder -> its subfolders, lowest first. A list in the list holds subfolders that must not include each other. "" stands for the
# files of the folder itself; if "" is not named, they are above all subfolders.
SUBFOLDERS = {
    "graph": ["traffic", "", "json"],
    "topology_source": ["node", ["smi", "pci", "xml", "matrix", "fabric", "synthetic", "merge"], "cluster", "live"],
    "topology_source/synthetic": ["presets"],
    "traffic_source": ["matrix", "collective", "pattern", "recorded", "training"],
    "predict": ["congestion", "objective"],
    "mapper": ["problem", "bound", "exchange", "network", "multilevel", "construct", "exact", "search", "constrained"],
    "collective": ["plan", "node", "gpu"],
    "interpose": ["base", ["recording", "reordering", "allreduce"], "nccl"],
    "job": ["meeting"],
    "benchmark": ["", "congestion"],
    "cli": ["", "input", "view", "verb", "program"],
}

# A table knows every member of its family. Members do not know each other, and no other file knows a member but those in `also`, each
# with the reason. `table` is the file of the table, and `array` is its variable there. Members without headers of their own are
# declared in `declared_in`; `shared` names those that other files may call, each with the reason.
FAMILIES = [
    {"table": "topowise/topology_source/formats.cpp", "array": "kFormats", "also": {},
     "declared_in": "topowise/topology_source/node/text_formats.hpp"},
    {"table": "topowise/topology_source/synthetic/preset.cpp", "array": "group", "also": {},
     "declared_in": "topowise/topology_source/synthetic/presets/groups.hpp"},
    {"table": "topowise/traffic_source/formats.cpp", "array": "kFormats",
     "also": {"topowise/traffic_source/source.cpp": "reads the files of all ranks in a directory of Open MPI's monitoring"},
     "declared_in": "topowise/traffic_source/matrix/matrix_file.hpp"},
    {"table": "topowise/traffic_source/training/formats.cpp", "array": "kTraceFormats", "also": {},
     "declared_in": "topowise/traffic_source/training/formats.hpp"},
    {"table": "topowise/traffic_source/collective/model.cpp", "array": "kModels", "also": {},
     "declared_in": "topowise/traffic_source/collective/model.hpp",
     "shared": {"expand_linear": "operations that every library carries out with one message to each partner"}},
    {"table": "topowise/traffic_source/pattern/pattern.cpp", "array": "kPatterns", "also": {},
     "declared_in": "topowise/traffic_source/pattern/messages.hpp"},
    {"table": "topowise/mapper/registry.cpp", "array": "kMappers", "also": {},
     "declared_in": "topowise/mapper/problem/mapper_functions.hpp"},
    {"table": "topowise/device/table.cpp", "array": "table",
     "also": {"topowise/topology_source/live/live.cpp": "asks the driver of one vendor if that vendor's programs give no answer"}},
    {"table": "topowise/collective/plan/algorithms.cpp", "array": "kAlgorithms", "also": {},
     "declared_in": "topowise/collective/plan/algorithms.hpp"},
    {"table": "topowise/launch/launcher.cpp", "array": "kLaunchers", "also": {}, "declared_in": "topowise/launch/launchers.hpp"},
    {"table": "topowise/cli/verb/verbs.cpp", "array": "all", "also": {}, "declared_in": "topowise/cli/verb/verbs.hpp"},
    {"table": "topowise/cli/verb/bench.cpp", "array": "all", "also": {}, "declared_in": "topowise/cli/verb/benchmarks.hpp"},
]

# Third-party header -> the files that may include it. No file may include a header that is neither here nor in SYSTEM_HEADERS,
# unless it is a header of the standard library (no suffix) or our own.
THIRD_PARTY = {
    "fmt/*": ["topowise/*"],
    "doctest/*": ["topowise/*_test.cpp", "topowise/topology_source/read_fixture.hpp"],
    "nlohmann/*": ["topowise/graph/json/*", "topowise/reading/json_events.cpp"],
    "pugixml.hpp": ["topowise/topology_source/xml/*_xml*"],
    "yaml-cpp/*": ["topowise/topology_source/fabric/located_yaml.cpp"],
    "*scotch.h": [],
    "hwloc.h": [],
    "mpi.h": [],
    "cuda*.h": [],
    "hip/*": [],
}

# Headers of Linux and the C library.
SYSTEM_HEADERS = {
    "cxxabi.h", "dirent.h", "dlfcn.h", "elf.h", "fcntl.h", "fnmatch.h", "immintrin.h", "link.h", "mntent.h", "poll.h",
    "pthread.h", "sched.h", "signal.h", "spawn.h", "strings.h", "time.h", "unistd.h", "linux/*", "sys/*",
}

# The folders that only compute, the folders that they may include, and the headers by which code looks at more than its arguments.
PURE_FOLDERS = {"graph", "predict", "schedule"}
PURE_FOLDERS_INCLUDE = PURE_FOLDERS | {"base"}
IMPURE_HEADERS = {
    "chrono", "ctime", "time.h", "filesystem", "fstream", "iostream", "thread", "future", "unistd.h", "fcntl.h", "dirent.h", "dlfcn.h",
    "poll.h", "pthread.h", "sched.h", "signal.h", "spawn.h", "link.h", "mntent.h", "linux/*", "sys/*",
    "topowise/base/child_process.hpp", "topowise/base/compression.hpp", "topowise/base/descriptor.hpp", "topowise/base/file.hpp",
    "topowise/base/file_size_limit.hpp", "topowise/base/host_names.hpp", "topowise/base/input.hpp", "topowise/base/open_regular.hpp",
    "topowise/base/shared_library.hpp", "topowise/base/write_all.hpp",
}

# The files with conditions of the preprocessor: the vector units of different processors need different functions in one file.
PREPROCESSOR_CONDITIONS = ["topowise/mapper/exchange/simd.hpp", "topowise/mapper/exchange/ends_kernels.cpp"]

MOST_LINES_OF_A_FILE = 700
MEDIAN_LINES_OF_A_FILE = 150
MOST_LINES_OF_A_FUNCTION = 80
USUAL_LINES_OF_A_FUNCTION = 40
SHARE_OF_USUAL_FUNCTIONS = 0.95
LINES_OF_A_TWIN = 6  # the body of a function or type that has at least so many lines is in one place only
