"""The source files under topowise/, with their includes and functions."""

import functools
import pathlib
import re

UNREAD = {".c", ".cc", ".cxx", ".c++", ".h", ".hh", ".hxx", ".h++", ".inl", ".ipp", ".tpp", ".inc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
_NUMBER = re.compile(r"\b\d(?:'?\w)*")  # the quote in 1'000 begins no character literal
_NOT_CODE = re.compile(_NUMBER.pattern + r'|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', re.S)
_CONTROL = re.compile(r"\b(if|for|while|switch|catch|do|else|try)\b[^;{}]*$")
_SCOPE = re.compile(r"\b(namespace|struct|class|enum|union)\b[^;(){}=]*(alignas\([^()]*\))?[^;(){}=]*$|\bextern\s*$")
_TEMPLATE = re.compile(r"\btemplate\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>")
_INITIALISER = re.compile(r"\)[^()]*[^:]:[^:].*[\w>]$", re.S)


def folder_of(name):
    """mapper/search for topowise/mapper/search/tabu.cpp. The public headers at the top of topowise/ belong to library/."""
    return "/".join(name.split("/")[1:-1]) or "library"


def blank(match):
    """Blanks in the same number of lines and characters, so that no braces and words are left."""
    return re.sub(r"[^\n]", " ", match.group(0))


class Source:
    """One file. `name` is its path from the root: topowise/graph/route.cpp."""

    def __init__(self, path, root):
        self.path = path
        self.name = str(path.relative_to(root))
        self.text = path.read_text(encoding="utf-8")
        self.lines = self.text.splitlines()

    @property
    def is_test(self):
        return self.path.stem.endswith("_test")

    @property
    def folder(self):
        return folder_of(self.name)

    @property
    def unit(self):
        """The name without its suffix, since a header and its implementation count as one: topowise/graph/route."""
        return self.name.rsplit(".", 1)[0]

    @functools.cached_property
    def code(self):
        """The text with blanks instead of comments and literals."""
        return _NOT_CODE.sub(lambda m: m.group(0) if _NUMBER.match(m.group(0)) or self._is_include(m) else blank(m), self.text)

    def _is_include(self, match):
        return self.text[self.text.rfind("\n", 0, match.start()) + 1 : match.start()].lstrip().startswith("#")

    @functools.cached_property
    def lines_without_comments(self):
        """The lines with blanks instead of comments and raw strings. Other literals stay, since they may name headers."""
        kept = _NOT_CODE.sub(lambda m: blank(m) if m.group(0).startswith(("//", "/*", "R")) else m.group(0), self.text)
        return kept.splitlines()

    @functools.cached_property
    def includes(self):
        """[(line, header)]"""
        matches = [(number, INCLUDE.match(line)) for number, line in enumerate(self.lines_without_comments, 1)]
        return [(number, match.group(2)) for number, match in matches if match]

    @functools.cached_property
    def functions(self):
        """[(first line, last line, text of the body)] of the functions that are in a namespace or a class."""
        found = []
        blocks = []  # (kind, offset of the head)
        head = 0
        parentheses = 0
        code = self.code
        for offset, character in enumerate(code):
            if character == "(":
                parentheses += 1
            elif character == ")":
                parentheses -= 1
            elif character in ";{}" and parentheses == 0 or character in "{}":
                if character == "{":
                    blocks.append((self._kind(code[head:offset], blocks, parentheses), head, offset))
                elif character == "}" and blocks:
                    kind, start, opening = blocks.pop()
                    if kind == "initialiser":
                        head = start  # the constructor's body follows
                        continue
                    if kind == "function":
                        first = code.count("\n", 0, start + len(code[start:]) - len(code[start:].lstrip())) + 1
                        found.append((first, code.count("\n", 0, offset) + 1, self.text[opening + 1 : offset]))
                head = offset + 1
        return found

    @staticmethod
    def _kind(head, blocks, parentheses):
        inside_code = any(kind in ("function", "block") for kind, _, _ in blocks)
        if parentheses or inside_code:
            return "block"
        head = _TEMPLATE.sub(" ", head)
        if _INITIALISER.search(head):
            return "initialiser"
        if _SCOPE.search(head):
            return "scope"
        if re.search(r"=\s*\[[^\[\]]*\]\s*$", head):
            return "function"  # a lambda without parameters
        if ")" in head and not _CONTROL.search(head) and not re.search(r"=\s*$", head):
            return "function"
        return "block"


class Tree:
    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        paths = sorted(p for p in (self.root / "topowise").rglob("*") if p.suffix in {".cpp", ".hpp"})
        self.sources = [Source(path, self.root) for path in paths]
        self.by_name = {source.name: source for source in self.sources}
        # C++ files that no law would see. A .cu file is none of them, since only compilers for GPUs compile it.
        self.unread = sorted(str(p.relative_to(self.root)) for p in (self.root / "topowise").rglob("*") if p.suffix in UNREAD)

    @property
    def product(self):
        """The sources that are no tests."""
        return [source for source in self.sources if not source.is_test]
