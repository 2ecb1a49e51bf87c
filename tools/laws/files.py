"""Files are opened, made, renamed and removed, and programs started, in few places, which know what other users may have put there."""

import re

from laws.structure import PURE_FOLDERS

# Calls of functions that nothing else is named like. `folder.open_below(name)` and `::opendir(name)` differ in what is before them.
_PLAIN = (r"openat2?|creat|fopen|freopen|fdopen|unlink(?:at)?|rename(?:at2?)|shm_open|shm_unlink|mkfifo(?:at)?|mknod(?:at)?|dlm?open|mkdir(?:at)?|rmdir|mk[ds]?temp"
          r"|mkostemps?|tmpfile|tmpnam|linkat|symlink(?:at)?|f?truncate|f?chmod(?:at)?|[fl]?chown(?:at)?|opendir|fdopendir|popen|memfd_create|gzopen|exec[lv]p?e?"
          r"|execveat|fexecve|posix_spawnp?|sem_open|mq_open|shmget|scandir|n?ftw|open_by_handle_at|chroot|utimensat|LoadFile|sqlite3_open\w*")
# The same of functions that others are named like: only with the namespace, or with a flag of open().
_QUALIFIED = r"open|link|rename|remove|bind|system"
_LIBRARY = (r"create_director(?:y|ies)|create_(?:directory_)?symlink|create_hard_link|copy(?:_file|_symlink)?|permissions|remove(?:_all)?|rename|resize_file"
            r"|(?:recursive_)?directory_iterator|temp_directory_path")
CALL = re.compile(rf"(?<![\w.>])(?:std::|::)?({_PLAIN})\s*\(|(?<![\w>])::({_QUALIFIED})\s*\(|\bstd::(remove|rename)\s*\(\s*[^,)]+(?:\)|,[^,]*\))\s*(?:;|[!=]=)"
                  rf"|(?<![\w.>:])(open)\s*\([^;]*\bO_[A-Z]+\b|\b(?:std::filesystem|fs)::({_LIBRARY})\b|\bstd::(basic_[io]?fstream|[io]?fstream)\b|\b(load_file)\s*\(")
# The same in Python.
PYTHON_CALL = re.compile(r"(?<![\w.])(open)\(|\b(os\.(?:open|popen|rename|replace|remove|unlink|rmdir|mkdir|makedirs|mkfifo|mknod|link|symlink|chmod|chown|truncate|system"
                         r"|exec\w+|posix_spawnp?|spawn\w+)|shutil\.(?!which)\w+|tempfile|subprocess\.(?:run|Popen|call|check_\w+|getoutput)|(?:ctypes\.)?CDLL|mmap\.mmap"
                         r"|socket\.(?:socket|create_\w+))\b|\.((?:read|write)_(?:text|bytes)|touch|symlink_to|hardlink_to|mkdir|rmdir|unlink)\(")

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
    "topowise/base/child_process.cpp": "/dev/null, memory without a name, and programs by their names in PATH",
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
    "topowise/job/start.cpp": "the program that the user starts",
    "topowise/job/recording_witness.cpp": "an abstract socket, which is no file; only messages of this user's processes count",
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
MAY_IN_PYTHON = {
    "python/topowise/_hosts.py": "reads what the user has named; starts nvidia-smi from PATH",
    "python/topowise/_torchrun.py": "/dev/null",
    "python/topowise_program/__init__.py": "starts the program that lies in the package",
    "python/topowise_torchrun/_handler.py": "asks the system for a port where PyTorch is to listen",
}


def breaches(tree):
    for source in tree.product:  # pure.py looks at the folders that only compute
        if source.name in ROOMS or source.name in MAY or source.folder.split("/")[0] in PURE_FOLDERS:
            continue
        for found in CALL.finditer(source.code):
            yield breach(source.name, source.code, found)
    for path in sorted((tree.root / "python").rglob("*.py")):
        name = str(path.relative_to(tree.root))
        if "tests" in path.parts or name in MAY_IN_PYTHON:
            continue
        code = re.sub(r'""".*?"""|#[^\n]*', lambda text: re.sub(r"[^\n]", " ", text[0]), path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for found in PYTHON_CALL.finditer(code):
            yield breach(name, code, found)


def breach(name, code, found):
    number = code.count("\n", 0, found.start()) + 1
    what = next(group for group in found.groups() if group)
    return f"{name}:{number}: {what} directly: base/private_folder, base/write_target and base/input know what other users may have put there"
