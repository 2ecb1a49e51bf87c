"""The preloaded library never throws across MPI, never ends the job, never writes to stdout: no code of it says so."""

import re

# What a job's own process must never do on the library's account, and the words of code that do it.
FORBIDDEN = [
    (re.compile(r"\bthrow\s+[\w:]"), "throws"),
    (re.compile(r"(?<![\w.>])(?:std::|::)?(?:exit|_exit|_Exit|quick_exit|abort|terminate|raise)\s*\("), "ends the process"),
    (re.compile(r"\bstd::cout\b|\bstdout\b|\bSTDOUT_FILENO\b|(?<![\w.>])(?:std::)?(?:printf|puts|putchar)\s*\("
                r"|(?<![\w.>])(?:::)?d?write\s*\(\s*1\b|\bfmt::print(?:ln)?\s*\((?!\s*stderr\b)"), "writes to stdout"),
]


def breaches(tree):
    for source in tree.product:
        if source.folder.split("/")[0] != "interpose":
            continue
        for number, line in enumerate(source.code.splitlines(), 1):
            for pattern, does in FORBIDDEN:
                if pattern.search(line):
                    yield f"{source.name}:{number}: the preloaded library {does}"
