"""One pair of topic and document, explained: its lines now, and as the newest release has them."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Count, Q, QuerySet

from accounts.refusals import Refused
from adjudication.exporting.forms import PARAGRAPH, SENTENCE
from adjudication.exporting.options import options_of
from adjudication.exporting.registry import EXPORTERS
from adjudication.labels.counts import fetch_vote_standing, votes_note
from adjudication.models import Release
from adjudication.models.verdicts import shown_probability
from adjudication.questions.rating import open_counts, rubric_campaigns
from adjudication.releases.archive import has_files
from adjudication.releases.lines import lines_of, released_line
from adjudication.releases.people import Pseudonyms, pseudonyms
from adjudication.releases.recipe import released_campaigns
from adjudication.releases.set_lines import context_lines, question_lines, set_sentence
from adjudication.releases.statement import answers_of, names_in
from annotation.campaigns.seals import sealed_by, sealed_in
from annotation.models import AssignmentState, Campaign
from corpus.models import Collection, Document, Topic
from corpus.models.topics import TopicKind

CONTEXT_KINDS: dict[str, str] = {TopicKind.CONTEXT_PARAGRAPH: PARAGRAPH, TopicKind.CONTEXT_SENTENCE: SENTENCE}


def newest_release(collection: Collection) -> Release | None:
    """The newest frozen release."""
    return collection.releases.frozen().order_by("-version").first()


def explain(collection: Collection, number: str, docno: str) -> dict[str, Any]:
    """{"topic", "topic_title", "text", "narrative", "docno", "title", "lines", "sets", "release", "withheld"}.

    Each line has `released`, the value that the newest release gives, `changed`, and `stale`, what came after the votes
    were counted. A topic's number, or that of one of its aspects (7.1). `title` is the document's. `sets` are the lines
    of question sets and citation contexts, with a sentence each. `withheld` are sentences about sealed campaigns,
    whether this pair is in them or not.

    Annotators have the pseudonyms of the releases; before the first one, pseudonyms that will change.
    Errors: Refused where the topic, the document or the pair is not there.
    """
    topic, subtopic = _topic(collection, number)
    document = Document.objects.filter(collection=collection, docno=docno).first()
    if document is None:
        raise Refused(f"{collection.slug} has no document {docno[:80]}.")
    release = newest_release(collection)
    people = pseudonyms(collection, release.pseudonym_key if release else f"unreleased {collection.pk}")
    people = people.with_stated(names_in(answers_of(collection)))
    withheld = withheld_of(collection)
    about: dict[str, Any] = {"topic": topic.pk, "document": document.pk, "said": True}
    found = [
        line | {"stale": votes_note(votes)}
        for campaign in readable_campaigns(collection)
        for votes in [fetch_vote_standing(campaign)]
        for line in lines_of(collection, campaign, people, **about, is_stale=votes.is_stale)
        if not subtopic or line.get("subtopic") == subtopic
    ]
    sets = [] if subtopic else [one | _in_words(collection, one) for one in _set_lines(topic, docno, people)]
    if not found and not sets:
        nothing = f"Topic {number} and document {docno} were never judged together, so there is nothing to explain."
        raise Refused(f"No line of topic {number} and document {docno} can be explained." if withheld else nothing)
    return {
        "topic": number,
        "topic_title": topic.heading,
        "text": topic.text,
        "narrative": topic.narrative,
        "docno": docno,
        "title": document.title,
        "release": release.name if release else None,
        "lines": [line | _change(release, line) for line in found],
        "sets": sets,
        "withheld": withheld,
    }


def _set_lines(topic: Topic, docno: str, people: Pseudonyms) -> Iterator[dict[str, Any]]:
    """The lines of the pair in the question set, and in citation contexts where the topic is one."""
    collection, numbers = topic.collection, (topic.number, topic.bare_number)
    found = [question_lines(options_of(EXPORTERS["litsearch"], collection, {}), people)]
    if topic.kind in CONTEXT_KINDS:
        level = CONTEXT_KINDS[topic.kind]
        found.append(context_lines(options_of(EXPORTERS[f"qrels:{level}"], collection, {})))
    for lines in found:
        yield from (line for line in lines if line["topic"] in numbers and line["docno"] == docno)


def _in_words(collection: Collection, line: dict[str, Any]) -> dict[str, str]:
    """The line of a set in a sentence, followed by what came after the votes that keep its question were counted."""
    rated = [each for each in rubric_campaigns(collection) if each.slug == line.get("kept", {}).get("campaign")]
    stale = " ".join(fact for _, fact in open_counts(rated))
    return {"sentence": f"{set_sentence(line)} {stale}".strip(), "stale": stale}


def readable_campaigns(collection: Collection) -> list[Campaign]:
    """Those of a release but sealed ones."""
    return [campaign for campaign in released_campaigns(collection) if sealed_by(campaign) is None]


def withheld_of(collection: Collection) -> list[str]:
    """A sentence about each sealed campaign, of which no line is explained."""
    return [
        f"Lines of the test campaign {campaign} are withheld until Anno-GPT cycle {cycle.number} freezes its machine."
        for campaign in sealed_in(collection)
        if (cycle := sealed_by(campaign))
    ]


def judged_documents(collection: Collection, number: str) -> QuerySet[Any, Any]:
    """{"docno", "title", "labels"} of the documents judged with a topic or aspect, by docno. Errors: Refused."""
    topic, _ = _topic(collection, number)
    campaigns = [one.pk for one in readable_campaigns(collection)]
    items = Q(items__topic=topic, items__campaign__in=campaigns)
    done = items & Q(items__assignments__state=AssignmentState.DONE, items__assignments__repeat=0)
    found = Document.objects.filter(collection=collection).annotate(labels=Count("items__assignments", filter=done))
    return found.filter(labels__gt=0).order_by("docno").values("docno", "title", "labels")


def probability_sentence(decision: Mapping[str, Any]) -> str:
    """How probable the value of a line's decision is; "" where that is not known."""
    text = shown_probability(decision.get("probability"))
    return f"Probability by Dawid and Skene's model of the people who judged: {text}." if text else ""


def _topic(collection: Collection, number: str) -> tuple[Topic, str]:
    """The topic of that number, and the number of its aspect where it is one."""
    topics = Topic.objects.filter(collection=collection)
    whole, _, place = number.rpartition(".")
    for candidate, subtopic in ((number, ""), (whole, number if place.isdigit() else "")):
        for topic in topics.filter(number__endswith=candidate) if candidate else []:
            if candidate in (topic.number, topic.bare_number):
                return topic, subtopic and f"{topic.bare_number}.{place}"
    raise Refused(f"{collection.slug} has no topic {number[:80]}.")


def _change(release: Release | None, line: dict[str, Any]) -> dict[str, Any]:
    if release is None or not has_files(release):
        return {"released": None, "changed": None}
    before = released_line(release, line["id"])
    if before is None:
        return {"released": None, "changed": True}
    return {"released": before["value"], "changed": before["value"] != line["value"]}
