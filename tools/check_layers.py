#!/usr/bin/env python3
"""The include laws of docs/architecture.md, as a test.

usage: check_layers.py [ROOT]

1. A file under topowise/ includes only its own folder and folders of lower floors.
2. Members of a family never include each other; only the family's table knows them all.
3. A third-party header is included by its one named file or folder only.
4. No file is over 500 lines; the median is 150 or less.
Prints every breach as FILE:LINE: what, and exits 1 if there is one.
"""

import fnmatch
import pathlib
import re
import statistics
import sys

FLOORS = [
    {"base"},
    {"graph", "device", "mpi", "profile"},
    {"reading"},
    {"topology_source", "traffic_source", "predict", "collective", "probe", "launch"},
    {"mapper", "schedule", "report"},
    {"job", "distributed"},
    {"cli", "interpose"},
]
FLOOR_OF = {folder: number for number, floor in enumerate(FLOORS) for folder in floor}

# folder -> (files that may be included by every member, the table that includes the members)
FAMILIES = {
    "topology_source": {"tables": {"source.cpp", "live.cpp"}, "members": {
        "nvidia_smi", "rocm_smi", "amd_smi", "pair_matrix", "slurm_conf", "ibnetdiscover", "nccl_xml", "hwloc_xml", "synthetic_tree", "preset", "live"}},
    "traffic_source": {"tables": {"source.cpp"}, "members": {
        "pattern", "ompi_monitoring", "recorded", "csv", "matrix_market", "matrix_text", "metis", "npy", "qaplib"}},
    "mapper": {"tables": {"registry.cpp", "map_auto.cpp"}, "members": {"identity", "cyclic", "random", "greedy", "scotch", "exact", "tabu", "multilevel"}},
    "device": {"tables": {"table.cpp"}, "members": {"cuda", "hip"}},
    "launch": {"tables": {"launcher.cpp"}, "members": {"openmpi_rankfile", "hostfile", "gpu_files"}},
}

# header pattern -> files that may include it
THIRD_PARTY = {
    "nlohmann/*": ["topowise/graph/json*.cpp", "topowise/graph/json*.hpp"],
    "pugixml.hpp": ["topowise/topology_source/*_xml*.cpp", "topowise/topology_source/*_xml*.hpp"],
    "CLI/*": ["topowise/cli/parse.cpp", "topowise/cli/parse.hpp"],
    "*scotch.h": [],
    "hwloc.h": [],
    "mpi.h": [],
    "cuda*.h": [],
    "hip/*": [],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def breaches_of(path, root):
    relative = path.relative_to(root)
    folder = relative.parts[1]
    is_test = path.name.endswith("_test.cpp")
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(1)
        for pattern, allowed in THIRD_PARTY.items():
            if fnmatch.fnmatch(header, pattern) and not any(fnmatch.fnmatch(str(relative), name) for name in allowed):
                yield f"{relative}:{number}: <{header}> belongs only into {' or '.join(allowed) or 'no file: the library is opened at run time'}"
        if not header.startswith("topowise/"):
            continue
        parts = header.split("/")
        target = parts[1]
        if target not in FLOOR_OF:
            yield f"{relative}:{number}: folder '{target}' stands on no floor"
        elif target != folder and FLOOR_OF[target] >= FLOOR_OF[folder]:
            yield f"{relative}:{number}: '{folder}' must not include '{target}' (not a lower floor)"
        family = FAMILIES.get(folder)
        if family and target == folder and not is_test:
            member = pathlib.Path(parts[-1]).stem
            own = {name for name in family["members"] if path.stem == name or path.stem.startswith(name + "_") or {name, name + 's'} & set(relative.parts[2:-1])}
            if member in family["members"] and member not in own and path.name not in family["tables"]:
                yield f"{relative}:{number}: '{path.stem}' must not include '{member}', another member of its family"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    files = sorted(p for p in (root / "topowise").rglob("*") if p.suffix in {".cpp", ".hpp"})
    found = []
    lengths = []
    for path in files:
        if path.relative_to(root).parts[1] not in FLOOR_OF:
            found.append(f"{path.relative_to(root)}: folder stands on no floor")
            continue
        found += breaches_of(path, root)
        length = len(path.read_text().splitlines())
        lengths.append(length)
        if length > 500:
            found.append(f"{path.relative_to(root)}: {length} lines, at most 500")
    median = statistics.median(lengths) if lengths else 0
    if median > 150:
        found.append(f"the median file has {median} lines, at most 150")
    print("\n".join(found) if found else f"{len(files)} files keep the laws; median {median:.0f} lines, largest {max(lengths)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
