"""Verdicts with their policy and votes."""

from collections.abc import Iterator
from typing import Any

from adjudication.exporting.exporter import (
    FATAL,
    NDJSON,
    WARNING,
    CampaignExporter,
    Finding,
    Options,
    Reader,
    TextExporter,
)
from adjudication.exporting.findings import NO_VALUE, count_first, override_findings, standing_of
from adjudication.exporting.streams import loaded, rows
from adjudication.labels.counts import newest_count, votes_note
from engines.formats.jsonl import write_objects


class VerdictsExport(TextExporter, CampaignExporter):
    name = "verdicts"
    label = "Verdicts, JSONL"
    suffix = "verdicts.jsonl"
    media_type = NDJSON
    about = (
        "The value of each item with the policy and the votes behind it, and how probable it is by the model of Dawid"
        " and Skene, which changes no value."
    )

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        found = override_findings(options, options.campaign, by_votes=True)
        if not read(ANY_VERDICT):
            found.append(Finding(FATAL, "no_verdicts", NO_VALUE, advice=count_first(options)))
        standing = standing_of(options.campaign, read.memo) if options.campaign else None
        if standing and standing.is_stale:
            found.append(Finding(WARNING, "stale", votes_note(standing), standing.newer, advice="Count again."))
        return found

    def lines(self, options: Options) -> Iterator[str]:
        return write_objects(verdict_objects(options))


def verdict_objects(options: Options) -> Iterator[dict[str, Any]]:
    """One object per item and criterion, with the policy and the votes, by annotator's name.

    `probability` is of the value, as of the count of votes at `probability_at`; a reason stands where it is not known.
    """
    names = dict(options.campaign.annotators.values_list("pk", "name")) if options.campaign else {}
    newest = newest_count(options.campaign.pk) if options.campaign else None
    counted_at = newest.finished_at.isoformat() if newest and newest.finished_at else None
    for row in rows(VERDICTS, options):
        topic, aspect, docno, criterion, value, method, votes, ties, fewest, *more = row
        rules, at, comment, cause, reopened, probability, unknown = more
        cast = dict(loaded(votes))
        found = {
            "topic": topic,
            "aspect": aspect,
            "docno": docno,
            "criterion": criterion,
            "value": value,
            "method": method,
            "probability": probability,
            "probability_reason": unknown,
            "probability_at": None if probability is None else counted_at,
            "policy": _policy(ties, fewest, loaded(rules), {pk: names[pk] for pk in cast}) if ties else None,
            "votes": {names[annotator]: vote for annotator, vote in cast.items()},
            "decided_at": at.isoformat() if at else None,
            "comment": comment,
            "cause": cause,
            "reopened": reopened is not None,
        }
        yield {name: each for name, each in found.items() if name == "value" or each not in (None, "")}


def _policy(ties: str, fewest: int, rules: dict[str, Any], voters: dict[int, str]) -> dict[str, Any]:
    """By which rules the votes were counted; with the weights of these voters where votes were weighted."""
    found = {"ties": ties, "min_votes": fewest, "voters": rules.get("voters", "humans")}
    if rules.get("weighted"):
        weights = rules.get("weights", {})
        found["weights"] = {name: weights.get(str(pk)) for pk, name in voters.items()}
    return found


ANY_VERDICT = """
SELECT 1 FROM adjudication_verdict v JOIN annotation_item i ON i.id = v.item_id
WHERE i.campaign_id = %(campaign)s LIMIT 1
"""
VERDICTS = """
SELECT t.number, asp.text, d.docno, c.key, v.value, v.method, v.votes, run.ties, run.min_votes,
  run.parameters, v.decided_at, v.comment, v.cause, v.reopened_at, v.probability, v.probability_reason
FROM annotation_item i
JOIN adjudication_verdict v ON v.item_id = i.id
JOIN annotation_criterion c ON c.id = v.criterion_id
JOIN corpus_topic t ON t.id = i.topic_id
LEFT JOIN corpus_aspect asp ON asp.id = i.aspect_id
LEFT JOIN corpus_document d ON d.id = i.document_id
LEFT JOIN adjudication_voterun run ON run.id = v.vote_run_id
WHERE i.campaign_id = %(campaign)s
ORDER BY i.id, c.position, c.id
"""

EXPORTERS = (VerdictsExport(),)
