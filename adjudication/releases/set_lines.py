"""Why each pair of question sets and citation contexts is relevant, as `lines.py` says it of what campaigns judged."""

from collections.abc import Iterator
from typing import Any

from adjudication.exporting.exporter import Options
from adjudication.exports.exporters.questions import question_set
from adjudication.papers.contexts import context_topic_records
from adjudication.questions.question_set import SetQuestion
from adjudication.releases.people import Pseudonyms
from annotation.papers.gold import ORIGINS, gold_of
from corpus.models import Collection, Topic
from engines.formats.acm_cr_topics import merged_qrels

SETS = "sets"  # begins their ids; lines of campaigns begin with the campaign's short name and end with a criterion
QUESTIONS = "questions"
FOUND = "found by a rater"  # instead of where a target is known from


def context_set(level: str) -> str:
    """The name of the judged set of citation contexts of this level."""
    return f"contexts-{level}"


def question_lines(options: Options, people: Pseudonyms) -> Iterator[dict[str, Any]]:
    """One object for each target of a kept question: where question and target come from, and why it is kept."""
    runs = _numbered_runs(options.collection)
    written = dict(_written_by_models(options.collection))
    for question in question_set(options).kept:
        for target in question.targets:
            yield _without_nothing(
                {
                    "id": f"{SETS}/{QUESTIONS}/{question.number}/{target.docno}",
                    "set": QUESTIONS,
                    "topic": question.number,
                    "docno": target.docno,
                    "value": 1,
                    "target": FOUND if target.is_found else people.without_names(target.source),
                    "source": people.without_names(question.source),
                    "question_run": runs.get(written.get(question.pk)),
                    "rewritten_from": people.without_names(question.original),
                    "kept": _kept(question),
                }
            )


def _kept(question: SetQuestion) -> dict[str, Any]:
    """By which campaign's values it is kept; without one, by those that came with it."""
    return _without_nothing({"campaign": question.campaign, "quality": question.quality, "group": question.group})


def _numbered_runs(collection: Collection) -> dict[int | None, int]:
    """{run: its number in the manifest}."""
    return {pk: n for n, pk in enumerate(collection.question_runs.order_by("pk").values_list("pk", flat=True), 1)}


def _written_by_models(collection: Collection) -> Iterator[tuple[int, int]]:
    """(topic, question run) of topics that a language model wrote."""
    found = Topic.objects.filter(collection=collection, generated_question__isnull=False)
    yield from found.values_list("pk", "generated_question__reply__run")


def context_lines(options: Options) -> Iterator[dict[str, Any]]:
    """One object for each document that a context cites: the citing paper, the reference, whose extraction it is."""
    name = context_set(options.level)
    origins = {gold.paper.key: gold.origin for gold in gold_of(options.collection)}
    for row in merged_qrels(context_topic_records(options)):
        yield {
            "id": f"{SETS}/{name}/{row.topic}/{row.docno}",
            "set": name,
            "topic": row.topic,
            "docno": row.docno,
            "value": row.value,
            "paper": row.file,
            "reference": row.iteration,
            "extraction": ORIGINS[origins[row.file]],
        }


def set_sentence(line: dict[str, Any]) -> str:
    """The line in words, for pages and commands."""
    if line["set"] != QUESTIONS:
        return f"Relevant, as it is cited as reference {line['reference']} of {line['paper']} ({line['extraction']})."
    kept, target = line["kept"], line.get("target", "")
    by = f" by campaign {kept['campaign']}" if kept.get("campaign") else ", as it came in"
    run = f", written in question run {line['question_run']}" if line.get("question_run") else ""
    known = f"a target ({target})" if target else "a target"
    return f"Relevant, as it is {known} of the question{run}, which is kept{by}."


def _without_nothing(found: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in found.items() if each not in (None, "", {})}
