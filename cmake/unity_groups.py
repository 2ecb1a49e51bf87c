#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Groups sources that may be compiled as one translation unit:  unity_groups.py SOURCE...

Prints "GROUP SOURCE" for each source. A file has names of its own: names in an unnamed namespace, static functions, macros. Two files share a
group only if neither file, nor a header that it includes and the other does not, contains one of the other file's own names. So every name means
the same as in a file that is compiled alone.
"""
import functools
import pathlib
import re
import sys

MOST_FILES = 8
MOST_BYTES = 60_000  # of a group, so that groups which two processors compile side by side take about as long

KEYWORDS = set("""alignas alignof auto bool case catch char class concept const consteval constexpr constinit continue decltype default delete do double else enum
explicit extern false final float for friend if inline int long mutable namespace new noexcept nullptr operator override private protected public requires return
short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while""".split())
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^()\\ ]*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.DOTALL)
WORD = re.compile(r"[A-Za-z_]\w*")
DECLARED = re.compile(r"\b(?:struct|class|enum|union|using|concept)\s+(?:class\s+)?(?:\[\[\w+\]\]\s*)?(?:\w+::)*(\w+)|(\w+)\s*(?=[(=;\[{]|$)")


def own_names(code):
    """The names that the file declares for itself alone. A name too many does no harm."""
    names = set()
    kinds, begin = [], 0  # the kinds of the open braces: "own" for an unnamed namespace, "named", "other"
    for match in re.finditer(r"[{};]", code):
        head = code[begin:match.start()]
        at_namespace_scope = "other" not in kinds
        if match.group() == "}":
            kinds and kinds.pop()
            begin = match.end()
            continue
        if at_namespace_scope and not re.search(r"\bnamespace\b[^(]*$", head) and ("own" in kinds or re.match(r"\s*(?:\[\[\w+\]\]\s*)?(?:inline\s+)?static\b", head)):
            names.update(a or b for a, b in DECLARED.findall(head + match.group()))
        if match.group() == "{":
            named = re.search(r"\bnamespace\b\s*([\w:]*)\s*$", head)
            kinds.append("other" if not named else "named" if named.group(1) else "own")
        begin = match.end()
    return names - KEYWORDS


ROOT = pathlib.Path(__file__).resolve().parents[1]


@functools.cache
def words_of_header(name):
    return set(WORD.findall(NOT_CODE.sub(" ", (ROOT / name).read_text(encoding="utf-8"))))


@functools.cache
def headers_of(path):
    """The project's headers that a file includes, directly or through other headers."""
    found = set()
    for name in re.findall(r"^#include <((?:topowise|tests)/[\w/.]+)>", path.read_text(encoding="utf-8"), re.MULTILINE):
        if (ROOT / name).is_file():  # else it is generated
            found |= {name} | headers_of(ROOT / name)
    return frozenset(found)


class Source:
    def __init__(self, path):
        self.path = path
        text = pathlib.Path(path).read_text(encoding="utf-8")
        self.size = len(text)
        self.headers = headers_of(pathlib.Path(path))
        code = NOT_CODE.sub(" ", text)
        self.directives = frozenset(re.findall(r"^\s*using namespace ([\w:]+);", code, re.MULTILINE))
        macros = set(re.findall(r"^\s*#\s*define\s+(\w+)", code, re.MULTILINE))
        code = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", "", code, flags=re.MULTILINE)
        self.words = set(WORD.findall(code)) | macros
        self.own = own_names(code) | macros | set(re.findall(r"^using (?:\w+::)+(\w+);", code, re.MULTILINE))

    def is_in_the_way_of(self, other):
        return bool(self.own & other.words) or any(self.own & words_of_header(name) for name in other.headers - self.headers)

    def may_stand_with(self, other):
        return self.directives == other.directives and not self.is_in_the_way_of(other) and not other.is_in_the_way_of(self)


def groups_of(sources):
    groups = []
    for source in sources:
        for group in groups:
            fits = len(group) < MOST_FILES and sum(member.size for member in group) + source.size <= MOST_BYTES
            if fits and all(source.may_stand_with(member) for member in group):
                group.append(source)
                break
        else:
            groups.append([source])
    return groups


def main():
    for number, group in enumerate(groups_of([Source(path) for path in sys.argv[1:]])):
        for source in group:
            print(f"group{number} {source.path}")


if __name__ == "__main__":
    main()
