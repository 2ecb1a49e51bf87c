"""Platform differences are files or run-time tables, never conditions of the preprocessor."""

import fnmatch
import re

from laws.structure import PREPROCESSOR_CONDITIONS

CONDITION = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif)\b")


def breaches(tree):
    for source in tree.sources:
        if any(fnmatch.fnmatch(source.name, pattern) for pattern in PREPROCESSOR_CONDITIONS):
            continue
        for number, line in enumerate(source.lines_without_comments, 1):
            if CONDITION.match(line):
                yield f"{source.name}:{number}: a condition of the preprocessor: make it a file, or a table at run time"
