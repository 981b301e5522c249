"""The order in which several processes take the tests: long ones first, so that no process is left with one at the end.

xdist's `worksteal` gives each process an equal stretch of the list; who has finished takes the end of another's.
"""

from itertools import groupby

import pytest

WAITING = {"browser", "services"}  # they wait for other processes as much as they work


def dealt(items: list[pytest.Item], processes: int) -> list[pytest.Item]:
    """The tests in stretches for so many processes; the tests of a module stay together, as they share fixtures.

    Half of the processes begin with modules that wait for browsers and servers, half with slow ones that only work:
    together they leave no core idle. All end with quick tests, which are the easiest to share. The longest slow module
    is among those begun with: left to the end, half of it would be taken by a process that prepares its rows again.
    """
    modules = [list(group) for _, group in groupby(items, key=lambda item: item.path)]
    modules.sort(key=_longest, reverse=True)  # a stable sort: otherwise as they came
    waiting = [module for module in modules if _marks(module) & WAITING]
    slow = [module for module in modules if not _marks(module) & WAITING and "slow" in _marks(module)]
    quick = [item for module in modules if not _marks(module) & {*WAITING, "slow"} for item in module]
    stretches = []
    for number in range(processes):
        kinds = [waiting[number::processes], slow[(number - 1) % processes :: processes]]
        stretch = [item for kind in (kinds if number % 2 == 0 else kinds[::-1]) for module in kind for item in module]
        stretches.append(stretch)
    for number, stretch in enumerate(stretches):  # filled up to the length that xdist gives to each
        share = sum(map(len, stretches[number:])) + len(quick)
        wanted = max(0, share // (processes - number) - len(stretch))
        stretch.extend(quick[:wanted])
        del quick[:wanted]
    return [item for stretch in stretches for item in stretch] + quick


def _marks(module: list[pytest.Item]) -> set[str]:
    return {mark.name for item in module for mark in item.iter_markers()}


def _longest(module: list[pytest.Item]) -> float:
    """The longest time that a test of the module asks to be given, in seconds."""
    return max(mark.args[0] if (mark := item.get_closest_marker("timeout")) else 0 for item in module)
