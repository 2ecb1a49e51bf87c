"""The preloaded library never throws across MPI, never ends the job and never writes to stdout: its code contains none of the words that would."""

import re

# The words of code that do what the library must never do in a process of a job.
FORBIDDEN = [
    (re.compile(r"\bthrow\b|\b(?:rethrow_exception|rethrow_if_nested|throw_with_nested)\b"), "throws"),
    (re.compile(r"(?<![\w.>])(?:std::|::)?(?:exit|_exit|_Exit|quick_exit|abort|terminate|raise|kill|killpg|tgkill|pthread_kill|pthread_exit"
                r"|siglongjmp|longjmp|assert|__builtin_trap|__builtin_abort)\s*\("), "ends the process"),
    (re.compile(r"\bstd::cout\b|\bstdout\b|\bSTDOUT_FILENO\b|(?<![\w.>])(?:std::)?(?:printf|puts|putchar)\s*\("
                r"|(?<![\w.>])(?:::)?(?:d?write|dprintf|vdprintf)\s*\(\s*1\b|\b(?:fmt|std)::print(?:ln)?\s*\((?!\s*stderr\b)"), "writes to stdout"),
]
# Lines that may: they rethrow to a caller in the library, which catches the exception; or pass on a signal that was sent to the program.
ALLOWED = {"topowise/interpose/base/handle_table.hpp": re.compile(r"^\s*throw;"),
           "topowise/interpose/recording/profile_file.cpp": re.compile(r"^\s*if \(info->si_code <= 0\) ::raise\(signal\);")}


# Files of lower layers that are compiled into the library.
_ALSO = re.compile(r"\$\{PROJECT_SOURCE_DIR\}/(topowise/(?!interpose/)[\w/]+\.cpp)")


def _units(tree):
    build = tree.root / "topowise/interpose/CMakeLists.txt"
    return {name.rsplit(".", 1)[0] for name in _ALSO.findall(build.read_text(encoding="utf-8"))} if build.exists() else set()


def breaches(tree):
    also = _units(tree)
    for source in tree.product:
        if source.folder.split("/")[0] != "interpose" and source.unit not in also:
            continue
        for number, line in enumerate(source.code.splitlines(), 1):
            allowed = ALLOWED.get(source.name)
            if allowed and allowed.match(line):
                continue
            for pattern, does in FORBIDDEN:
                if pattern.search(line):
                    yield f"{source.name}:{number}: the preloaded library {does}"
