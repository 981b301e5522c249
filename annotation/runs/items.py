"""Making items from aspects and pools: set by set in the database, however many there are."""

from typing import Any

from django.db import IntegrityError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.audit import record_event
from accounts.jobs import Progress
from accounts.models import JobState
from accounts.refusals import Conflict, Refused
from accounts.table_statistics import analyse_changed_tables
from annotation.models import Campaign, CampaignKind, ItemBuild
from annotation.queries.items import LEFT, PAPERS_LEFT, Supply, fetch_supply, pair_parameters, whole_sets
from annotation.queries.questions import Choice
from annotation.runs.built import Built, Report, silent
from annotation.runs.calibration import check_calibration, draw_calibration
from annotation.runs.campaign_jobs import CampaignJob
from annotation.runs.constraints import checked_at_once
from annotation.runs.question_items import build_questions
from corpus.models import Collection

TOPIC_PAIRS_AT_ONCE = 20_000  # between two reports of progress

INSERT = """
INSERT INTO annotation_item (campaign_id, split, topic_id, aspect_id, document_id, extra_overlap)
SELECT %(campaign)s, %(split)s, chosen.topic_id, chosen.aspect_id, chosen.document_id, 0 FROM ({chosen}) chosen
JOIN corpus_topic t ON t.id = chosen.topic_id
ORDER BY t.position, t.id, chosen.aspect_id, chosen.document_id
"""
# A pair's place in the draw is a digest of the seed and its external ids: the same in every copy of the collection,
# independent of what else is in it, and a larger sample contains the smaller one.
DRAWN = f"""
SELECT topic_id, aspect_id, document_id FROM (
  SELECT l.*, row_number() OVER (PARTITION BY CASE WHEN %(stratified)s THEN l.topic_id END ORDER BY l.draw) AS place
  FROM (
    SELECT l.*, md5(concat_ws(E'\\x1f', %(seed)s, t.number, a.text, d.docno)) AS draw
    FROM ({LEFT}) l
    JOIN corpus_topic t ON t.id = l.topic_id
    JOIN corpus_document d ON d.id = l.document_id
    LEFT JOIN corpus_aspect a ON a.id = l.aspect_id
  ) l
) l ORDER BY place, draw LIMIT %(sample)s
"""
OF_TOPICS = f"SELECT * FROM ({LEFT}) l WHERE l.topic_id = ANY(%(topics)s)"
TOPIC_SIZES = f"SELECT topic_id, count(*) FROM ({LEFT}) l GROUP BY topic_id ORDER BY topic_id"

# Papers come in the collection's order, drawn as pairs are.
INSERT_PAPERS = f"""
INSERT INTO annotation_item (campaign_id, split, paper_id, extra_overlap)
SELECT %(campaign)s, %(split)s, drawn.id, 0 FROM (
  SELECT l.* FROM ({PAPERS_LEFT}) l ORDER BY md5(concat_ws(E'\\x1f', %(seed)s, l.key)) LIMIT %(sample)s
) drawn ORDER BY drawn.position, drawn.id
"""

NOTHING = {
    "pair": "No topic of the collection has a pool yet. Import runs or pool lists first, then build the items.",
    "paper": "The collection has no papers yet. Import them first, then build the items.",
}


@transaction.atomic
def build(campaign: Campaign, *, sample: int | None, seed: int, stratified: bool, report: Report = silent) -> Built:
    """Make items of all pairs that are left, or of `sample` of them drawn by `seed`.

    A sample never takes a pair that another development or test campaign has, whatever the campaign's own split.
    `stratified` draws the same number from each topic, as far as it has them. Builds of one collection wait for each
    other, so that held-out splits cannot take the same pair.
    Errors: Refused when there is nothing to take or less than asked for; Conflict where the campaign has gone.
    """
    Collection.objects.select_for_update(no_key=True).get(pk=campaign.collection_id)
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    supply = fetch_supply(campaign, sampled=sample is not None)
    _check_supply(campaign, supply, sample)
    try:
        created = _insert(campaign, supply, sample=sample, seed=seed, stratified=stratified, report=report)
    except IntegrityError as error:
        raise Conflict("Somebody changed the pools or another campaign at the same moment. Try again.") from error
    return Built(created, campaign.items.count(), supply.left - created, supply.held_elsewhere)


def build_as_told(campaign: Campaign, told: dict[str, Any], *, seed: int, report: Report = silent) -> Built:
    """Build as the campaign's kind has it; `told` are the parameters of an ItemBuild."""
    sampling: dict[str, Any] = {"sample": told.get("sample"), "seed": seed, "stratified": bool(told.get("stratified"))}
    if campaign.kind != CampaignKind.RUBRIC:
        return build(campaign, **sampling, report=report)
    choice = Choice(tuple(told.get("sources") or ()), told.get("kind") or "", told.get("text") or "")
    return build_questions(campaign, choice, **sampling, report=report)


class ItemBuildJob(CampaignJob[ItemBuild]):
    """Building a campaign's items."""

    model = ItemBuild
    title = "Items in the making"
    cancel_verb = "cancel_item_build"
    section = "items"
    is_for_managers = True

    def work(self, job: ItemBuild, progress: Progress) -> None:
        _work(job, progress)

    def clean_up(self, pk: int) -> None:  # noqa: ARG002
        analyse_changed_tables()

    def links(self, job: ItemBuild) -> list[tuple[str, str]]:
        names = [("item_build", "Try again")] if job.is_final else []
        if job.state == JobState.DONE:
            names = [("item_list", "See the items"), ("assignment_plan", "Plan the assignment")]
        return [(reverse(name, args=self.where(job)), words) for name, words in names]


def _work(job: ItemBuild, progress: Progress) -> None:
    if job.created:
        return  # it ended after its result was stored
    with transaction.atomic():
        built = build_as_told(job.campaign, job.parameters, seed=job.seed or 0, report=progress.report)
        job.created = built.created
        job.save(update_fields=["created"])
        _record(job, "build_items", created=built.created, **job.parameters)
        if wanted := job.parameters.get("calibration"):
            _calibrate(job, wanted)
        # The last moment at which cancelling still undoes everything.
        progress.report(built.created, built.created, "all items made")


def _calibrate(job: ItemBuild, wanted: dict[str, int]) -> None:
    """The calibration sample that was asked for with the items. Errors: Refused where they are too few, undoing all."""
    campaign, sample, overlap = job.campaign, wanted["sample"], wanted["overlap"]
    check_calibration(campaign, sample, overlap, campaign.items.count())
    changed = draw_calibration(campaign, sample, wanted["seed"], overlap - campaign.overlap)
    _record(job, "set_calibration", changed=changed, **wanted)


def _record(job: ItemBuild, verb: str, **facts: Any) -> None:
    scope = job.campaign.collection
    record_event(by=job.requested_by, at=timezone.now(), verb=verb, target=job.campaign, scope=scope, **facts)


def _check_supply(campaign: Campaign, supply: Supply, sample: int | None) -> None:
    noun = "pair" if campaign.has_criteria else "paper"
    left, held = supply.left, supply.held_elsewhere
    if not supply.pairs:
        raise Refused(NOTHING[noun])
    where = ""
    if held:
        where = f" {held:,} of the collection's {supply.pairs:,} {noun}s are in other development or test campaigns."
    if not left:
        raise Refused(f"No {noun}s are left for this campaign: all that it may take it has already.{where}")
    if sample is not None and sample > left:
        raise Refused(f"Only {left:,} {noun}s are left for this campaign, and {sample:,} were asked for.{where}")


def _insert(
    campaign: Campaign, supply: Supply, *, sample: int | None, seed: int, stratified: bool, report: Report
) -> int:
    """Make the items; how many were made."""
    if campaign.kind == CampaignKind.EXTRACTION:
        named = {**_named(campaign, sampled=sample is not None), "sample": sample, "seed": str(seed)}
        with connection.cursor() as cursor:
            cursor.execute(INSERT_PAPERS, named)
            return cursor.rowcount
    if sample is None:
        return _insert_all(campaign, supply.left, report)
    return _draw(campaign, sample, seed, stratified)


def _draw(campaign: Campaign, sample: int, seed: int, stratified: bool) -> int:
    named = {**_named(campaign, sampled=True), "sample": sample, "seed": str(seed), "stratified": stratified}
    with whole_sets() as cursor:
        cursor.execute(INSERT.format(chosen=DRAWN), named)
        return cursor.rowcount


def _insert_all(campaign: Campaign, total: int, report: Report) -> int:
    done = 0
    with checked_at_once(), whole_sets() as cursor:
        cursor.execute(TOPIC_SIZES, _named(campaign))
        for topics, size in _batches(cursor.fetchall()):
            report(done, total, "making items")
            cursor.execute(INSERT.format(chosen=OF_TOPICS), {**_named(campaign), "topics": topics})
            done += size
    return done


def _batches(sizes: list[tuple[int, int]]) -> list[tuple[list[int], int]]:
    """Topics in groups of about TOPIC_PAIRS_AT_ONCE pairs, with the pairs of each group."""
    batches: list[tuple[list[int], int]] = []
    for topic, size in sizes:
        if batches and batches[-1][1] + size <= TOPIC_PAIRS_AT_ONCE:
            topics, before = batches[-1]
            topics.append(topic)  # in place: copied, a hundred thousand topics cost their square
            batches[-1] = (topics, before + size)
        else:
            batches.append(([topic], size))
    return batches


def _named(campaign: Campaign, *, sampled: bool = False) -> dict[str, Any]:
    return {**pair_parameters(campaign, sampled=sampled), "split": str(campaign.split)}
