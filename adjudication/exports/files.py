"""An export as a whole: findings first, then the bytes."""

from collections.abc import Iterator
from dataclasses import dataclass

from accounts.refusals import Refused
from adjudication.exports.commented import Members, with_comment
from adjudication.exports.findings import Finding, find
from adjudication.exports.lines import members, written
from adjudication.exports.options import Options, make_options
from adjudication.exports.sources import labelled_campaigns
from annotation.models import Campaign, CampaignKind
from annotation.permissions.seals import check_not_sealed
from corpus.formats.zip_stream import zipped


@dataclass(frozen=True)
class Export:
    """A file that may be given out: its name, type, the warnings that go with it, and its bytes in pieces.

    `members` are the files of the archive where it is one only because a comment file goes with the file itself; to be
    read instead of `pieces`, in their order.
    """

    filename: str
    content_type: str
    warnings: tuple[Finding, ...]
    pieces: Iterator[bytes]
    members: Members | None = None


def open_export(options: Options) -> Export:
    """The file the options ask for. Refused, naming each reason, when anything fatal stands in its way.

    Nothing is read until the pieces are; they come from a cursor on the server, so memory stays flat.
    """
    for campaign in labelled_campaigns(options):
        check_not_sealed(campaign)
    findings = find(options)
    if fatal := [finding.text for finding in findings if finding.is_fatal]:
        raise Refused(f"{options.kind.label} cannot be written. " + " ".join(fatal))
    warnings = tuple(findings)
    if options.judged_only:
        found = with_comment(options, members(options), [finding.text for finding in warnings])
        alone = found if options.filename != options.base_name else None
        return Export(options.filename, options.content_type, warnings, zipped(found), alone)
    return Export(options.filename, options.content_type, warnings, written(options))


def campaign_findings(campaign: Campaign) -> list[Finding]:
    """What stands in the way of the campaign's query-level qrels; [] for kinds that have none."""
    if campaign.kind != CampaignKind.RELEVANCE or not campaign.criteria.exists():
        return []
    return find(make_options(campaign.collection, "qrels", campaign=campaign.slug))
