"""Each thing is in one place: no type name means two things that could meet, and no body is written twice."""

import re

from laws.structure import LINES_OF_A_TWIN

TYPE = re.compile(r"^(?:template <[^\n]*>\s*)?(?:struct|class|enum class|union) (?:alignas\([^)]*\) )?(\w+)(?: final)?(?: ?:[^;{:]*)? ?\{(.*?)^\};", re.M | re.S)
# `using Amount = int;`, `struct Pair { int a; };`
ONE_LINE = re.compile(r"^(?:using|(?:struct|class|union)) (\w+)(?: = ([^\n]*);|(?: ?:[^;{:\n]*)? ?\{([^\n]*)\};)$", re.M)
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.M)


class _Type:
    def __init__(self, source, match):
        namespace = NAMESPACE.search(source.code)
        self.name = f"{namespace.group(1) if namespace else ''}::{match.group(1)}"
        self.place = f"{source.name}:{source.code.count(chr(10), 0, match.start()) + 1}"
        self.in_header = source.path.suffix == ".hpp"
        self.folder = source.folder.split("/")[0]
        self.is_seen_by_linker = self.in_header or _is_outside_anonymous_namespaces(source.text[: match.start()])
        self.body = _significant(source.text[match.start(match.lastindex) : match.end(match.lastindex)])


def _is_outside_anonymous_namespaces(text_before):
    """clang-format closes each anonymous namespace with this comment."""
    return text_before.count("\nnamespace {\n") == text_before.count("\n}  // namespace\n")


def _significant(text):
    return "\n".join(line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))


def _meet(one, other):
    """Whether a reader or the linker can take one type for the other."""
    if one.is_seen_by_linker and other.is_seen_by_linker:
        return True
    return (one.in_header or other.in_header) and one.folder == other.folder


def breaches(tree):
    types = [_Type(source, match) for source in tree.product for form in (TYPE, ONE_LINE) for match in form.finditer(source.code)]
    by_name, bodies = {}, {}
    for found in types:
        by_name.setdefault(found.name, []).append(found)
        if found.body.count("\n") + 1 >= LINES_OF_A_TWIN:
            bodies.setdefault(found.body, []).append(found.place)
    for name, same in sorted(by_name.items()):
        for number, one in enumerate(same):
            for other in same[number + 1 :]:
                if _meet(one, other):
                    yield f"{one.place}: the type '{name}' means something else in {other.place}"
    for source in tree.product:
        for first, _, body in source.functions:
            body = _significant(body)
            if body.count("\n") + 1 >= LINES_OF_A_TWIN:
                bodies.setdefault(body, []).append(f"{source.name}:{first}")
    for places in bodies.values():
        if len(places) > 1:
            yield f"{places[0]}: the same body is in {', '.join(places[1:])}"
