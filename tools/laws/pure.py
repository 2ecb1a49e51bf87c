"""graph, predict and schedule take values and return values. They look at no file, no environment, no clock and no hardware."""

import fnmatch
import re

from laws.structure import IMPURE_HEADERS, PURE_FOLDERS, PURE_FOLDERS_INCLUDE

# Calls of the C library's functions. `alone.time(1)` and `model->clock()` call functions of ours and do not match.
IMPURE_CALL = re.compile(r"(?<![\w.>:])(?:std::|::)?(getenv|secure_getenv|fopen|freopen|popen|system|dlopen|s?rand|clock|time|gettimeofday"
                         r"|clock_gettime|getpid|sysconf|gethostname|s?scanf|getchar|mmap)\s*\(")
# Types and objects of the standard library. Their name alone is a breach.
IMPURE_NAME = re.compile(r"\b(random_device|(?:basic_)?[io]?fstream|std::filesystem|std::chrono|(?:system|steady|high_resolution)_clock|std::cin"
                         r"|std::cout|std::cerr|environ|std::this_thread|std::j?thread|std::async)\b")


def breaches(tree):
    for source in tree.product:
        folder = source.folder.split("/")[0]
        if folder not in PURE_FOLDERS:
            continue
        for number, header in source.includes:
            own = header.split("/")
            is_impure = own[0] == "topowise" and own[1] not in PURE_FOLDERS_INCLUDE
            if is_impure or any(fnmatch.fnmatch(header, pattern) for pattern in IMPURE_HEADERS):
                yield f"{source.name}:{number}: '{folder}' only computes: it must not include <{header}>"
        for number, line in enumerate(source.code.splitlines(), 1):
            if re.match(r"\s*#", line):
                continue
            if call := IMPURE_CALL.search(line):
                yield f"{source.name}:{number}: '{folder}' only computes: it must not call '{call.group(1)}'"
            if name := IMPURE_NAME.search(line):
                yield f"{source.name}:{number}: '{folder}' only computes: it must not use '{name.group(1)}'"
