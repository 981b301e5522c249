"""An export as a whole: findings first, then the bytes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from accounts.refusals import Refused
from adjudication.exporting.commented import with_manifest
from adjudication.exporting.exporter import ZIP, Files, Finding, Options
from adjudication.exporting.findings import OVERRIDE, find
from adjudication.labels.rules import check_none_sealed
from engines.formats.zip_stream import zipped


@dataclass(frozen=True)
class Export:
    """A file that may be given out: its name, type, the warnings that go with it, and its bytes in pieces.

    `files` are the files of the archive where it is one only because a manifest goes with the file itself; to be
    read instead of `pieces`, in their order.
    """

    filename: str
    content_type: str
    warnings: tuple[Finding, ...]
    pieces: Iterator[bytes]
    files: Files | None = None


def open_export(options: Options) -> Export:
    """The file the options ask for. Refused, naming each reason, when anything fatal stands in its way.

    Only the first piece is read; the others come from a cursor on the server, so memory stays flat.
    """
    check_none_sealed(options.exporter.campaigns(options))
    findings = find(options)
    if fatal := [finding.text for finding in findings if finding.is_fatal]:
        raise Refused(f"{options.exporter.label} cannot be written. " + " ".join(fatal))
    name, warnings = sent_name(options, findings), tuple(findings)
    if not has_manifest(options, findings):
        return Export(name, options.exporter.media_type, warnings, _with_something(options))
    texts = [finding.fact for finding in findings]
    overrides = [finding.fact for finding in findings if finding.code == OVERRIDE]
    found = with_manifest(options, options.exporter.files(options), texts, overrides)
    alone = found if name != options.base_name else None
    return Export(name, ZIP, warnings, zipped(found), alone)


def _with_something(options: Options) -> Iterator[bytes]:
    """The pieces of the file. Refused where there are none: a file of nothing helps nobody."""
    found = options.exporter.pieces(options)
    first = next(found, b"")
    if not first:
        raise Refused(f"{options.exporter.label} cannot be written. {options.exporter.nothing}")
    return chain([first], found)


def has_manifest(options: Options, findings: Iterable[Finding]) -> bool:
    """Whether the file goes out with a manifest: scored over judged aspects only, or made from labels of a machine
    whose test was overridden. Its own format has no place for either.
    """
    return options.judged_only or any(finding.code == OVERRIDE for finding in findings)


def sent_name(options: Options, findings: Iterable[Finding]) -> str:
    """The name of what is sent: an archive where a manifest goes with the file."""
    name = options.base_name
    return f"{name}.zip" if has_manifest(options, findings) and not name.endswith(".zip") else name
