"""Asking for an evaluation; having judged what its gold does not know; deleting imported qrels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, BinaryIO

from django.core.files.base import ContentFile
from django.db import transaction
from django.template.defaultfilters import pluralize

from accounts import jobs
from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Refused
from adjudication.evaluation.golds.kind import Grades
from adjudication.evaluation.golds.registry import check_gold, lasting_selector, read_decided
from adjudication.evaluation.presets.registry import find_preset
from adjudication.evaluation.rankings import find_runs
from adjudication.evaluation.rules import check_can_see, check_decided, check_not_sealed_labels
from adjudication.evaluation.search_sheets import FilledSheet, read_sheet
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.evaluation.unjudged import DEPTHS, fetch_unjudged, pairs_of, without_items
from adjudication.exporting.exporter import find_campaign
from adjudication.labels.rules import check_adjudicator, fetch_role
from adjudication.models import Evaluation, ImportedQrels
from annotation.campaigns.items import build_items_of
from annotation.campaigns.lifecycle import copy_campaign, create_campaign
from annotation.models import Campaign
from corpus.collections.rules import check_manager
from corpus.imports.requests import request_import
from corpus.models import Collection, ImportRun
from corpus.pools.requests import add_all_to_pool

MOST_BYTES = 10 << 20  # of a filled sheet
TAG = "search-sheet"


@transaction.atomic
def request_evaluation(
    *,
    collection: Collection,
    spec: EvaluationSpec,
    by: User | None,
    at: datetime,
    files: Mapping[str, Grades] | None = None,
    send: bool = True,
) -> Evaluation:
    """Have the runs measured by a background job. What is wrong with the words is refused now.

    The command line (`by` is None) brings `files` with qrels, by the name a gold calls them, and does the work itself.
    Errors: NotAllowed for who may not see the gold's labels, Refused for what is unknown or does not go together.
    """
    check_adjudicator(collection, by)
    check_words(collection, spec, files)
    if by is not None:
        check_can_see(fetch_role(collection, by), spec)
    check_decided(collection, spec)
    spec = _settled(collection, spec)
    words: dict[str, Any] = {"collection": collection, "seed": spec.seed, "parameters": spec.as_json()}
    job = jobs.new_job(Evaluation, by=by, at=at, send=send, **words)
    words = {"gold": spec.gold, "runs": list(spec.runs), "preset": spec.preset}
    record_event(by=by, at=at, verb="request_evaluation", target=job, scope=collection, **words)
    return job


def _settled(collection: Collection, spec: EvaluationSpec) -> EvaluationSpec:
    """The evaluation with golds named by their campaigns: campaigns added later do not change its meaning, and those
    named decide who may see it."""
    parts = find_preset(spec.preset).parts if spec.preset else ()
    gold = spec.gold or (parts[0].gold if len(parts) == 1 else "")
    golds = [each and lasting_selector(collection, each) for each in (gold, spec.against)]
    return replace(spec, gold=golds[0], against=golds[1])


def check_words(collection: Collection, spec: EvaluationSpec, files: Mapping[str, Grades] | None = None) -> None:
    """Check the options before any work. Errors: Refused for invalid ones; NotAllowed for sealed labels."""
    spec.check()
    if not (spec.gold or spec.preset):
        raise Refused("Choose a gold or a preset to measure the runs against.")
    if spec.preset:
        find_preset(spec.preset).check(spec)
    for gold in spec.golds:
        check_gold(collection, gold, files)
    check_not_sealed_labels(collection, spec)
    if not spec.preset or find_preset(spec.preset).measures_runs:
        find_runs(collection, spec.runs)
    spec.parsed()


@dataclass(frozen=True)
class Judging:
    """How many unjudged documents became items of a campaign. `absent` documents are not in the collection."""

    campaign: Campaign
    documents: int
    pooled: int = field(metadata={"help": "of the documents, those that no pool had"})
    items: int
    absent: int = field(metadata={"help": "unjudged documents that the collection does not have"})


@transaction.atomic
def judge_unjudged(
    *,
    collection: Collection,
    gold: str,
    runs: Sequence[str],
    depth: int,
    by: User | None,
    at: datetime,
    topics: Sequence[str] = (),
    campaign: str = "",
    name: str = "",
) -> Judging:
    """Pool the documents that the gold does not know among the first `depth` of the runs, and make items of them.

    Those that are items of the campaign behind the gold wait there for their values and are left out.

    The items go to the campaign of that short name, or to a new draft called `name`: a copy of the campaign behind the
    gold, where it has one, with its criteria, guideline and people. Errors: Refused where there is nothing to judge.
    """
    check_manager(collection, by)
    if not 1 <= depth <= DEPTHS[-1]:
        raise Refused(f"The depth must be between 1 and {DEPTHS[-1]}.")
    if not (campaign or name.strip()):
        raise Refused("Say which campaign gets the items, or give a new draft a name.")
    chosen = find_campaign(collection, campaign) if campaign else None
    found = read_decided(collection, gold)
    if unknown := set(topics).difference(found.gold.topics):
        raise Refused(f"The gold has no topic {min(unknown)}.")
    rows, _ = fetch_unjudged(collection, found, runs, depth, topics or None)
    here = pairs_of(collection, found.unit, rows)
    pairs = without_items(found.campaigns, here)
    if not pairs:
        raise Refused(_why_nothing(len(rows), len(here), depth))
    pooled = add_all_to_pool(by=by, at=at, collection=collection, pairs=pairs)
    taken = chosen or _new_campaign(collection, found.campaigns, name, by, at)
    items = build_items_of(campaign=taken, by=by, at=at, pairs=pairs)
    if not items:
        raise Refused(
            f"{taken} has items of the {len(pairs):,} document{pluralize(len(pairs))} already, or cannot accept them."
        )
    return Judging(taken, len(pairs), pooled, items, len(rows) - len(here))


def _why_nothing(rows: int, here: int, depth: int) -> str:
    if here:
        number = f"{here:,} document{pluralize(here)}"
        return f"The gold's campaign has items of the {number} already, which wait for judgments or decisions."
    if rows:
        return f"None of the {rows:,} unjudged documents is in the collection, so nobody can judge them here."
    return f"The gold judges every document among the first {depth} of the runs: there is nothing left to judge."


def _new_campaign(
    collection: Collection, campaigns: Sequence[Campaign], name: str, by: User | None, at: datetime
) -> Campaign:
    if len(campaigns) == 1 and campaigns[0].kind_object.insert_pairs:
        return copy_campaign(campaign=campaigns[0], by=by, at=at, name=name)
    return create_campaign(collection=collection, by=by, at=at, name=name)


@transaction.atomic
def delete_qrels(*, qrels: ImportedQrels, by: User, at: datetime) -> None:
    """Delete imported qrels; evaluations that were made with them keep their figures. Errors: NotAllowed, Conflict."""
    check_manager(qrels.collection, by)
    record_event(by=by, at=at, verb="delete_qrels", target=qrels, scope=qrels.collection, name=qrels.name)
    qrels.delete()


def import_sheet(
    *, collection: Collection, name: str, file: str, stream: BinaryIO, by: User | None, at: datetime, send: bool = True
) -> tuple[FilledSheet, ImportRun]:
    """Read a filled sheet and have it imported as the run `name`, which can be undone like any import.

    Errors: NotAllowed; Refused for a sheet that cannot be read, with its lines.
    """
    check_manager(collection, by)
    if len(stream.read(MOST_BYTES + 1)) > MOST_BYTES:
        raise Refused(f"{file} is larger than {MOST_BYTES >> 20} MB.")
    stream.seek(0)
    if not name.strip():
        raise Refused("Give the run a name, such as that of the search engine.")
    sheet = read_sheet(collection, stream, file)
    upload = ContentFile("".join(sheet.lines(TAG)).encode(), f"{file}.run")
    run = request_import(
        by=by,
        at=at,
        collection=collection,
        kind="runs",
        files=[upload],
        format="trec",
        send=send,
        name=name.strip(),
    )
    return sheet, run
