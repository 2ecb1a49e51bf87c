"""Files, functions and macros are short. Code that grows past the limits hides two ideas."""

import re
import statistics

from laws.structure import (MEDIAN_LINES_OF_A_FILE, MOST_LINES_OF_A_FILE, MOST_LINES_OF_A_FUNCTION,
                            SHARE_OF_USUAL_FUNCTIONS, USUAL_LINES_OF_A_FUNCTION)

# A definition over several lines.
MACRO = re.compile(r"^[ \t]*#[ \t]*define\b(?:[^\n]*\\\n)+[^\n]*", re.M)


def _breaches_of_macros(source):
    for match in MACRO.finditer(source.text):
        length = match.group(0).count("\n") + 1
        if length > USUAL_LINES_OF_A_FUNCTION:
            yield f"{source.name}:{source.text.count(chr(10), 0, match.start()) + 1}: a macro of {length} lines, at most {USUAL_LINES_OF_A_FUNCTION}"


def breaches(tree):
    lengths = [len(source.lines) for source in tree.sources]
    for source, length in zip(tree.sources, lengths):
        if length > MOST_LINES_OF_A_FILE:
            yield f"{source.name}: {length} lines, at most {MOST_LINES_OF_A_FILE}"
    if lengths and statistics.median(lengths) > MEDIAN_LINES_OF_A_FILE:
        yield f"the median file has {statistics.median(lengths):.0f} lines, at most {MEDIAN_LINES_OF_A_FILE}"
    usual = []
    for source in tree.product:
        yield from _breaches_of_macros(source)
        for first, last, _ in source.functions:
            length = last - first + 1
            usual.append(length <= USUAL_LINES_OF_A_FUNCTION)
            if length > MOST_LINES_OF_A_FUNCTION:
                yield f"{source.name}:{first}: a function of {length} lines, at most {MOST_LINES_OF_A_FUNCTION}"
    if usual and sum(usual) < SHARE_OF_USUAL_FUNCTIONS * len(usual):
        yield f"{len(usual) - sum(usual)} of {len(usual)} functions are longer than {USUAL_LINES_OF_A_FUNCTION} lines"
