"""What the agreement page and the overview draw of a finished run: matrix, forest plot, confusion, topics, machines."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone

from adjudication.agreement.matrix import (
    confusion,
    confusion_pairs,
    figures_of_pairs,
    topic_tiles,
    undefined_topics,
)
from adjudication.agreement.method import method_sentence
from adjudication.agreement.people import machine_rows, person_rows
from adjudication.agreement.repeats import remarks_of, repeated
from adjudication.agreement.results import (
    BLOCKS,
    FLAGS,
    FigureText,
    block_figures,
    block_label,
    comparisons,
    pair_figures,
    unpaired,
    whole_figures,
    why_nothing,
)
from adjudication.agreement.tables import MOST_TOPICS
from adjudication.labels.pages import Scope
from adjudication.models import AgreementRun
from annotation.campaigns.progress import AnnotatorRow, annotator_rows
from annotation.models import AnnotatorKind, Criterion
from corpus.collections.rules import can_manage
from engines.stats.statistics import rank
from engines.stats.statistics import statistic as record_of

RAW = "accuracy"  # the share of equal labels, by which every coefficient is read
NOBODY = "No agreement of people can be computed: fewer than two people have judged."
LEAVE_ONE_OUT = "leave_one_out"
ALONE = "fewer_than_two_annotators"  # a block that cannot be: one run, or one person


def drawn_file(request: HttpRequest, draw: Callable[[], bytes], content_type: str, name: str) -> HttpResponseBase:
    """What `draw` draws, as a file. HEAD only asks whether it is there: nothing is drawn, and its length not known."""
    is_head = request.method == "HEAD"
    answer: HttpResponseBase = StreamingHttpResponse(()) if is_head else HttpResponse(draw())
    answer["Content-Type"] = content_type
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def people_context(
    scope: Scope, run: AgreementRun | None, criterion: Criterion | None, work: list[AnnotatorRow] | None = None
) -> dict[str, Any]:
    """The table of annotators: their work, with their figures where a run has any."""
    rows = annotator_rows(scope.campaign, timezone.now()) if work is None else work
    return {
        "people": person_rows(rows, run, criterion.key if criterion else ""),
        "may_manage": can_manage(scope.membership),
    }


def figures_context(request: HttpRequest, run: AgreementRun, criterion: Criterion) -> dict[str, Any]:
    """The chosen statistic (`?statistic=`) of people and of machines, pair by pair (`?pair=`) and topic by topic."""
    detail = run.detail[criterion.key]
    there = set(run.results.filter(criterion=criterion.key).values_list("statistic", flat=True).distinct())
    offered = [name for name in sorted(there, key=rank) if (record := record_of(name)).pair or not record.is_installed]
    name = request.GET.get("statistic", "")
    statistic = name if name in offered else "cohen_kappa"
    table = confusion(run, criterion.key, request.GET.get("pair", ""))
    among = topics_among(detail, request.GET.get("among", ""))
    kept = [("criterion", criterion.key), ("statistic", statistic), ("among", among)]
    humans, machines = machine_rows(run, criterion.key, statistic)
    pairs = pair_figures(run, criterion.key, statistic)
    topics = topic_tiles(run, criterion.key, statistic, people=among == "HH")
    has_machines = any(one["kind"] == AnnotatorKind.MACHINE for one in detail["annotators"])
    return {
        "run": run,
        "detail": detail,
        "statistic": statistic,
        "statistic_label": record_of(statistic).label,
        "statistics": [(name, record_of(name).label) for name in offered],
        "kept": [(name, value) for name, value in (*kept, ("pair", table.pair if table else "")) if value],
        "is_share": record_of(statistic).is_share,
        "statistic_about": record_of(statistic).about,
        "people_pairs": figures_of_pairs(run, criterion.key, pairs, people_alone=True),
        "all_pairs": figures_of_pairs(run, criterion.key, pairs, people_alone=False) if has_machines else None,
        "unfolded": {name: name in request.GET for name in ("pair", "among")},
        "confusion": table,
        "confusion_pairs": confusion_pairs(run, criterion.key),
        "has_machines": has_machines,
        "among": among,
        "among_offered": [("HH", "people"), ("two", "people and machines")],
        "topics": topics,
        "defined_topics": [tile for tile in topics if tile.value],
        "undefined_topics": undefined_topics(topics),
        "topics_words": _topics_words(
            record_of(statistic).label,
            people=among == "HH",
            has_machines=has_machines,
            is_cut=len(topics) >= MOST_TOPICS,
        ),
        "humans": humans,
        "machines": machines,
    }


def _topics_words(figure: str, *, people: bool, has_machines: bool, is_cut: bool) -> str:
    """What the tiles of topics show."""
    who = "people" if people else "annotators, machines included" if has_machines else "annotators"
    most = f", of the {MOST_TOPICS:,} topics with the most items" if is_cut else ""
    labels = "labels of two people" if people else "two labels"
    return f"{figure} of each topic over all {who}, the lowest first{most}. A topic opens its items with {labels}."


def topics_among(detail: dict[str, Any], choice: str) -> str:
    """Whose labels the figures of topics are of, by the lists' name for it: HH (people), two (all), "" (no choice)."""
    if "topics_people" not in detail:
        return ""
    return "two" if choice == "two" else "HH"


def tables_context(run: AgreementRun, criterion: Criterion, shown: dict[str, Any]) -> dict[str, Any]:
    """People together, everybody together, blocks side by side, how it was computed; `shown` is figures_context's."""
    rows = unpaired(run, criterion.key)
    blocks = block_figures(rows)
    alone = {block for block, figures in blocks.items() if {figure.reason for figure in figures} == {ALONE}}
    columns = dict(_column(block, figures) for block, figures in blocks.items() if block not in alone)
    whole = whole_figures(rows)
    people = blocks.get("HH", []) if shown["has_machines"] else whole
    names = dict.fromkeys((shown["statistic"], RAW))
    return {
        "whole": whole,
        "people_figures": people,
        "headline": [one for name in names for one in people if one.statistic == name],
        "nothing": why_nothing(people) or ("" if people else NOBODY),
        "block_names": list(columns),
        "blocks": _block_table(columns),
        "alone": [BLOCKS[block] for block in alone],
        "comparisons": comparisons(run, criterion.key),
        "repeated": repeated(_remarks(people, whole, blocks, shown)),
        "method": method_sentence(run, criterion.key),
    }


def _remarks(
    people: list[FigureText], whole: list[FigureText], blocks: dict[str, list[FigureText]], shown: dict[str, Any]
) -> list[str]:
    """What the page says of its figures, each as often as it would say it."""
    full = [*people, *(figure for figures in blocks.values() for figure in figures)]
    full += [figure for machine in shown["machines"] for _, figure in machine.cells if figure]
    full += whole if shown["has_machines"] else []
    matrices = (shown["people_pairs"], shown["all_pairs"])
    return remarks_of(full, [mark.figure for pairs in matrices if pairs for mark in pairs.marks])


def _column(block: str, figures: list[FigureText]) -> tuple[str, list[FigureText]]:
    """Heading and figures of a block. What the heading says of all figures is not among their notes."""
    shared = set.intersection(*(set(figure.flags) for figure in figures))
    notes_in_heading = {FLAGS[flag] for flag in shared & {LEAVE_ONE_OUT}}
    return block_label(block, shared), [
        replace(figure, notes=tuple(note for note in figure.notes if note not in notes_in_heading))
        for figure in figures
    ]


def _block_table(
    blocks: dict[str, list[FigureText]],
) -> list[tuple[str, str, list[tuple[str, list[FigureText]]]]]:
    """[(statistic, its label, [(heading, its figures)])], for blocks side by side; one figure for each model."""
    labels = {figure.statistic: figure.label for figures in blocks.values() for figure in figures}
    return [
        (
            name,
            labels[name],
            [(block, [figure for figure in figures if figure.statistic == name]) for block, figures in blocks.items()],
        )
        for name in sorted(labels, key=rank)
    ]
