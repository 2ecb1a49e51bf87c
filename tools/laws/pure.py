"""Values in, values out: the nouns, predict and schedule look at no file, no environment, no clock and no hardware."""

import re

from laws.structure import IMPURE_HEADERS, PURE_FOLDERS

IMPURE_CALL = re.compile(r"\b(getenv|secure_getenv|random_device|fopen|popen|system|dlopen|s?rand|clock|time)\s*\(")


def breaches(tree):
    for source in tree.product:
        if source.folder.split("/")[0] not in PURE_FOLDERS:
            continue
        for number, header in source.includes:
            if header in IMPURE_HEADERS:
                yield f"{source.name}:{number}: '{source.folder.split('/')[0]}' only computes: it must not include <{header}>"
        for number, line in enumerate(source.code.splitlines(), 1):
            call = re.search(r"(?<![\w.>:])(?:std::|::)?" + IMPURE_CALL.pattern, line)
            if call:
                yield f"{source.name}:{number}: '{source.folder.split('/')[0]}' only computes: it must not call '{call.group(1)}'"
