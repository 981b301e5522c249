"""The demo's papers: two that two annotators work on, and one whose contexts came in finished."""

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from accounts import jobs
from accounts.models import JobState, User
from annotation.assignment.annotators import add_members
from annotation.assignment.assignments import assign_items
from annotation.campaigns.items import build_items
from annotation.campaigns.lifecycle import create_campaign, open_campaign
from annotation.models import Assignment, Campaign
from annotation.papers.extracting import begin_extraction, finish_extraction, save_extraction
from annotation.papers.extractions import content_of
from config.demo.people import ANNOTATORS, HERE, MANAGER
from config.demo.sheets import pdf_of
from corpus.imports.requests import request_import
from corpus.models import Collection, Paper
from engines.definitions.block_contexts import readings_of
from engines.definitions.extractions import Content, ExtractedReference, ExtractedSentence, kind_of, write_content

TO_READ = ("hives", "registers")
FINISHED = "notebooks.xml"


def load_papers(collection: Collection, people: Mapping[str, User], at: datetime) -> Campaign:
    """Ada and Ben finish the first paper and differ in it; Ada has begun the second."""
    manager, readers = people[MANAGER.name], [people[person.name] for person in ANNOTATORS[:2]]
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{name}.pdf" for name in TO_READ]
        for name, file in zip(TO_READ, files, strict=True):
            file.write_bytes(pdf_of((HERE / "papers" / f"{name}.txt").read_text("utf-8")))
        _import(collection, manager, at, files)
    campaign = create_campaign(
        collection=collection, by=manager, at=at, name="Citation contexts", kind="extraction", overlap=2
    )
    build_items(campaign=campaign, by=manager, at=at)
    add_members(campaign=campaign, users=readers, by=manager, at=at)
    assign_items(campaign=campaign, by=manager, at=at)
    open_campaign(campaign=campaign, by=manager, at=at)
    ada, ben = readers
    _work(campaign, "hives", ada, at + timedelta(hours=1), sentences=99, takes_refereed=True, finishes=True)
    _work(campaign, "hives", ben, at + timedelta(hours=2), sentences=2, takes_refereed=False, finishes=True)
    _work(campaign, "registers", ada, at + timedelta(hours=3), sentences=1, takes_refereed=False, finishes=False)
    _import(collection, manager, at, [HERE / "papers" / FINISHED])
    return campaign


def _import(collection: Collection, by: User, at: datetime, files: list[Path]) -> None:
    run = request_import(by=by, at=at, collection=collection, kind="papers", files=files, send=False)
    jobs.carry_out(run)
    run.refresh_from_db()
    if run.state != JobState.DONE or run.error_count:
        raise RuntimeError(f"papers of the demo: {run.reason or run.errors}")


def _work(
    campaign: Campaign, key: str, by: User, at: datetime, *, sentences: int, takes_refereed: bool, finishes: bool
) -> None:
    """Take the proposals to anonymise the first so many sentences, and refereed versions of preprints or not."""
    assignment = Assignment.objects.get(item__campaign=campaign, item__paper__key=key, annotator__user=by)
    extraction = begin_extraction(assignment=assignment, by=by, at=at)
    content = _anonymised(content_of(extraction), extraction.paper, sentences)
    if takes_refereed:
        content = replace(content, references=tuple(_refereed(each) for each in content.references))
    wanted = write_content(content)
    save_extraction(extraction=extraction, content=wanted, base=1, by=by, at=at, change="anonymised")
    if finishes:
        finish_extraction(extraction=extraction, by=by, at=at + timedelta(minutes=12))


def _anonymised(content: Content, paper: Paper, most: int) -> Content:
    left = most

    def changed(sentence: ExtractedSentence) -> ExtractedSentence:
        nonlocal left
        read = readings_of([sentence.text], paper.blocks, paper.references)[sentence.text]
        if not read["anonymised"] or not left:
            return sentence
        left -= 1
        return ExtractedSentence(
            read["anonymised"], tuple(read["anonymised_cites"]), anonymised=True, original=sentence.text
        )

    contexts = (replace(each, sentences=tuple(map(changed, each.sentences))) for each in content.contexts)
    return replace(content, contexts=tuple(contexts))


def _refereed(reference: ExtractedReference) -> ExtractedReference:
    if not reference.refereed:
        return reference
    return replace(reference, value=reference.refereed, kind=kind_of(reference.refereed))
