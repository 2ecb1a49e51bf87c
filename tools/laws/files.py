"""Files are opened, made, renamed and removed, and programs started, in few places, which know what other users may have put there."""

import re

from laws.structure import PURE_FOLDERS

# Calls of functions that nothing else is named like. `folder.open_below(name)` and `::opendir(name)` differ in what is before them.
_PLAIN = (r"openat2?|creat|fopen|freopen|fdopen|unlink(?:at)?|rename(?:at2?)|shm_open|shm_unlink|mkfifo(?:at)?|mknod(?:at)?|dlm?open|mkdir(?:at)?|rmdir|mk[ds]?temp"
          r"|mkostemps?|tmpfile|tmpnam|linkat|symlink(?:at)?|f?truncate|f?chmod(?:at)?|[fl]?chown(?:at)?|opendir|fdopendir|popen|memfd_create|gzopen|exec[lv]p?e?"
          r"|execveat|fexecve|posix_spawnp?|sem_open|mq_open|shmget|scandir|n?ftw|open_by_handle_at|chroot|utimensat|LoadFile|sqlite3_open\w*")
# The same of functions that others are named like: only with the namespace, or with a flag of open().
_QUALIFIED = r"open|link|rename|remove|bind|connect|system"
_LIBRARY = (r"create_director(?:y|ies)|create_(?:directory_)?symlink|create_hard_link|copy(?:_file|_symlink)?|permissions|remove(?:_all)?|rename|resize_file"
            r"|(?:recursive_)?directory_iterator|temp_directory_path")
_ONE_ARGUMENT = r"\((?:[^(),]|\([^()]*\))*\)"  # std::remove() of <algorithm> has three
_STREAM = r"basic_[io]?fstream|w?[io]?fstream|basic_filebuf|w?filebuf"
_SYSTEM_CALL = r"(?:SYS_|__NR_)(?:open|creat|unlink|rename|mk|rmdir|link|symlink|exec|memfd|truncate|ch)\w*"
CALL = re.compile(rf"(?<![\w.>])(?:std::|::)?({_PLAIN})\s*\(|(?<![\w>])::({_QUALIFIED})\s*\(|\bstd::(remove)\s*{_ONE_ARGUMENT}|\bstd::(rename|system)\s*\("
                  rf"|(?<![\w.>:])(open)\s*\([^;]*\bO_[A-Z]+\b|\b(?:std::filesystem|fs)::({_LIBRARY})\b|\bstd::({_STREAM})\b|\b(load_file)\s*\("
                  rf"|\b(syscall)\s*\(\s*{_SYSTEM_CALL}|\bfmt::(output_file|buffered_file|file)\b")
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
# Others -> what they call, and why they may.
MAY = {
    "topowise/traffic_source/recorded/otf2_archive.cpp": ("directory_iterator", "lists the folder of an archive that the user named, for its size"),
    "topowise/base/child_process.cpp": ("execvp ftruncate memfd_create open", "/dev/null, memory without a name, and programs by their names in PATH"),
    "topowise/benchmark/selection.cpp": ("mkdtemp remove_all temp_directory_path", "a folder with a random name that mkdtemp makes for this user alone, removed whole"),
    "topowise/cli/terminal.cpp": ("open", "/dev/null in the place of a closed stream"),
    "topowise/cli/verb/doctor.cpp": ("dlopen", "asks whether a library is loaded"),
    "topowise/collective/node/meet.cpp": ("ftruncate memfd_create open", "memory without a name; of a rank's process, which /proc opens to its user alone"),
    "topowise/collective/node/process_life.cpp": ("open", "/proc"),
    "topowise/collective/gpu/islands.cpp": ("ifstream", "/sys"),
    "topowise/device/nvml.cpp": ("ifstream", "/proc"),
    "topowise/device/pointer_kind.cpp": ("dlopen", "libraries that are loaded"),
    "topowise/device/table.cpp": ("dlopen", "libraries that are loaded"),
    "topowise/interpose/base/library_beside.cpp": ("dlopen", "the library beside the preloaded one"),
    "topowise/interpose/base/symbols.cpp": ("dlopen", "libraries that are loaded"),
    "topowise/interpose/gpu_selection.cpp": ("dlopen", "libraries by the names in the tables of drivers, or that the user's variables name"),
    "topowise/interpose/recording/older_jobs.cpp": ("opendir unlinkat", "removes, in the open folder, recordings whose files are all this user's"),
    "topowise/job/start.cpp": ("execvp", "the program that the user starts"),
    "topowise/job/recording_witness.cpp": ("bind", "an abstract socket, which is no file; only messages of this user's processes count"),
    "topowise/interpose/recording/own_file.cpp": ("mkdirat open openat unlink", "the folder that the user has named; what is no profile under the name of the own file"),
    "topowise/interpose/recording/profile_file.cpp": ("ftruncate linkat open unlink", "makes new files alone (O_EXCL) and opens them again if they are the same"),
    "topowise/interpose/recording/end_report.cpp": ("opendir", "lists the folder that the user has named; only profiles of this run count"),
    "topowise/interpose/reordering/binding.cpp": ("fopen opendir", "/sys"),
    "topowise/job/abort_job.cpp": ("ifstream", "/proc"),
    "topowise/interpose/reordering/call_site.cpp": ("open", "the program's own file"),
    "topowise/job/launcher_watch.cpp": ("ifstream", "/proc"),
    "topowise/job/memory_policy.cpp": ("ifstream", "/proc"),
    "topowise/job/rank_setup.cpp": ("directory_iterator ifstream", "/sys"),
    "topowise/launch/job_name.cpp": ("ifstream", "/proc"),
    "topowise/mpi/library.cpp": ("ifstream", "/proc"),
    "topowise/mpi/mpi_team.cpp": ("dlopen", "libraries that are loaded"),
    "topowise/topology_source/live/sysfs.cpp": ("directory_iterator", "/sys"),
    "topowise/traffic_source/recorded/summary.cpp": ("directory_iterator", "lists the folder that the user has named; read_found_head opens what is there"),
    "topowise/traffic_source/source.cpp": ("directory_iterator", "lists the folder that the user has named; read_found_file opens what is there"),
    "topowise/traffic_source/training/files.cpp": ("directory_iterator", "lists the folder that the user has named; only regular files are opened"),
    "topowise/job/reorder_ranks.cpp": ("memfd_create", "memory without a name, which the program inherits"),
}
MAY_IN_PYTHON = {
    "python/topowise/_hosts.py": ("open subprocess.Popen", "reads what the user has named; starts nvidia-smi from PATH"),
    "python/topowise/_torchrun.py": ("open", "/dev/null"),
    "python/topowise_program/__init__.py": ("os.execv", "starts the program that lies in the package"),
    "python/topowise_torchrun/_handler.py": ("socket.create_server", "asks the system for a port where PyTorch is to listen"),
}


def breaches(tree):
    for source in tree.product:  # pure.py looks at the folders that only compute
        if source.name not in ROOMS and source.folder.split("/")[0] not in PURE_FOLDERS:
            yield from breaches_in(source.name, source.code, CALL, MAY)
    for path in sorted((tree.root / "python").rglob("*.py")):
        if "tests" not in path.parts:
            code = re.sub(r'""".*?"""|#[^\n]*', lambda text: re.sub(r"[^\n]", " ", text[0]), path.read_text(encoding="utf-8"), flags=re.DOTALL)
            yield from breaches_in(str(path.relative_to(tree.root)), code, PYTHON_CALL, MAY_IN_PYTHON)


def breaches_in(name, code, calls, exceptions):
    allowed = set(exceptions[name][0].split()) if name in exceptions else set()
    made = set()
    for found in calls.finditer(code):
        what = next(group for group in found.groups() if group)
        made.add(what)
        if what not in allowed:
            number = code.count("\n", 0, found.start()) + 1
            yield f"{name}:{number}: {what} directly: base/private_folder, base/write_target and base/input know what other users may have put there"
    for what in sorted(allowed - made):
        yield f"{name}:1: it may call {what} by tools/laws/files.py, and does not"
