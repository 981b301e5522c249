"""Golds that nobody judged: documents known to answer a question, and those that a citation context cites."""

from collections.abc import Sequence
from typing import ClassVar

from accounts.doors import where
from accounts.refusals import Refused
from accounts.sql import execute
from adjudication.evaluation.golds.kind import Choices, GoldKind, GoldRequest, LoadedGold, Option
from adjudication.exporting.statements import PUBLISHED_TOPICS
from adjudication.questions.question_set import check_counted, fetch_question_set
from adjudication.questions.rating import campaigns_rating
from annotation.kind import Judged
from annotation.models import Campaign
from corpus.models import Collection, Target, TopicKind
from engines.stats.rankings import Gold, make_gold

LEVELS = {"paragraph": TopicKind.CONTEXT_PARAGRAPH, "sentence": TopicKind.CONTEXT_SENTENCE}
# Withdrawn questions are left out, as everywhere.
TARGETS = f"""
SELECT t.number, d.docno FROM corpus_target g
JOIN {PUBLISHED_TOPICS} t ON t.id = g.topic_id AND t.collection_id = %(collection)s AND t.kind = ANY(%(kinds)s)
JOIN corpus_document d ON d.id = g.document_id
ORDER BY t.position, t.id, d.docno COLLATE "C"
"""
KNOWN_ONLY = (
    "Targets are documents known to answer a question. Others may answer it as well and count as not relevant, so"
    " precision is a lower bound; read recall and reciprocal rank."
)


class Targets(GoldKind):
    """The documents that questions were written from, or that their authors or raters named."""

    name = "targets"
    label = "Targets of questions"
    about = "Documents known to answer each question; no relevance campaign is required."
    options: ClassVar = {
        "questions": Option("all questions, or those that the question set keeps", ("all", "kept")),
    }

    def choices(self, collection: Collection) -> Choices:
        known = Target.objects.filter(topic__collection=collection).exclude(topic__kind__in=LEVELS.values())
        if not known.exists():
            return []
        found = [(self.name, "Targets of all questions")]
        if campaigns_rating(collection).exists():
            found.append((f"{self.name};questions=kept", "Targets of the questions that are kept"))
        return found

    def campaigns(self, request: GoldRequest) -> Sequence[Campaign]:
        """What is kept is made of ratings; targets are not."""
        return list(campaigns_rating(request.collection)) if request.values["questions"] == "kept" else ()

    def read(self, request: GoldRequest) -> LoadedGold:
        if request.values["questions"] == "kept":
            return self._kept(request)
        kinds = [kind for kind in TopicKind.values if kind not in LEVELS.values()]
        gold = _gold_of(request.collection, kinds, "No question has a target, so there is nothing to evaluate against.")
        return self.loaded(request, "targets of questions", gold, is_judged=False, notes=(KNOWN_ONLY,))

    def _kept(self, request: GoldRequest) -> LoadedGold:
        """As the question set exports them: with the documents that raters found."""
        questions = fetch_question_set(request.collection)
        check_counted(questions)
        judged = {
            each.number: {target.docno: 1.0 for target in each.targets} for each in questions.kept if each.targets
        }
        if not judged:
            raise Refused("The question set has no kept question with a target yet.")
        left = len(questions.questions) - len(judged)
        notes = (KNOWN_ONLY, *([_left_out(left)] if left else []))
        more = {"is_judged": False, "notes": notes, "facts": (["left_out", left],)}
        return self.loaded(request, "targets of questions", make_gold(judged), **more)


def _left_out(questions: int) -> str:
    if questions == 1:
        return "1 question that is not kept, or has no target, is left out."
    return f"{questions:,} questions that are not kept, or have no target, are left out."


class Contexts(GoldKind):
    """What citation contexts cite (ACM-CR)."""

    name = "contexts"
    label = "Citation contexts"
    about = "Documents that each citing paragraph or sentence cites, as far as they are in the collection."
    takes_name = "paragraph|sentence"

    def choices(self, collection: Collection) -> Choices:
        kinds = set(collection.topics.filter(kind__in=LEVELS.values()).values_list("kind", flat=True).distinct())
        return [
            (f"{self.name}:{level}", f"Documents that {level}s cite") for level, kind in LEVELS.items() if kind in kinds
        ]

    def campaigns(self, request: GoldRequest) -> Sequence[Campaign]:
        return list(request.collection.campaigns.judging(Judged.PAPERS))

    def read(self, request: GoldRequest) -> LoadedGold:
        if request.name not in LEVELS:
            raise Refused(f"“contexts” needs a level: contexts:{' or contexts:'.join(LEVELS)}.")
        advice = where(
            "Make topics of the contexts first",
            page="page “Papers”",
            command=f"make_context_topics {request.collection.slug} --level {request.name}",
        )
        why = f"No {request.name} has been made a topic with documents that it cites. {advice}."
        gold = _gold_of(request.collection, [LEVELS[request.name]], why)
        note = "Only cited documents that the collection has count as relevant; others may be relevant, too."
        return self.loaded(request, f"documents cited in {request.name}s", gold, is_judged=False, notes=(note,))


def _gold_of(collection: Collection, kinds: Sequence[str], why: str) -> Gold:
    """The targets of topics of these kinds. Errors: Refused, with `why`, where there is none."""
    judged: dict[str, dict[str, float]] = {}
    for number, docno in execute(TARGETS, {"collection": collection.pk, "kinds": list(kinds), "bare": False}):
        judged.setdefault(number, {})[docno] = 1
    if not judged:
        raise Refused(why)
    return make_gold(judged)
