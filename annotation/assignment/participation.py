"""How one person takes part in one campaign: all that a labelling request needs, read by one statement."""

import json
from dataclasses import dataclass
from datetime import timedelta

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.prepared_statements import run
from accounts.refusals import NotAllowed, Refused
from annotation.kind import Kind, Labelling, kind_by_name
from annotation.models import AnnotatorState, CampaignState, Order, Purpose, Strategy

# Whether a collection `col` asks for a consent that the person has not given: to the newest version of its text.
LACKS_CONSENT = """
(SELECT t.body <> '' AND NOT EXISTS (
    SELECT FROM annotation_consent given
    WHERE given.text_id = t.id AND given.user_id = %(user)s AND given.withdrawn_at IS NULL)
  FROM annotation_consenttext t WHERE t.collection_id = col.id ORDER BY t.version DESC LIMIT 1)
"""
PARTICIPATION = f"""
SELECT an.id AS annotator, an.state AS annotator_state, an.guideline_seen, an.guideline_folded, an.queue_position,
  an.withdrew_at IS NOT NULL AS has_withdrawn, {LACKS_CONSENT} AS lacks_consent,
  col.archived_at IS NOT NULL AS is_archived, col.language,
  c.id AS campaign, c.collection_id AS collection, c.kind, c.name, c.options::text AS options,
  c.state AS campaign_state, c.purpose, c.strategy, c."order", c.lease_minutes,
  (SELECT max(g.version) FROM annotation_guideline g WHERE g.campaign_id = c.id) AS guideline,
  (SELECT json_agg(json_build_array(cr.id, cr.key, cr.label, (
      SELECT json_object_agg(l.value, l.reasons) FROM annotation_level l WHERE l.criterion_id = cr.id
    )) ORDER BY cr.position, cr.id)
    FROM annotation_criterion cr WHERE cr.campaign_id = c.id)::text AS criteria
FROM corpus_collection col
JOIN corpus_membership m ON m.collection_id = col.id AND m.user_id = %(user)s
JOIN annotation_campaign c ON c.collection_id = col.id AND c.slug = %(campaign)s
JOIN annotation_annotator an ON an.campaign_id = c.id AND an.user_id = %(user)s
WHERE col.slug = %(collection)s
"""
# Every writer locks the annotator's row first: one person's requests go one after the other, and every other
# writer (pausing, reassigning) takes its locks in the same order, so none waits for the other for ever.
LOCKED_PARTICIPATION = PARTICIPATION + "FOR NO KEY UPDATE OF an"
MEMBER = """
SELECT c.name FROM corpus_collection col
JOIN corpus_membership m ON m.collection_id = col.id AND m.user_id = %(user)s
JOIN annotation_campaign c ON c.collection_id = col.id AND c.slug = %(campaign)s
WHERE col.slug = %(collection)s
"""


@dataclass(frozen=True, slots=True)
class CriterionScale:
    """One criterion as an answer is checked against it: {value: reasons of which one is demanded, or none}."""

    id: int
    key: str
    label: str
    reasons: dict[int, list[str]]


@dataclass(frozen=True, slots=True)
class Visit:
    """One opening of the labelling page of an open queue. `browser` stands for one browser that one person is signed in
    with; "" where it is not known (the API, a page of an earlier version). `number` counts the annotator's visits."""

    browser: str
    number: int

    def __str__(self) -> str:
        return f"{self.browser}:{self.number}"


UNKNOWN_VISIT = Visit("", 0)


@dataclass(frozen=True, slots=True)
class Participation:
    """One annotator in one campaign. `guideline` is the newest version (0: there is none); `visit` is the one that the
    present request belongs to."""

    annotator: int
    annotator_state: str
    guideline_seen: int
    guideline_folded: int
    queue_position: int
    has_withdrawn: bool  # their consent
    lacks_consent: bool  # asked for, and not given yet
    campaign: int
    collection: int
    is_archived: bool  # the collection
    language: str  # of the collection
    kind: Kind
    options: str  # JSON; see annotation.kind.KindOptions
    campaign_state: str
    purpose: Purpose  # of the campaign
    is_queue: bool
    by_document: bool
    lease: timedelta
    guideline: int
    scales: tuple[CriterionScale, ...]
    visit: Visit = UNKNOWN_VISIT

    @property
    def labelling(self) -> Labelling:
        """How its kind is shown on the labelling screen. Errors: LookupError for kinds with their own screen."""
        if self.kind.labelling is None:
            raise LookupError(f"campaigns of kind {self.kind} are not worked on there")
        return self.kind.labelling

    @property
    def keeps_guideline_open(self) -> bool:
        """Whether the guideline is shown opened: until the person folds this version away."""
        return self.guideline_folded < self.guideline

    @property
    def why_cannot_judge(self) -> str:
        """Why the person cannot judge here now: archived, draft, closed, withdrew, paused, removed, consent (asked for
        and not given); "" when they may."""
        if self.is_archived:
            return "archived"
        if self.campaign_state != CampaignState.OPEN:
            return self.campaign_state
        if self.has_withdrawn:
            return "withdrew"
        if self.annotator_state != AnnotatorState.ACTIVE:
            return self.annotator_state
        return "consent" if self.lacks_consent else ""


def fetch_participation(
    *,
    collection: str,
    campaign: str,
    user: User,
    lock: bool = False,
    any_kind: bool = False,
    visit: Visit = UNKNOWN_VISIT,
) -> Participation:
    """How the person takes part in the campaign, the annotator row locked for writing if `lock`.

    Errors: Http404 for non-members of the collection, NotAllowed for members who do not judge here, Refused
    for kinds without a labelling screen, unless `any_kind` is fine.
    """
    named = {"collection": collection, "campaign": campaign, "user": user.pk}
    rows = run(LOCKED_PARTICIPATION if lock else PARTICIPATION, named)
    if not rows:
        _refuse_stranger(named)
    row = rows[0]
    kind = kind_by_name(row.kind)
    if kind.labelling is None and not any_kind:
        raise Refused(_("Nothing is graded in {name}: it takes no answers of this kind.").format(name=row.name))
    return Participation(
        annotator=row.annotator,
        annotator_state=row.annotator_state,
        guideline_seen=row.guideline_seen,
        guideline_folded=row.guideline_folded,
        queue_position=row.queue_position,
        has_withdrawn=row.has_withdrawn,
        lacks_consent=bool(row.lacks_consent),
        campaign=row.campaign,
        collection=row.collection,
        is_archived=row.is_archived,
        language=row.language,
        kind=kind,
        options=row.options,
        campaign_state=row.campaign_state,
        purpose=Purpose(row.purpose),
        is_queue=row.strategy == Strategy.QUEUE,
        by_document=row.order == Order.BY_DOCUMENT and kind.has_orders,
        lease=timedelta(minutes=row.lease_minutes),
        guideline=row.guideline or 0,
        scales=tuple(
            CriterionScale(id_, key, label, {int(value): reasons for value, reasons in (levels or {}).items()})
            for id_, key, label, levels in json.loads(row.criteria or "[]")
        ),
        visit=visit,
    )


def lacks_consent(collection: int, user: int) -> bool:
    """Whether the collection asks for a consent that the person has not given."""
    statement = f"SELECT {LACKS_CONSENT} AS lacks FROM corpus_collection col WHERE col.id = %(collection)s"
    return bool(run(statement, {"collection": collection, "user": user})[0].lacks)


def _refuse_stranger(named: dict[str, object]) -> None:
    rows = run(MEMBER, named)
    if not rows:
        raise Http404
    raise NotAllowed(
        _("You are not among the annotators of {name}. A manager of the collection can add you.").format(
            name=rows[0].name
        )
    )
