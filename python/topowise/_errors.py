# SPDX-License-Identifier: BSD-3-Clause
"""The errors and warnings of this package. Errors have the text and the hint that the program `topowise` prints."""

from __future__ import annotations

import re
from typing import NamedTuple, TypeVar


class Diagnostic(NamedTuple):
    """One thing that is wrong with one input."""

    where: str  #: file name or option; may be empty
    line: int  #: in that file, from 1; 0: not known
    column: int  #: in that line, from 1; 0: not known
    what: str  #: what is wrong, the offending text in '...'
    source_line: str  #: the text of that line; may be empty
    hint: str  #: what to do instead; may be empty


class Error(Exception):
    """Something that topowise cannot do. str() gives what the program prints: place, reason, hint.

    If an option of the program is an argument here, the text names the argument: ranks_per_place=2 for --ranks-per-place 2.
    """

    status: int  #: exit status of the program for the same error
    diagnostics: tuple[Diagnostic, ...]  #: at least one

    def __init__(self, text: str, status: int = 70, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(text, status, diagnostics)
        self.status = status
        self.diagnostics = diagnostics or (Diagnostic("", 0, 0, text, "", ""),)

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def hint(self) -> str:
        """What to do instead; may be empty."""
        return self.diagnostics[0].hint


class UsageError(Error, ValueError):
    """An argument is not one of the allowed values, such as an unknown mapper, format or objective (exit status 2)."""


class BadInput(Error, ValueError):
    """The content of an input is wrong: a damaged file, negative bytes, more ranks than places (exit status 3)."""


class NotAvailable(Error, RuntimeError):
    """This machine lacks something that is needed, such as a GPU or a permission (exit status 4)."""


_Kind = TypeVar("_Kind", bound=Error)


class TopowiseWarning(UserWarning):
    """Something odd. The result could be computed all the same."""


_HINT = "hint: "
_INTERRUPTED = 130
_OF_STATUS = {2: UsageError, 3: BadInput, 4: NotAvailable}
_ARGUMENT_OF = {"emit": "launcher", "fix": "fixed"}
_SAME_NAME = ("collectives", "format", "imbalance", "mapper", "memory", "metric", "model", "objective", "ranks-per-place")
_ARGUMENT_OF.update({name: name.replace("-", "_") for name in _SAME_NAME})
_OPTION = re.compile(rf"--({'|'.join(_ARGUMENT_OF)})\b(?: ([^\s:]+))?")


def _as_argument(option: re.Match[str]) -> str:
    name, value = _ARGUMENT_OF[option[1]], option[2]
    if value is None:
        return name
    words = value.islower() and not value[0].isdigit()  # N and NAME stand for values that the caller chooses
    return f"{name}={'|'.join(map(repr, value.split('|'))) if words else value}"


def _of_this_side(text: str) -> str:
    """The text with options replaced by the arguments of this package. Commands of the program keep their options."""
    return _OPTION.sub(_as_argument, text) if text.startswith("--") else text


def _line_of_this_side(line: str) -> str:
    start = _HINT if line.startswith(_HINT) else ""
    return start + _of_this_side(line.removeprefix(start))


def from_library(status: int, diagnostics: list[tuple[str, int, int, str, str, str, str]]) -> BaseException:
    """The exception for an error of the C++ library; the last part of a diagnostic is its text."""
    if status == _INTERRUPTED:
        return KeyboardInterrupt()
    text = "\n".join(diagnostic[-1].removeprefix("error: ") for diagnostic in diagnostics)
    found = [Diagnostic(*diagnostic[:-1]) for diagnostic in diagnostics]
    told = tuple(one._replace(where=_of_this_side(one.where), hint=_of_this_side(one.hint)) for one in found)
    text = "\n".join(_line_of_this_side(line) for line in text.split("\n"))
    return _OF_STATUS.get(status, Error)(text, status, told)


def _made(kind: type[_Kind], status: int, text: str, hint: str) -> _Kind:
    full = f"{text}\nhint: {hint}" if hint else text
    return kind(full, status, (Diagnostic("", 0, 0, text, "", hint),))


def bad_input(text: str, hint: str = "") -> BadInput:
    """A BadInput for a fault that this package finds itself."""
    return _made(BadInput, 3, text, hint)


def usage(text: str, hint: str = "") -> UsageError:
    """A UsageError for an argument that is not one of the allowed values."""
    return _made(UsageError, 2, text, hint)
