"""A finished round of the demo whose labels came from a spreadsheet: whole pools, so that relevance has its sums."""

import csv
import tempfile
from datetime import datetime
from pathlib import Path

from accounts import jobs
from accounts.models import JobState, User
from adjudication.agreement.requests import request_vote
from annotation.campaigns.items import build_items
from annotation.campaigns.lifecycle import close_campaign, create_campaign, open_campaign
from annotation.imports.operations import IMPORT_JUDGMENTS
from annotation.models import Campaign
from config.demo.people import read_answers
from corpus.models import Collection
from corpus.topics.sub_queries import make_sub_queries

JUDGE = "Flora, by spreadsheet"
COLUMNS = ("annotator", "topic", "aspect", "docno", "value")


def load_first_pass(collection: Collection, manager: User, at: datetime) -> Campaign:
    """Everything in the pools, judged once; the sub-queries of two aspects inherit it."""
    make_sub_queries(by=manager, at=at, collection=collection, size=2)
    campaign = create_campaign(
        collection=collection, by=manager, at=at, name="First pass", strategy="planned", overlap=1
    )
    build_items(campaign=campaign, by=manager, at=at)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "first-pass.csv"
        _write(campaign, file)
        run = IMPORT_JUDGMENTS.request(campaign=campaign, by=manager, at=at, files=[file], send=False)
        jobs.carry_out(run)
    run.refresh_from_db()
    if run.state != JobState.DONE or run.error_count:
        raise RuntimeError(f"the first pass of the demo: {run.reason or run.errors}")
    open_campaign(campaign=campaign, by=manager, at=at)
    jobs.carry_out(request_vote(campaign=campaign, by=manager, at=at, min_votes=1, send=False))
    return close_campaign(campaign=campaign, by=manager, at=at)


def _write(campaign: Campaign, file: Path) -> None:
    answers = read_answers()
    with file.open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(COLUMNS)
        for item in campaign.items.values_list("topic__number", "aspect__text", "document__docno").order_by("pk"):
            where = (str(item[0]), str(item[1] or ""), str(item[2]))
            rows.writerow([JUDGE, *where, answers.get(where, 0)])
