"""The preloaded library never throws across MPI, never ends the job, never writes to stdout: no code of it says so."""

import re

# What a job's own process must never do on the library's account, and the words of code that do it.
FORBIDDEN = [
    (re.compile(r"\bthrow\b|\b(?:rethrow_exception|rethrow_if_nested|throw_with_nested)\b"), "throws"),
    (re.compile(r"(?<![\w.>])(?:std::|::)?(?:exit|_exit|_Exit|quick_exit|abort|terminate|raise|kill|killpg|tgkill|pthread_kill|pthread_exit"
                r"|siglongjmp|longjmp|assert|__builtin_trap|__builtin_abort)\s*\("), "ends the process"),
    (re.compile(r"\bstd::cout\b|\bstdout\b|\bSTDOUT_FILENO\b|(?<![\w.>])(?:std::)?(?:printf|puts|putchar)\s*\("
                r"|(?<![\w.>])(?:::)?(?:d?write|dprintf|vdprintf)\s*\(\s*1\b|\b(?:fmt|std)::print(?:ln)?\s*\((?!\s*stderr\b)"), "writes to stdout"),
]
# What is thrown on to a caller in the library, which catches it.
THROWS_WITHIN = {"topowise/interpose/base/handle_table.hpp": re.compile(r"^\s*throw;")}


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
            within = THROWS_WITHIN.get(source.name)
            if within and within.match(line):
                continue
            for pattern, does in FORBIDDEN:
                if pattern.search(line):
                    yield f"{source.name}:{number}: the preloaded library {does}"
