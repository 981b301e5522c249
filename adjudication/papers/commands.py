"""litmus adjudicate_papers."""

import json
from collections.abc import Callable
from typing import Any, ClassVar

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import SteppedCommand, text_of
from accounts.refusals import Refused
from adjudication.papers.api import PaperRowSerializer
from adjudication.papers.case_details import case_as_json
from adjudication.papers.merging import (
    accept_paper,
    choose_versions,
    step_adjudication,
    withdraw_acceptance,
    write_adjudication,
)
from adjudication.papers.papers import FILTERS, fetch_case, paper_rows
from adjudication.verdicts.extra_judges import judge_name, send_back_paper
from annotation.campaigns.campaigns import campaign_with
from annotation.kind import Judged
from annotation.models import Campaign, Item
from engines.definitions.extractions import write_content


class AdjudicatePapers(SteppedCommand):
    """litmus adjudicate_papers SLUG STEP CAMPAIGN [PAPER]: one extraction of several, by the steps of the screen."""

    called = "adjudicate_papers"
    task = "Agree and decide"
    example = """
    adjudicate_papers demo list citation-contexts
    adjudicate_papers demo show citation-contexts hives
    adjudicate_papers demo content citation-contexts hives --json
    adjudicate_papers demo take citation-contexts hives 1 A
    adjudicate_papers demo take-everything citation-contexts hives A
    adjudicate_papers demo take-rest citation-contexts hives A
    adjudicate_papers demo undo citation-contexts hives
    adjudicate_papers demo redo citation-contexts hives
    adjudicate_papers demo write citation-contexts hives content.json
    adjudicate_papers demo accept citation-contexts hives
    adjudicate_papers demo reopen citation-contexts hives
    adjudicate_papers demo send-back citation-contexts hives
    """
    line = "Take one extraction of a paper from several, difference by difference"
    help = (
        "Papers that several annotators have finished: see where their versions differ, take one at each difference,"
        " accept the result. `adjudicate` accepts what majorities decide."
    )
    reads: ClassVar[dict[str, str]] = {
        "list": "list the papers with how much their versions differ",
        "show": "show where the versions of a paper differ",
        "content": "print what would be accepted now, as JSON",
    }
    writes: ClassVar[dict[str, str]] = {
        "take": "take a variant at one difference",
        "take-everything": "take everything from one version",
        "take-rest": "take what is still undecided as one version has it",
        "undo": "go one step back",
        "redo": "go one step forward again",
        "write": "replace the result with an edited extraction",
        "accept": "accept the result: exports and statistics are made of it",
        "reopen": "reopen an accepted paper; choices and edits are kept",
        "send-back": "ask for one more annotator",
    }

    def add_list(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="short name of the campaign")
        parser.add_argument("--state", choices=list(FILTERS), default="", help="default: all")

    def add_show(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="short name of the campaign")
        parser.add_argument("paper", help="its key: the DOI, or the name of its file")

    add_content = add_undo = add_redo = add_reopen = add_send_back = add_show

    def add_take(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("difference", help="its number or its name, as `show` has them")
        parser.add_argument("variant", help="letter of a version that has it, or its name")
        _add_seen(parser)

    def add_take_everything(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("everything", metavar="version", help="letter of the version")
        _add_seen(parser)

    def add_take_rest(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("rest", metavar="version", help="letter of the version")
        _add_seen(parser)

    def add_write(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("file", help="JSON as `content` prints it; -: standard input")
        _add_seen(parser)

    def add_accept(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("--despite", action="store_true", help="accept it despite open findings")
        _add_seen(parser)

    def list(self, *, slug: str, campaign: str, state: str) -> tuple[str, dict[str, Any]]:
        found = [row for row in paper_rows(_campaign(slug, campaign)) if not state or row.is_under(state)]
        rows = PaperRowSerializer(found, many=True).data
        lines = [
            f"{one['paper']}: {one['versions']} versions, {one['differences']:,} differences; {FILTERS[one['state']]}"
            for one in rows
        ]
        return "\n".join(lines) or "No papers.", {"papers": rows}

    def show(self, **where: str) -> tuple[str, dict[str, Any]]:
        return _shown(_item(**where))

    def content(self, **where: str) -> tuple[str, dict[str, Any]]:
        case = fetch_case(_item(**where))
        found = write_content(case.result)
        return json.dumps(found, ensure_ascii=False, indent=1), {"seen": case.seen, "content": found}

    def take(self, *, slug: str, campaign: str, paper: str, **chosen: Any) -> tuple[str, dict[str, Any]]:
        return _change(_item(slug, campaign, paper), choose_versions, **chosen)

    take_everything = take_rest = take

    def undo(self, **where: str) -> tuple[str, dict[str, Any]]:
        return _change(_item(**where), step_adjudication, step="undo")

    def redo(self, **where: str) -> tuple[str, dict[str, Any]]:
        return _change(_item(**where), step_adjudication, step="redo")

    def write(self, *, file: str, seen: str | None, **where: str) -> tuple[str, dict[str, Any]]:
        item = _item(**where)
        try:
            content = json.loads(text_of(file, MOST_BYTES))
        except (ValueError, RecursionError) as error:
            raise Refused(f"{file} is not JSON: {error}.") from error
        if isinstance(content, dict) and set(content) == {"seen", "content"}:  # as `content --json` prints it
            seen, content = seen or content["seen"], content["content"]
        return _change(item, write_adjudication, content=content, seen=seen)

    def accept(self, *, despite: bool, seen: str | None, **where: str) -> tuple[str, dict[str, Any]]:
        return _change(_item(**where), accept_paper, despite=despite, seen=seen)

    def reopen(self, **where: str) -> tuple[str, dict[str, Any]]:
        return _change(_item(**where), withdraw_acceptance, seen=None)

    def send_back(self, **where: str) -> tuple[str, dict[str, Any]]:
        item = _item(**where)
        sent = send_back_paper(item=item, by=None, at=timezone.now())
        text = f"Sent back to {judge_name(sent)}. Their submission will be added to the versions of this paper."
        return text, {"paper": where["paper"]}


MOST_BYTES = 20_000_000


def _add_seen(parser: CommandParser) -> None:
    parser.add_argument("--seen", default=None, help="of `show --json`: refuse if the paper has changed since")


def _campaign(slug: str, name: str) -> Campaign:
    found = campaign_with(slug, name)
    if found.kind_object.judges != Judged.PAPERS:
        raise Refused(f"{found} grades items; its votes are counted by `adjudicate`.")
    return found


def _item(slug: str, campaign: str, paper: str) -> Item:
    rows = _campaign(slug, campaign).items.select_related("campaign__collection", "paper")
    found = rows.filter(paper__key=paper).first()
    if found is None:
        raise Refused(f"There is no paper {paper} in {campaign}.")
    return found


def _change(item: Item, action: Callable[..., object], **options: Any) -> tuple[str, dict[str, Any]]:
    action(item=item, by=None, at=timezone.now(), **options)
    return _shown(item)


def _shown(item: Item) -> tuple[str, dict[str, Any]]:
    found = case_as_json(fetch_case(item))
    lines = [f"{found['paper']}: {FILTERS[found['state']]}, {found['undecided']:,} undecided"]
    for one in found["differences"]:
        lines.append(f"{one['number']}. {one['where']}, {', '.join(one['differs_in']) or one['kind']} ({one['state']})")
        lines += [f"   {'*' if each['is_chosen'] else ' '} {_says(each)}" for each in one["variants"]]
    return "\n".join([*lines, *found["findings"]]), found


def _says(variant: dict[str, Any]) -> str:
    """The letters of a variant and what it says, on one line."""
    reference, text = variant["reference"], variant["section"]
    if reference:
        text = reference["identifier"] or "no identifier"
    elif variant["sentences"]:
        text = " ".join(one["text"] for one in variant["sentences"])
    elif variant["is_context"]:
        text = "a context"
    return f"{', '.join(variant['versions'])}: {text or 'nothing'}"
