"""Registries: what Litmus knows of a sort by name, open to other packages through entry points.

A package declares its entries in its metadata under the registry's group, for example

    [project.entry-points."litmus.exporters"]
    tsv = "my_package.tsv:EXPORTER"

They are loaded when somebody first asks for a name that is not ours, or for all. One that cannot be loaded is left out
and listed in `broken`: no page fails because of it. This module knows no Django, so that engines can have registries.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from pkgutil import resolve_name
from typing import Generic, Protocol, TypeVar


class Entry(Protocol):
    """What a registry holds: `name` is stored and stands in addresses, people read `label`."""

    @property
    def name(self) -> str: ...

    @property
    def label(self) -> str: ...


E = TypeVar("E", bound=Entry)


@dataclass(frozen=True)
class BrokenPlugin:
    """An entry of another package that cannot be used, and why."""

    group: str
    name: str
    package: str
    reason: str

    def __str__(self) -> str:
        return f"“{self.name}” ({self.group}) of the package {self.package} cannot be used: {self.reason}"


class Registry(Mapping[str, E], Generic[E]):
    """Entries by name: our own in their order, then those of other packages by name."""

    def __init__(self, group: str, kind: type[E], *entries: E | str) -> None:
        """Entries are instances of `kind`; `group` names the entry points.

        An entry may be a path, "package.module:NAME", of one or of a tuple of them: what the registry is made of may
        lie above it, and is loaded at the first question.
        """
        self.group = group
        self.kind = kind
        self._entries = entries

    @cached_property
    def own(self) -> dict[str, E]:
        """Our own entries. Errors: ValueError for a name used twice."""
        found: dict[str, E] = {}
        for each in self._entries:
            loaded = resolve_name(each) if isinstance(each, str) else each
            for entry in loaded if isinstance(loaded, tuple) else (loaded,):
                if entry.name in found:
                    raise ValueError(f"{self.group}: two entries are called “{entry.name}”")
                found[entry.name] = entry
        return found

    def __getitem__(self, name: str) -> E:
        return self.own[name] if name in self.own else self.plugins[name]

    def __iter__(self) -> Iterator[str]:
        yield from self.own
        yield from self.plugins

    def __len__(self) -> int:
        return len(self.own) + len(self.plugins)

    @property
    def plugins(self) -> dict[str, E]:
        """The entries of other packages."""
        return self._loaded[0]

    @property
    def broken(self) -> list[BrokenPlugin]:
        """What other packages declare and cannot be used."""
        return self._loaded[1]

    def label_of(self, name: str) -> str:
        """What people read for a stored name, whose package may be gone since."""
        return self[name].label if name in self else f"{name} (not installed)"

    def reload(self) -> None:
        """Look for packages again at the next question."""
        self.__dict__.pop("_loaded", None)

    @cached_property
    def _loaded(self) -> tuple[dict[str, E], list[BrokenPlugin]]:
        found: dict[str, E] = {}
        broken: list[BrokenPlugin] = []
        for point in sorted(entry_points(group=self.group)):
            try:
                found[point.name] = self._load(point, found)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - code of others may fail in any way
                package = f"{point.dist.name} {point.dist.version}" if point.dist else "?"
                reason = str(error) if isinstance(error, _Unfit) else f"{type(error).__name__}: {error}"
                broken.append(BrokenPlugin(self.group, point.name, package, reason))
        return found, broken

    def _load(self, point: EntryPoint, found: Mapping[str, E]) -> E:
        if point.name in self.own or point.name in found:
            raise _Unfit("its name is taken")
        entry = point.load()
        if not isinstance(entry, self.kind):
            raise _Unfit(f"{point.value} is no {self.kind.__name__}")
        if entry.name != point.name:
            raise _Unfit(f"it calls itself “{entry.name}”")
        return entry


class _Unfit(Exception):
    """The entry was loaded and is not what its registry holds."""
