#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the wrappers of the preloaded MPI library.

    make_wrappers.py PROTOTYPES OUTPUT_DIRECTORY

Reads the list of functions (topowise/interpose/prototypes.txt explains its format). Writes wrappers_c.cpp, wrappers_fortran.cpp
and exports.map, the version script that lists all symbols that the library exports.
"""
import pathlib
import re
import sys

C_TYPES = dict(b="const void*", i="int", l="Count", t="Word", c="Word", w="Word", o="Word", h="Word", N="const void*", I="const int*", R="int*",
               T="const void*", p="void*", s="const void*", f="int*", a="Count", q="void*", Q="void*", S="void*", C="void*", W="void*", Y="void*",
               r="Word")
# How an argument is passed to the recording functions; {0} is its name. Kinds that are not listed here are never recorded.
C_VALUES = dict(b="{0}", n="{0}", i="{0}", l="{0}", t="c::type({0})", c="c::comm({0})", w="c::win({0})", o="c::op({0})",
               T="c::types({0})", q="c::stored({0})", Q="{0}", S="c::stored({0})", C="c::stored({0})", W="c::stored({0})", Y="c::stored({0})")
FORTRAN_TYPES = dict(b="const void*", l="const Count*", N="const int*", T="const int*", p="void*", s="const void*", f="int*", a="const Count*",
                     Q="const int*", R="int*")
FORTRAN_VALUES = dict(b="fortran::buffer({0})", n="*{0}", i="*{0}", l="*{0}", t="fortran::type({0})", c="fortran::comm({0})",
                      w="fortran::win({0})", o="fortran::op({0})", N="Counts{{{0}, false}}", T="fortran::types({0})",
                      q="fortran::request({0})", Q="{0}", S="fortran::session({0})", C="fortran::converted(fortran::comm({0}))",
                      W="fortran::converted(fortran::win({0}))", Y="fortran::converted(fortran::type({0}))")

HEAD = """// Made by tools/make_wrappers.py from topowise/interpose/prototypes.txt. Do not edit.
#include <topowise/interpose/wrapped.hpp>

using namespace topowise::interpose;

"""


class Function:
    """One MPI function: its name without the prefix, its parameters as (name, kind), what to record, and when."""

    def __init__(self, name, when, parameters, record, fortran_parameters, prefix="MPI"):
        self.name, self.when, self.record, self.prefix = name, when, record, prefix
        self.parameters, self.fortran_parameters = parameters, fortran_parameters
        self.answered = None  # the function of ours that answers the call
        self.wanted = ""  # the argument of the question whether the job wants that
        self.flags = ()


def parse_parameters(text):
    return [] if text.strip() == "-" else [tuple(word.split(":")) for word in text.split()]


def is_request_form(name):
    return re.match(r"(I|R(?!send))[a-z]", name) is not None


def expand_collective(name, parameters, record):
    """The blocking, nonblocking and persistent forms of a collective."""
    request = [("request", "p")]
    init = [("info", "h"), ("request", "q")]
    later = record.replace("WHEN", "{false, request}")
    now = record.replace("WHEN", "{true, 0}")
    yield Function(name, "before", parameters, now, parameters)
    yield Function("I" + name.lower(), "before", parameters + request, now, parameters + request)
    # Open MPI 4 has the persistent forms with the prefix of extensions.
    for prefix in ("MPI", "MPIX"):
        yield Function(name + "_init", "after", parameters + init, later, parameters + init, prefix)


def with_hooks(record, hooks):
    """The record, in which each hook is a call of every function that features have for it."""
    return re.sub(r"(\w+)!(\([^()]*\))", lambda hook: ", ".join(function + hook.group(2) for function in hooks[hook.group(1)]), record)


def read(path):
    """All functions of the list, and the names of the functions that have a large-count form."""
    functions, large, hooks = [], set(), {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        if line.startswith("hook "):
            name, called = line.removeprefix("hook ").split(":", 1)
            hooks[name.strip()] = called.split()
            continue
        fields = [field.strip() for field in line.split("|")]
        if len(fields) not in (3, 4) or ":" not in fields[0]:
            sys.exit(f"{path}:{number}: expected 'when : NAME ... | parameters | record'")
        flags, names = fields[0].split(":")
        when, *flags = flags.split()
        parameters = parse_parameters(fields[1])
        fields[2] = with_hooks(fields[2], hooks)
        fortran = parse_parameters(fields[3]) if len(fields) == 4 else parameters
        for name in names.split():
            if when == "collective":
                made = list(expand_collective(name, parameters, fields[2]))
            elif parameters and parameters[-1] == ("request", "p") and not is_request_form(name):
                made = [Function(name, when, parameters[:-1], fields[2], parameters[:-1])]  # Put beside Rput
            else:
                made = [Function(name, when, parameters, fields[2], fortran)]
            if "answered" in flags:
                for function, answer in zip(made, ("reduce", "begin", "prepare", "prepare")):
                    function.answered = f"{name.lower()}::{answer}"
            if "on_gpu" in flags:
                for function, form in zip(made, ("{}", "i{}", "{}_init", "{}_init")):
                    function.answered, function.wanted = "allreduce::" + form.format(name.lower()), f"allreduce::Answered::{name.lower()}"
            for function in made:
                function.flags = flags
            functions += made
            if "large" in flags:
                large.update(function.name for function in made if function.prefix == "MPI")
    return functions, large


def substitute(record, parameters, values):
    """The record expression with each parameter's name replaced by its value. A name behind an @ stays: it stands for the argument itself."""
    known = {name: values[kind].format(name) for name, kind in parameters if kind in values}
    return re.sub(r"(?<![\w:@])\w+\b(?!\()", lambda word: known.get(word.group(), word.group()), record).replace("@", "")


def arguments(parameters):
    return ", ".join(name for name, kind in parameters if kind != "v")


def passed_on(parameters):
    """The arguments of the call to MPI. in_order() gives the communicator that is meant (interpose/base/world_order.hpp)."""
    return ", ".join(f"in_order({name})" if kind == "c" else name for name, kind in parameters if kind != "v")


def is_list(name, kind):
    """Whether an argument is a list with a number for each rank."""
    return kind == "N" or name == "rdispls"


def passed_to_answer(parameters, is_large):
    """The same for a function of ours, which gets lists of numbers together with their width."""
    wide = "true" if is_large else "false"
    return ", ".join(f"Counts{{{name}, {wide}}}" if is_list(name, kind) else passed_on([(name, kind)]) for name, kind in parameters if kind != "v")


def site_of(name):
    return '{"%s", __builtin_return_address(0)}' % name


def replaced_c_wrapper(function):
    """Calls our own function if ranks are to be reordered, else MPI's."""
    name = f"MPI_{function.name}"
    declared = ", ".join(f"{C_TYPES[kind]} {parameter}" for parameter, kind in function.parameters)
    signature = ", ".join(C_TYPES[kind] for _, kind in function.parameters)
    return [name], f"""TOPOWISE_EXPORT int {name}({declared}) {{
  static constinit Entry entry("{name}");
  ++calls_seen();
  if (reordering::wanted()) return reordering::{function.record}({arguments(function.parameters)}, {site_of(name)});
  return next<int({signature})>(entry)({passed_on(function.parameters)});
}}
"""


def replaced_fortran_wrapper(function, names):
    parameters = function.fortran_parameters + [("ierror", "R")]
    types = ["int*" if kind == "C" else FORTRAN_TYPES.get(kind, "const int*") for _, kind in parameters]
    declared = ", ".join(f"{t} {name}" for t, (name, _) in zip(types, parameters))
    aliases = "".join(f'TOPOWISE_EXPORT decltype({names[0]}) {other} __attribute__((alias("{names[0]}")));\n' for other in names[1:])
    return names, f"""TOPOWISE_EXPORT void {names[0]}({declared}) {{
  static constinit Entry entry("{" ".join(names)}");
  if (reordering::wanted()) return reordering::fortran::{function.record}({arguments(parameters)}, {site_of("MPI_" + function.name)});
  next<void({", ".join(types)})>(entry)({passed_on(parameters)});
}}
{aliases}"""


def otherwise_on_world(function, call, plain_call):
    """The lines before and behind a call for the flags "both" and "else". They make a second call on MPI_COMM_WORLD itself if another
    communicator stands in for it."""
    comm = next(name for name, kind in function.parameters if kind == "c")
    if "both" in function.flags:
        return [f"  if (in_order({comm}) != {comm}) static_cast<void>({plain_call});"], []
    if "else" in function.flags:
        found = next(name for name, kind in function.parameters if kind == "f")
        return [], [f"  if (in_order({comm}) != {comm} && {found} != nullptr && *{found} == 0) static_cast<void>({plain_call});"]
    return [], []


def passed_c_wrapper(function, name, declared, call):
    plain = re.sub(r"in_order\((\w+)\)", r"\1", call)
    before, after = otherwise_on_world(function, call, plain)
    lines = [f"TOPOWISE_EXPORT int {name}({declared}) {{", f'  static constinit Entry entry("{name}");'] + before
    lines += [f"  const int status = {call};"] + after + ["  return status;"] if after else [f"  return {call};"]
    return "\n".join(lines + ["}", ""])


def passed_fortran_wrapper(function, names):
    """Fortran passes the lengths of character arguments by value, behind all other arguments."""
    lengths = [(f"length{i}", "L") for i, (_, kind) in enumerate(function.fortran_parameters) if kind == "s"]
    parameters = function.fortran_parameters + [("ierror", "p")] + lengths
    types = ["Word" if kind == "L" else FORTRAN_TYPES.get(kind, "const int*") for _, kind in parameters]
    declared = ", ".join(f"{t} {name}" for t, (name, _) in zip(types, parameters))
    call = f"next<void({', '.join(types)})>(entry)({passed_on(parameters)})"
    plain = re.sub(r"in_order\((\w+)\)", r"\1", call)
    before, after = otherwise_on_world(function, call, plain)
    lines = [f"TOPOWISE_EXPORT void {names[0]}({declared}) {{", f'  static constinit Entry entry("{" ".join(names)}");', *before, f"  {call};", *after, "}"]
    lines += [f'TOPOWISE_EXPORT decltype({names[0]}) {other} __attribute__((alias("{names[0]}")));' for other in names[1:]]
    return names, "\n".join(lines + [""])


def requests_of(function, parameters, of_c):
    """The requests that a function completes: the address of the first one, their number, and where the function says which have ended."""
    name, kind = next(parameter for parameter in parameters if parameter[1] in "qQr")
    number = ("count" if of_c else "*count") if kind == "Q" else "1"
    told = {ours: next((name for name, _ in parameters if name in theirs), "nullptr")
            for ours, theirs in (("flag", ["done"]), ("number", ["number"]), ("indices", ["index", "indices"]))}
    keeps = "true" if function.name.startswith("Request_get_status") else "false"
    ended = "{%s, %d, %s}" % (", ".join(told.values()), 0 if of_c else 1, keeps)
    return f"{'&' if kind == 'r' and of_c else ''}{name}, {number}, {ended}"


def completing_c_wrapper(function, name, declared, call):
    return f"""TOPOWISE_EXPORT int {name}({declared}) {{
  static constinit Entry entry("{name}");
  if (!allreduce::has_requests()) [[likely]]
    return {call};
  allreduce::Completion completion({requests_of(function, function.parameters, True)});
  return completion.end({call});
}}
"""


def completing_fortran_wrapper(function, names):
    parameters = function.fortran_parameters + [("ierror", "R")]
    types = [FORTRAN_TYPES.get(kind, "const int*") for _, kind in parameters]
    declared = ", ".join(f"{t} {name}" for t, (name, _) in zip(types, parameters))
    aliases = "".join(f'TOPOWISE_EXPORT decltype({names[0]}) {other} __attribute__((alias("{names[0]}")));\n' for other in names[1:])
    call = f"next<void({', '.join(types)})>(entry)({arguments(parameters)})"
    return names, f"""TOPOWISE_EXPORT void {names[0]}({declared}) {{
  static constinit Entry entry("{" ".join(names)}");
  if (!allreduce::has_requests()) [[likely]]
    return {call};
  allreduce::Completion completion({requests_of(function, function.fortran_parameters, False)});
  {call};
  completion.end_in_fortran(ierror);
}}
{aliases}"""


def split_around(function, record):
    """The part of the record that comes before the call, as lines, and the rest of the record."""
    if function.when != "around":
        return [], record
    first, rest = record.split(" ; ")
    return [f"  {first};"], rest


def c_wrapper(function, is_large):
    if function.when == "replaced":
        return replaced_c_wrapper(function)
    count = "Count" if is_large else "int"
    types = {**C_TYPES, "n": count}
    values = {**C_VALUES, "N": "Counts{{{0}, %s}}" % ("true" if is_large else "false")}
    name = f"{function.prefix}_{function.name}" + ("_c" if is_large else "")
    declared = ", ".join("..." if kind == "v" else f"{types[kind]} {parameter}" for parameter, kind in function.parameters)
    signature = ", ".join("..." if kind == "v" else types[kind] for _, kind in function.parameters)
    record = substitute(function.record, function.parameters, values)
    call = f"next<int({signature})>(entry)({passed_on(function.parameters)})"
    if function.when == "passed":
        return [name], passed_c_wrapper(function, name, declared, call)
    if function.when == "completes":
        return [name], completing_c_wrapper(function, name, declared, call)
    lines = [f"TOPOWISE_EXPORT int {name}({declared}) {{", f'  static constinit Entry entry("{name}");', "  ++calls_seen();"]
    first, record = split_around(function, record)
    lines += first
    answer = f"{function.answered}(next<int({signature})>(entry), {passed_to_answer(function.parameters, is_large)})"
    if function.when in ("after", "around"):
        made = f"allreduce::wanted({function.wanted}) ? {answer} : {call}" if function.answered else call
        lines += [f"  const int status = {made};", f"  if (status == 0) {record};", "  return status;"]
    else:
        lines += [f"  {record};"]
        if function.answered:
            lines += [f"  if (allreduce::wanted({function.wanted})) return {answer};"]
        lines += [f"  return {call};"]
    return [name], "\n".join(lines + ["}", ""])


def fortran_wrapper(function, binding):
    """`binding` is "" for mpif.h and the module mpi; it is "f08" or "f08ts" for mpi_f08."""
    base = f"{function.prefix}_{function.name}".lower()
    names = [f"{base}_{binding}_"] if binding else [f"{base}_", f"{base}__", base, base.upper()]
    if function.when == "replaced":
        return replaced_fortran_wrapper(function, names)
    if function.when == "passed":
        return passed_fortran_wrapper(function, names)
    if function.when == "completes":
        return completing_fortran_wrapper(function, names)
    parameters = [(name, kind) for name, kind in function.fortran_parameters if kind != "v"] + [("ierror", "p")]
    types = [FORTRAN_TYPES.get(kind, "const int*") for _, kind in parameters]
    values = {**FORTRAN_VALUES, **({"b": "fortran::described_buffer({0})"} if binding == "f08ts" else {})}
    record = substitute(function.record, parameters, values)
    declared = ", ".join(f"{t} {name}" for t, (name, _) in zip(types, parameters))
    call = f"next<void({', '.join(types)})>(entry)({passed_on(parameters)})"
    lines = [f"TOPOWISE_EXPORT void {names[0]}({declared}) {{", f'  static constinit Entry entry("{" ".join(names)}");']
    first, record = split_around(function, record)
    lines += first
    if function.answered:
        buffer = "fortran::described_buffer({0})" if binding == "f08ts" else "fortran::buffer({0})"
        given = dict(b=buffer, n="*{0}", i="*{0}", t="fortran::converted(fortran::type({0}))", o="fortran::op({0})",
                     c="in_order(fortran::converted(fortran::comm({0})))")
        counts = "Counts{{{0}, false}}"
        answer = ", ".join((buffer if name == "rbuf" else counts if is_list(name, kind) else given.get(kind, "{0}")).format(name) for name, kind in parameters)
        succeeded = " && fortran::succeeded(ierror)" if function.when == "after" else ""
        lines += ["  const std::uint64_t before = calls_seen();",
                  f"  if (allreduce::wanted_in_fortran({function.wanted}))", f"    {function.answered}_in_fortran({answer});",
                  "  else", f"    {call};", f"  if (calls_seen() == before{succeeded}) {record};"]
    elif function.when == "always":
        lines += [f"  {record};", f"  {call};"]
    else:
        succeeded = " && fortran::succeeded(ierror)" if function.when in ("after", "around") else ""
        lines += ["  const std::uint64_t before = calls_seen();", f"  {call};", f"  if (calls_seen() == before{succeeded}) {record};"]
    lines += ["}"] + [f'TOPOWISE_EXPORT decltype({names[0]}) {other} __attribute__((alias("{names[0]}")));' for other in names[1:]]
    return names, "\n".join(lines + [""])


def has_buffer(function):
    return any(kind == "b" for _, kind in function.parameters)


def main():
    functions, large = read(pathlib.Path(sys.argv[1]))
    output = pathlib.Path(sys.argv[2])
    c = [c_wrapper(f, False) for f in functions if "fortran" not in f.flags]
    c += [c_wrapper(f, True) for f in functions if f.name in large and f.prefix == "MPI"]
    # Only functions with a choice buffer have a form with array descriptors.
    fortran = [fortran_wrapper(f, binding) for f in functions for binding in ("", "f08", "f08ts") if binding != "f08ts" or has_buffer(f)]
    exported = sorted(name for names, _ in c + fortran for name in names)
    output.mkdir(parents=True, exist_ok=True)
    (output / "wrappers_c.cpp").write_text(HEAD + "\n".join(text for _, text in c))
    (output / "wrappers_fortran.cpp").write_text(HEAD + "\n".join(text for _, text in fortran))
    exported.append("nccl*")  # written by hand: topowise/interpose/nccl
    (output / "exports.map").write_text("{\n  global:\n" + "".join(f"    {name};\n" for name in exported) + "  local: *;\n};\n")


if __name__ == "__main__":
    main()
