"""Files are opened, made, renamed and removed in few places, which know what other users may have put there."""

import re

from laws.structure import PURE_FOLDERS

# Calls of functions that nothing else is named like. `folder.open_below(name)` and `::opendir(name)` differ in what is before them.
_PLAIN = (r"openat2?|creat|fopen|freopen|fdopen|unlink(?:at)?|rename(?:at2?)|shm_open|shm_unlink|mkfifo(?:at)?|mknod(?:at)?|dlm?open|mkdir(?:at)?|rmdir|mk[ds]?temp"
          r"|mkostemps?|tmpfile|tmpnam|linkat|symlink(?:at)?|f?truncate|f?chmod(?:at)?|[fl]?chown(?:at)?|opendir|fdopendir|popen|memfd_create|gzopen")
# The same of functions that others are named like: only with the namespace, or with a flag of open().
_QUALIFIED = r"open|link|rename|remove"
_LIBRARY = (r"create_director(?:y|ies)|create_(?:directory_)?symlink|create_hard_link|copy(?:_file|_symlink)?|permissions|remove(?:_all)?|rename|resize_file"
            r"|(?:recursive_)?directory_iterator|temp_directory_path")
CALL = re.compile(rf"(?<![\w.>])(?:std::|::)?({_PLAIN})\s*\(|(?<![\w>])::({_QUALIFIED})\s*\(|\bstd::(remove|rename)\s*\(\s*[^,)]+(?:\)|,[^,]*\))\s*(?:;|[!=]=)"
                  rf"|(?<![\w.>:])(open)\s*\([^;]*\bO_[A-Z]+\b|\b(?:std::filesystem|fs)::({_LIBRARY})\b|\bstd::(basic_[io]?fstream|[io]?fstream)\b")

# The rooms: what is called from there is safe in folders where others can write.
ROOMS = {
    "topowise/base/open_regular.hpp": "opens regular files without waiting and without following links",
    "topowise/base/private_folder.cpp": "folders of this user alone, held open",
    "topowise/base/write_target.cpp": "replaces files, through links of this user and root alone",
    "topowise/base/input.cpp": "reads what the user has named",
    "topowise/base/shared_library.cpp": "libraries by the names in the tables of drivers, from the folders of the system, or by the user's variables",
}
# Others -> why they may.
MAY = {
    "topowise/traffic_source/recorded/otf2_archive.cpp": "lists the folder of an archive that the user named, for its size",
    "topowise/base/child_process.cpp": "/dev/null, and memory without a name",
    "topowise/benchmark/selection.cpp": "a folder with a random name that mkdtemp makes for this user alone, removed whole",
    "topowise/cli/terminal.cpp": "/dev/null in the place of a closed stream",
    "topowise/cli/verb/doctor.cpp": "asks whether a library is loaded",
    "topowise/collective/node/meet.cpp": "memory without a name; of a rank's process, which /proc opens to its user alone",
    "topowise/collective/node/process_life.cpp": "/proc",
    "topowise/collective/gpu/islands.cpp": "/sys",
    "topowise/device/nvml.cpp": "/proc",
    "topowise/device/pointer_kind.cpp": "libraries that are loaded",
    "topowise/device/table.cpp": "libraries that are loaded",
    "topowise/interpose/base/library_beside.cpp": "the library beside the preloaded one",
    "topowise/interpose/base/symbols.cpp": "libraries that are loaded",
    "topowise/interpose/gpu_selection.cpp": "libraries by the names in the tables of drivers, or that the user's variables name",
    "topowise/interpose/recording/older_jobs.cpp": "removes, in the open folder, recordings whose files are all this user's",
    "topowise/interpose/recording/own_file.cpp": "the folder that the user has named; what is no profile under the name of the own file",
    "topowise/interpose/recording/profile_file.cpp": "makes new files alone (O_EXCL) and opens them again if they are the same",
    "topowise/interpose/recording/end_report.cpp": "lists the folder that the user has named; only profiles of this run count",
    "topowise/interpose/reordering/binding.cpp": "/sys",
    "topowise/job/abort_job.cpp": "/proc",
    "topowise/interpose/reordering/call_site.cpp": "the program's own file",
    "topowise/job/launcher_watch.cpp": "/proc",
    "topowise/job/memory_policy.cpp": "/proc",
    "topowise/job/preload.cpp": "the program that the user starts, only to read its ELF header",
    "topowise/job/rank_setup.cpp": "/sys",
    "topowise/launch/job_name.cpp": "/proc",
    "topowise/mpi/library.cpp": "/proc",
    "topowise/mpi/mpi_team.cpp": "libraries that are loaded",
    "topowise/topology_source/live/sysfs.cpp": "/sys",
    "topowise/traffic_source/recorded/summary.cpp": "lists the folder that the user has named; read_found_head opens what is there",
    "topowise/traffic_source/source.cpp": "lists the folder that the user has named; read_found_file opens what is there",
    "topowise/traffic_source/training/files.cpp": "lists the folder that the user has named; only regular files are opened",
}


def breaches(tree):
    for source in tree.product:  # pure.py looks at the folders that only compute
        if source.name in ROOMS or source.name in MAY or source.folder.split("/")[0] in PURE_FOLDERS:
            continue
        for number, line in enumerate(source.code.splitlines(), 1):
            if found := CALL.search(line):
                name = next(group for group in found.groups() if group)
                yield f"{source.name}:{number}: {name} directly: base/private_folder, base/write_target and base/input know what other users may have put there"
