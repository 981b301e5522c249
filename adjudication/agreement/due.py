"""Agreement that nobody has to ask for: of campaigns that were judged since, where computing it costs little."""

from datetime import datetime, timedelta

from accounts.models import FINAL_STATES, JobState
from adjudication.agreement.requests import margin_of_cycle, request_agreement
from adjudication.labels.due import NOTHING_IMPORTED_SINCE, start_each
from adjudication.models import AgreementRun, Release
from annotation.models import Campaign

QUIET = timedelta(minutes=1)  # nobody has answered for this long …
AT_LATEST = timedelta(minutes=15)  # … or the figures are this old
MOST_SECONDS = 20  # what took longer is computed when somebody asks
MOST_ASSIGNMENTS = 20_000  # and so is the first time of a larger campaign, of which nobody knows how long it takes

AWAITED = (
    "When two people have judged some of the same items, agreement is computed automatically a minute after the last"
    f" answer. With more than {MOST_ASSIGNMENTS:,} answers, or imported ones, a manager or adjudicator starts it."
)

# Campaigns with an answer of a person among the newest that no figures have seen. Before the first figures two people
# must have judged one item. The newest run decides: what failed, or was cancelled, waits for somebody who asks again.
DUE = f"""
WITH answered AS (
  SELECT i.campaign_id, max(s.id) AS newest, max(s.received_at) AS last_at
  FROM annotation_submission s JOIN annotation_assignment a ON a.id = s.assignment_id
  JOIN annotation_annotator who ON who.id = a.annotator_id AND who.kind = 'human'
  JOIN annotation_item i ON i.id = a.item_id
  WHERE s.id > (SELECT max(id) FROM annotation_submission) - %(looked_at)s GROUP BY 1
)
SELECT c.id FROM answered JOIN annotation_campaign c ON c.id = answered.campaign_id
JOIN corpus_collection home ON home.id = c.collection_id AND home.archived_at IS NULL
LEFT JOIN LATERAL (
  SELECT * FROM adjudication_agreementrun r WHERE r.campaign_id = c.id ORDER BY r.id DESC LIMIT 1
) run ON true
WHERE CASE
  WHEN run.id IS NOT NULL THEN run.state = %(done)s AND run.seconds <= %(most_seconds)s
    AND run.snapshot < answered.newest
    AND (answered.last_at < %(now)s - %(quiet)s OR run.finished_at < %(now)s - %(latest)s)
  ELSE answered.last_at < %(now)s - %(quiet)s
    AND %(most)s > (
      SELECT count(*) FROM (
        SELECT FROM annotation_item i JOIN annotation_assignment a ON a.item_id = i.id AND a.state = 'done'
        WHERE i.campaign_id = c.id LIMIT %(most)s) AS counted)
    AND EXISTS (
      SELECT FROM annotation_item i JOIN annotation_assignment a ON a.item_id = i.id AND a.state = 'done'
      JOIN annotation_assignment b ON b.item_id = i.id AND b.state = 'done' AND b.annotator_id > a.annotator_id
        AND a.repeat = 0 AND b.repeat = 0
      JOIN annotation_annotator one ON one.id = a.annotator_id AND one.kind = 'human'
      JOIN annotation_annotator other ON other.id = b.annotator_id AND other.kind = 'human'
      WHERE i.campaign_id = c.id)
END AND {NOTHING_IMPORTED_SINCE}ORDER BY c.id
"""

CHOSEN = ("resamples", "interval", "cluster", "margin")  # what the next figures take over from the newest


def is_cheap(run: AgreementRun) -> bool:
    """Whether the figures that follow these come without being asked for."""
    return run.seconds is not None and run.seconds <= MOST_SECONDS


def start_due(now: datetime) -> None:
    """Ask for the figures of each campaign whose time has come, with the parameters and the seed of its newest ones."""

    def ask(campaign: Campaign) -> None:
        newest = AgreementRun.objects.filter(campaign=campaign).order_by("-pk").first()
        chosen = {name: newest.parameters[name] for name in CHOSEN if name in newest.parameters} if newest else {}
        chosen |= {"seed": newest.seed} if newest else {}
        chosen["margin"] = margin_of_cycle(campaign) or chosen.get("margin")
        request_agreement(campaign=campaign, by=None, at=now, **{**chosen, "automatic": True})

    limits = {"quiet": QUIET, "latest": AT_LATEST, "most_seconds": MOST_SECONDS, "most": MOST_ASSIGNMENTS}
    start_each(DUE, ask, now=now, **limits)


def drop_superseded(run: AgreementRun) -> None:
    """Remove figures that nobody asked for, but for the newest finished ones: those stay until `run` is finished.

    Nobody has chosen the others; a campaign judged for weeks would keep hundreds. Those that a release stands on stay.
    """
    releases = Release.objects.filter(collection=run.campaign.collection_id).values_list("last_ids", flat=True)
    stands = max((ids.get(AgreementRun._meta.label_lower, 0) for ids in releases), default=0)
    earlier = AgreementRun.objects.filter(campaign=run.campaign_id, pk__lt=run.pk, pk__gt=stands)
    shown = earlier.filter(state=JobState.DONE).order_by("-pk").values("pk")[:1]
    earlier.filter(parameters__automatic=True, state__in=FINAL_STATES).exclude(pk__in=shown).delete()
