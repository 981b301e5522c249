"""Which pairs a relevance campaign takes, chosen on a page, in a command or over the API."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django import forms

from accounts.extensions import extensions
from accounts.refusals import Refused
from annotation.campaigns.forms.settings import number_field
from annotation.kind import Choosing
from annotation.kinds.names import check_known, check_names, with_ranges
from corpus.models import Collection, PoolSource, RetrievalRun, Topic
from engines.definitions.settings import DEPTH

LONGEST_LIST = 100_000  # characters of topic numbers
TOP = 10  # ranks of a run, by default


@dataclass(frozen=True, slots=True)
class TopicParts:
    """Parts of the topics that an app above this one knows, such as those of splits, by name; `topics` gives ids."""

    names: Callable[[Collection], list[str]]
    topics: Callable[[Collection, Sequence[str]], list[int]]


@dataclass(frozen=True, slots=True)
class PairChoice:
    """Which pairs to take: those that meet every condition. An empty field or None is no condition.

    `topics` are numbers, `parts` names of parts of splits, `aspect_words` stand in the aspect's text. `pool_sources`
    brought the document into the pool, within the first `depth` of their ranks. `unjudged_runs`: pairs without a
    judgment in any campaign whose document is among the first `top` (TOP if None) of one of these runs.
    """

    topics: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    aspect_words: str = ""
    pool_sources: tuple[str, ...] = ()
    depth: int | None = None
    unjudged_runs: tuple[str, ...] = ()
    top: int | None = None


EVERYTHING = PairChoice()


class PairChoiceForm(forms.Form):
    """Which pairs a relevance campaign takes. Fields of which the collection has no values are left out."""

    topics = forms.CharField(
        required=False,
        max_length=LONGEST_LIST,
        label="Only these topics",
        help_text="Numbers separated by spaces, or ranges such as 1-8. Left empty: all topics.",
    )
    parts = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Only topics of these parts of splits",
        help_text="None ticked: all topics.",
    )
    aspect_words = forms.CharField(required=False, max_length=200, label="Only aspects with these words")
    pool_sources = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Only documents pooled by",
        help_text="None ticked: any method.",
    )
    depth = number_field(
        DEPTH,
        required=False,
        label="Only the first ranks of these methods",
        help_text="Documents from a list have no rank; they are left out. Left empty: all ranks.",
    )
    unjudged_runs = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Only unjudged documents from the top of these runs",
        help_text="Pooled documents only. None ticked: judged and unjudged ones.",
    )
    top = number_field(DEPTH, required=False, label="Top ranks to use", help_text=f"Left empty: rank {TOP}.")

    def __init__(self, data: Any = None, *, collection: Collection) -> None:
        super().__init__(data)
        methods = PoolSource.objects.filter(entry__topic__collection=collection).order_by("method")
        self._offer("parts", _part_names(collection))
        self._offer("pool_sources", methods.values_list("method", flat=True).distinct(), "depth")
        self._offer("unjudged_runs", collection.retrieval_runs.order_by("name").values_list("name", flat=True), "top")

    def _offer(self, name: str, values: Iterable[str], *with_it: str) -> None:
        field: Any = self.fields[name]
        field.choices = [(value, value) for value in values]
        if not field.choices:
            for each in (name, *with_it):
                del self.fields[each]

    def chosen(self) -> PairChoice:
        """The choice of a valid form."""
        values = self.cleaned_data
        return read_choice(values | {"topics": values["topics"].split()})


def read_choice(parameters: Mapping[str, Any]) -> PairChoice:
    """The choice from a build's parameters or the API's fields."""
    lists = {name: tuple(parameters.get(name) or ()) for name in ("topics", "parts", "pool_sources", "unjudged_runs")}
    words = (parameters.get("aspect_words") or "").strip()
    return PairChoice(**lists, aspect_words=words, depth=parameters.get("depth"), top=parameters.get("top"))


def add_arguments(parser: ArgumentParser) -> None:
    for flag, words in (
        ("--topic", "this topic, or the topics of a range such as 1-8"),
        ("--part", "topics of this part of a split, as SPLIT/PART"),
        ("--pool-source", "documents that this method pooled"),
        ("--unjudged-run", "unjudged documents from the top of this run"),
    ):
        parser.add_argument(flag, action="append", default=[], metavar="S", help=f"relevance: only {words}; repeat")
    parser.add_argument("--aspect-words", default="", metavar="WORDS", help="relevance: only aspects with these words")
    parser.add_argument("--depth", type=int, metavar="N", help="relevance: only the first N ranks of pool sources")
    parser.add_argument("--top", type=int, metavar="N", help=f"relevance: top ranks to use ({TOP})")


def choice_of_command(options: Mapping[str, Any]) -> PairChoice:
    named = {"topics": "topic", "parts": "part", "pool_sources": "pool_source", "unjudged_runs": "unjudged_run"}
    return read_choice(dict(options) | {name: options[flag] for name, flag in named.items()})


def api_fields() -> dict[str, Any]:
    from rest_framework import serializers  # a command needs none of it

    def names(words: str) -> Any:
        child = serializers.CharField(max_length=200)
        return serializers.ListField(child=child, required=False, max_length=10_000, help_text=f"of relevance: {words}")

    def number(words: str) -> Any:
        limits: dict[str, Any] = {"min_value": DEPTH.least, "max_value": DEPTH.most}
        return serializers.IntegerField(**limits, required=False, allow_null=True, help_text=f"of relevance: {words}")

    return {
        "topics": names("only of these topics, by number or as a range such as 1-8"),
        "parts": names("only of topics in these parts of splits, as SPLIT/PART"),
        "aspect_words": serializers.CharField(max_length=200, required=False, allow_blank=True),
        "pool_sources": names("only documents that these methods pooled"),
        "depth": number("within the first ranks of these"),
        "unjudged_runs": names("only unjudged documents from the top of these runs"),
        "top": number(f"top ranks to use ({TOP} if absent)"),
    }


PAIRS = Choosing(
    form=PairChoiceForm,
    read=read_choice,
    add_arguments=add_arguments,
    of_command=choice_of_command,
    api_fields=api_fields,
)


# --- in SQL -----------------------------------------------------------------------------------------------------------

# What narrows the pairs of `items.PAIRS` (topic t, aspect a, pool entry p), by field of the choice.
CLAUSES = {
    "topics": "AND t.number = ANY(%(topics)s)",
    "parts": "AND t.id = ANY(%(part_topics)s)",
    "aspect_words": "AND strpos(lower(a.text), lower(%(aspect_words)s)) > 0",
    "pool_sources": """AND EXISTS (
  SELECT FROM corpus_poolsource s WHERE s.entry_id = p.id AND s.method = ANY(%(pool_sources)s)
    AND (%(depth)s::int IS NULL OR s.rank <= %(depth)s)
)""",
    "unjudged_runs": """AND (t.id, p.document_id) IN (
  SELECT ranking.topic_id, d.id FROM corpus_retrievalrun run
  JOIN corpus_ranking ranking ON ranking.run_id = run.id
  CROSS JOIN LATERAL unnest(ranking.docnos[1:%(top)s]) AS top(docno)
  JOIN corpus_document d ON d.collection_id = run.collection_id AND d.docno = top.docno
  WHERE run.collection_id = %(collection)s AND run.name = ANY(%(unjudged_runs)s)
) AND NOT EXISTS (
  SELECT FROM annotation_item judged JOIN annotation_assignment done ON done.item_id = judged.id
  JOIN annotation_campaign c ON c.id = judged.campaign_id AND c.purpose = 'judging'
  WHERE done.state = 'done' AND done.repeat = 0 AND judged.topic_id = t.id AND judged.document_id = p.document_id
    AND coalesce(judged.aspect_id, 0) = coalesce(a.id, 0)
)""",
}


def clauses_of(choice: PairChoice) -> str:
    """The conditions that the choice adds."""
    return "\n".join(clause for name, clause in CLAUSES.items() if getattr(choice, name))


def parameters_of(choice: PairChoice, collection: Collection) -> dict[str, Any]:
    """The parameters of the conditions. Errors: Refused for names that the collection does not have."""
    if choice.depth is not None and not choice.pool_sources:
        raise Refused("Choose the pool methods whose first ranks you want.")
    if choice.top is not None and not choice.unjudged_runs:
        raise Refused("Choose the runs whose top ranks you want, among the runs with unjudged documents.")
    topics = with_ranges(choice.topics, Topic.objects.filter(collection=collection), "number")
    check_known(topics, Topic.objects.filter(collection=collection), "number", "topic")
    check_known(choice.unjudged_runs, RetrievalRun.objects.filter(collection=collection), "name", "run")
    pooled = PoolSource.objects.filter(entry__topic__collection=collection).distinct()
    check_known(choice.pool_sources, pooled, "method", "pool source")
    check_names(choice.parts, _part_names(collection), "part of a split")
    named = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(choice).items()}
    return named | {"topics": topics, "part_topics": _part_topics(collection, choice.parts), "top": choice.top or TOP}


def _givers() -> Iterable[TopicParts]:
    return extensions("topic_parts").values()


def _part_names(collection: Collection) -> list[str]:
    return [name for giver in _givers() for name in giver.names(collection)]


def _part_topics(collection: Collection, names: Sequence[str]) -> list[int]:
    return [topic for giver in _givers() for topic in giver.topics(collection, names)] if names else []
