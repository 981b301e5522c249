"""Reranking by a chat model, which is asked for the order of the first documents of a run.

What it is sent is a prompt of the collection, in a version that never changes. One window holds all documents, as in
LitSearch's Table 13; a smaller window slides from the last to the first (Sun et al., EMNLP 2023). Every number in an
answer is a place. Numbers out of range and repeats are dropped; documents that are not named follow in the old order
and are counted, and so are answers that name fewer than half. An answer without any number leaves the old order and is
counted. What was answered is kept; a higher number of the answer asks again.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django import forms

from accounts.models import User
from accounts.refusals import Refused
from corpus.endpoints.endpoints import service_for
from corpus.endpoints.fields import EndpointField
from corpus.models import Collection, Document, ModelPurpose, PromptPurpose
from corpus.questions.prompts import find_prompt, prompt_versions, write_rerank_prompt
from corpus.runs.recipes.earlier import RunField, check_run, earlier_rankings
from corpus.runs.recipes.queries import Query
from corpus.runs.recipes.recipe import Rankings, Recipe, RecipeForm, Task, WordField, check_model, name_model
from corpus.searching.answers import Answer, ask_model
from engines.endpoints.chat import Message
from engines.ranking.order import in_order
from engines.text.reranking import STARTERS, USUAL, Paper, RerankPrompt, parse_rerank_prompt, shortened

SHORT, EVERY = "short", "all"
BATCH = 200  # queries whose prompts are in memory at once
SHORT_ANSWERS = "answers that name fewer than half of their documents"
_NUMBER = re.compile(r"[0-9]+")
_IN_BRACKETS = re.compile(r"\[\s*([0-9]+)\s*\]")


class RerankPromptField(forms.CharField):
    """NAME or NAME@VERSION of a prompt for reranking, or the name of one to begin with."""

    def offer(self, collection: Collection) -> None:
        """Offer all versions of the collection's prompts, and those to begin with that it does not have yet."""
        versions = list(prompt_versions(collection, PromptPurpose.RERANKING))
        stored = [(each.named, str(each)) for each in versions]
        known = {each.name for each in versions}
        new = [(name, f"{name}, Litmus's own words") for name in STARTERS if name not in known]
        self.widget = forms.Select(choices=[*stored, *new])
        self.help_text = "what the model is sent; Turns has the layout of LitSearch's Table 13"


class RerankForm(RecipeForm):
    """Options of reranking."""

    run = RunField()
    prompt = RerankPromptField(
        max_length=120,
        required=False,
        label="Prompt",
        help_text=f"name or NAME@VERSION of a prompt for reranking; {' and '.join(STARTERS)} are there from the start",
    )
    top = forms.IntegerField(
        label="Reranked documents", initial=100, min_value=2, max_value=1_000, required=False, help_text="of each topic"
    )
    window = forms.IntegerField(
        label="Window",
        initial=0,
        min_value=0,
        max_value=1_000,
        required=False,
        help_text="documents that the model sees at once; 0 for all of them. A smaller window slides from the last up",
    )
    step = forms.IntegerField(
        label="Step", initial=10, min_value=1, max_value=1_000, required=False, help_text="by which a window slides"
    )
    longest = forms.IntegerField(
        label="Longest document",
        initial=300,
        min_value=10,
        max_value=20_000,
        required=False,
        help_text="words of title and abstract that the model sees",
    )
    endpoint = EndpointField(ModelPurpose.CHAT)
    model = forms.CharField(
        max_length=200,
        required=False,
        label="Model",
        help_text="name of the chat model; without it the first of the endpoint",
    )
    temperature = forms.FloatField(
        label="Temperature",
        initial=0.0,
        min_value=0,
        max_value=2,
        required=False,
        help_text="0 for the steadiest order",
    )

    answer = forms.IntegerField(
        label="Answer",
        min_value=1,
        max_value=100,
        required=False,
        help_text="which answer of the model counts: 2 asks once more what was asked before, 3 a third time; the"
        " answers before it are kept",
    )
    again = WordField(
        [(SHORT, "where the answer before names fewer than half of the documents"), (EVERY, "every question")],
        label="Ask again",
        help_text="what is asked once more, where the answer is not the first",
    )

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        if values.get("answer") in (None, 1):  # so that the recipe's hash is that of a run without these options
            values.pop("answer", None)
            values.pop("again", None)
        name_model(ModelPurpose.CHAT, self.collection, values)
        try:
            values["prompt"] = _version_named(self.collection, values.get("prompt") or USUAL)
        except Refused as refused:
            self.add_error("prompt", refused.reason)
        window, step = values.get("window"), values.get("step")
        if window and step and step > window:
            reason = f"A window of {window} must not slide by {step}: documents between two windows would be left out."
            self.add_error("step", f"{reason} Give a step of at most {window}.")
        return values


def _version_named(collection: Collection, text: str) -> str:
    """NAME@VERSION of the prompt that is meant. Errors: Refused, with the names there are."""
    found = find_prompt(collection, text, PromptPurpose.RERANKING)
    if found is not None:
        return found.named
    if (name := text.removesuffix("@1")) in STARTERS:
        return f"{name}@1"
    stored = prompt_versions(collection, PromptPurpose.RERANKING).values_list("name", flat=True)
    raise Refused(f"There is no prompt for reranking “{text}”. There are: {', '.join(sorted({*stored, *STARTERS}))}.")


def _keep_prompt(
    collection: Collection, values: Mapping[str, Any], by: User | None, at: datetime
) -> dict[str, dict[str, Any]]:
    """The prompt word for word, stored in the collection where it is one of those to begin with."""
    prompt = find_prompt(collection, values["prompt"], PromptPurpose.RERANKING)
    if prompt is None:
        name = values["prompt"].removesuffix("@1")
        prompt = write_rerank_prompt(by=by, at=at, collection=collection, name=name, body=STARTERS[name])
    return {
        "prompt": {"name": prompt.name, "version": prompt.version, "sha256": prompt.sha256, "body": prompt.body},
    }


def _prompt_of(task: Task) -> RerankPrompt:
    found = find_prompt(task.collection, task.values.get("prompt", ""), PromptPurpose.RERANKING)
    return parse_rerank_prompt(found.body if found else STARTERS[USUAL])  # none: requested before prompts had versions


def _check(collection: Collection, values: Mapping[str, Any]) -> None:
    check_model(ModelPurpose.CHAT, collection, values)
    check_run(collection, values)


def places_in(answer: str, n: int) -> list[int]:
    """The places from 0 to n - 1 that the answer names, each once, in its order.

    Where some numbers are in brackets, as requested, the others are words: "the 20 papers in order: [3] > [1]".
    """
    numbers = _IN_BRACKETS.findall(answer) or _NUMBER.findall(answer)
    places = (int(number) - 1 for number in numbers if len(number) < 10)
    return list(dict.fromkeys(place for place in places if 0 <= place < n))


def order_in(answer: str, n: int) -> list[int] | None:
    """All places 0 to n - 1 in the order of the answer, those that it leaves unnamed last; None where it names none."""
    named = places_in(answer, n)
    return [*named, *sorted(set(range(n)) - set(named))] if named else None


def is_short(named: int, n: int) -> bool:
    """Whether an answer names fewer than half of the documents that it was asked about."""
    return 2 * named < n


def windows(n: int, size: int, step: int) -> list[tuple[int, int]]:
    """(start, end) of the windows over n documents, the last window first; one over all where size is 0."""
    if not size or size >= n:
        return [(0, n)]
    found = [(n - size, n)]
    while found[-1][0] > 0:
        start = max(0, found[-1][0] - step)
        found.append((start, start + size))
    return found


@dataclass
class _Reranked:
    """A query with the present order of its first documents (`head`), and the rest of its ranking."""

    query: Query
    head: list[str]
    rest: list[str]
    windows: list[tuple[int, int]]


def _rank(task: Task) -> Rankings:
    rankings, done = earlier_rankings(task, task.values["run"]), 0
    for at in range(0, len(task.queries), BATCH):
        queries = task.queries[at : at + BATCH]
        lists = [_start(task, query, next(rankings).docnos) for query in queries]
        for turn in range(max((len(each.windows) for each in lists), default=0)):
            _turn(task, [each for each in lists if turn < len(each.windows)], turn, done)
        for each in lists:
            yield each.query, in_order([*each.head, *each.rest], task.depth)
        done += len(queries)
    if short := task.counts[SHORT_ANSWERS]:
        task.warnings.append(f"{short:,} of {task.counts['answers']:,} {SHORT_ANSWERS}; the others keep their order.")


def _start(task: Task, query: Query, docnos: list[str]) -> _Reranked:
    top = docnos[: task.values["top"]]
    found = windows(len(top), task.values["window"], task.values["step"]) if len(top) > 1 else []
    return _Reranked(query, top, docnos[len(top) :], found)


def _turn(task: Task, lists: Sequence[_Reranked], turn: int, done: int) -> None:
    """Ask about one window of each query, and put its documents in the order of the answer."""

    def report(answered: int) -> None:
        task.report(done + min(answered, len(lists) - 1), f"reranking, window {turn + 1}")

    sizes = [end - start for start, end in (each.windows[turn] for each in lists)]
    answers: dict[int, Answer] = {}
    for attempt in _attempts(task):
        wanted = [place for place, n in enumerate(sizes) if place not in answers or _is_poor(answers[place], n)]
        questions = _questions(task, [lists[place] for place in wanted], turn)
        for at, answer in _ask(task, questions, report, attempt):
            if not answer.problem or wanted[at] not in answers:
                answers[wanted[at]] = answer
    for place, answer in sorted(answers.items()):
        each = lists[place]
        start, end = each.windows[turn]
        order = _order(task, answer, end - start)
        if order is not None:
            each.head[start:end] = [each.head[start + at] for at in order]


def _attempts(task: Task) -> range:
    """The numbers of the answers that may count, in turn; the first good one does."""
    last = task.values.get("answer", 1)
    return range(last if task.values.get("again") == EVERY else 1, last + 1)


def _is_poor(answer: Answer, n: int) -> bool:
    return bool(answer.problem) or is_short(len(places_in(answer.text, n)), n)


def _ask(
    task: Task, questions: Iterator[tuple[int, list[Message]]], report: Callable[[int], None], attempt: int
) -> list[tuple[int, Answer]]:
    """The model's answers of this number; what one costs counts, whether it is used or not."""
    service = service_for(ModelPurpose.CHAT, task.collection, task.values.get("endpoint", ""))
    service = replace(service, endpoint=service.asking(task.values["model"]))
    check, temperature = task.progress.check, task.values["temperature"]
    found = ask_model(
        task.collection, service, questions, report, check=check, attempt=attempt, temperature=temperature
    )
    for _, answer in found:
        task.pay(answer.digest, answer.cost)
    return found


def _order(task: Task, answer: Answer, n: int) -> list[int] | None:
    if answer.problem:
        task.counts["questions without an answer, which keep the old order"] += 1
        return None
    named = len(places_in(answer.text, n))
    task.counts["answers" if named else "invalid answers, which keep the old order"] += 1
    if named:
        task.counts["documents that answers were asked to order"] += n
        task.counts["documents that answers left unnamed, which keep the old order"] += n - named
        task.counts[SHORT_ANSWERS] += is_short(named, n)
    return order_in(answer.text, n)


def _questions(task: Task, lists: Sequence[_Reranked], turn: int) -> Iterator[tuple[int, list[Message]]]:
    prompt = _prompt_of(task)
    shown = [each.head[slice(*each.windows[turn])] for each in lists]
    papers = _papers(task, {docno for docnos in shown for docno in docnos})
    for place, (each, docnos) in enumerate(zip(lists, shown, strict=True)):
        yield place, prompt.messages(each.query.text, [papers.get(docno, Paper("", "")) for docno in docnos])


def _papers(task: Task, docnos: Set[str]) -> dict[str, Paper]:
    """Title and abstract of these documents, cut to the words that the model sees."""
    found = Document.objects.filter(collection=task.collection, docno__in=docnos)
    rows = found.values_list("docno", "title", "abstract")
    return {docno: shortened(title, abstract, task.values["longest"]) for docno, title, abstract in rows}


RERANK = Recipe(
    "rerank",
    "Reranking by a chat model",
    "Reorders the first documents of a run by a chat model, as in LitSearch.",
    RerankForm,
    _rank,
    _check,
    keep=_keep_prompt,
    needs=ModelPurpose.CHAT,
)
