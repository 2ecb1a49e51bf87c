"""Members of a family (mappers, formats, drivers) never include each other. One table knows all members, and no other file includes one.

The law reads the members from the table. They are the headers that the table includes and that declare a name of its array, and the
names of its array that the header `declared_in` declares.
"""

import re

from laws.structure import FAMILIES


def _names(tree, family):
    """The words of the table, which is an array or the list that a loop goes through."""
    code = tree.by_name[family["table"]].code
    array = re.search(rf"\b{family['array']}\b(?:\[\])?\s*(?:=\s*)?\{{(.*?)\}};|\b{family['array']} : \{{(.*?)\}}\)", code, re.S)
    return set(re.findall(r"\b[A-Za-z_]\w+\b", array.group(1) or array.group(2))) if array else set()


def _declared(source):
    return set(re.findall(r"\b(\w+)\s*\(", source.code)) | set(re.findall(r"\bconst\w* +\w+ (k\w+)", source.code))


def _defined(source):
    """The functions that a source defines. A definition begins at the left margin, or with a type if it is in a class; other places only
    use a name."""
    in_class = re.findall(r"^ +(?!return |else |if |for |while )(?:[\w:<>&*]+ )+[&*]?(\w+)\([^;{}]*\)[^;{}()]*\{", source.code, re.M)
    return set(in_class) | set(re.findall(r"^[A-Za-z_][^\n;=]*\b(\w+)\(", source.code, re.M))


def members(tree, family):
    """The members with headers of their own: unit -> the names of the array that its header declares."""
    table = tree.by_name[family["table"]]
    names = _names(tree, family)
    found = {}
    for _, header in table.includes:
        source = tree.by_name.get(header)
        if not source or source.unit == table.unit or header == family.get("declared_in"):
            continue
        if source.folder.split("/")[0] == table.folder.split("/")[0] and _declared(source) & names:
            found[source.unit] = _declared(source) & names
    return found


def _breaches_of_includes(family, units, sources):
    for source in sources:
        for number, header in source.includes:
            unit = header.rsplit(".", 1)[0]
            if unit not in units or unit == source.unit or units[unit] & _defined(source):
                continue
            if source.unit in units:
                yield f"{source.name}:{number}: a member of its family must not include another, '{unit}'"
            else:
                yield f"{source.name}:{number}: only the table {family['table']} may include '{unit}'"


def _breaches_of_uses(family, names, folder, sources):
    """Breaches of members without headers: a file that sees their declarations must not call them."""
    for source in sources:
        if source.name == family["declared_in"] or source.folder != folder and all(h != family["declared_in"] for _, h in source.includes):
            continue
        others = names - _defined(source)
        for number, line in enumerate(source.code.splitlines(), 1):
            used = re.search(rf"^\s.*(?<![\w.>])({'|'.join(sorted(others))})\s*[(.]", line) if others else None
            if used:
                yield f"{source.name}:{number}: only the table of its family may use '{used.group(1)}'"


def breaches(tree):
    for family in FAMILIES:
        if family["table"] not in tree.by_name:
            continue
        units = members(tree, family)
        declared = tree.by_name.get(family.get("declared_in"))
        names = _names(tree, family) & _declared(declared) - set(family.get("shared", ())) if declared else set()
        if len(units) + len(names) < 2:
            yield f"{family['table']}: no members are found in its array '{family['array']}'"
            continue
        sources = [source for source in tree.product if source.name != family["table"] and source.name not in family["also"]]
        yield from _breaches_of_includes(family, units, sources)
        if declared:
            yield from _breaches_of_uses(family, names, declared.folder, sources)
