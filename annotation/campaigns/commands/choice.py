"""Choosing items by arguments: each kind has its own, and those of another kind are refused, not ignored."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from accounts.refusals import Refused
from annotation.kind import Kind, kinds


def add_choice_arguments(parser: ArgumentParser) -> None:
    """The arguments of all kinds; several kinds may share a way to choose."""
    for choosing in dict.fromkeys(kind.choosing for kind in kinds() if kind.choosing):
        choosing.add_arguments(parser)


def choice_of(kind: Kind, options: Mapping[str, Any]) -> Any:
    """What was chosen, None for kinds without a choice. Errors: Refused for arguments that the kind does not have."""
    own = _arguments(kind)
    for other in kinds():
        for name, (flag, default) in _arguments(other).items():
            if name not in own and options.get(name, default) != default:
                raise Refused(f"{flag} chooses items of a {other} campaign; this is a {kind} campaign.")
    return kind.choosing.of_command(options) if kind.choosing else None


def _arguments(kind: Kind) -> dict[str, tuple[str, Any]]:
    """{name of the option: (flag, what it is when it is not given)} of one kind."""
    parser = ArgumentParser(add_help=False)
    if kind.choosing:
        kind.choosing.add_arguments(parser)
    return {action.dest: (action.option_strings[0], action.default) for action in parser._actions}
