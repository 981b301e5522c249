"""What is on the figures for papers, drawn from what a finished run has stored."""

from collections.abc import Iterable
from typing import Any

from django.db.models import F, QuerySet

from accounts.counting import share_in_percent
from adjudication.agreement.drawings import (
    DrawnLine,
    Panel,
    Tile,
    draw_confusions,
    draw_forest,
    draw_heat,
    draw_matrix,
)
from adjudication.agreement.figure_names import CONFUSION, FOREST, MATRIX, MOST_PANELS, PANELS, TOPICS, heat_maps
from adjudication.agreement.results import AGAINST
from adjudication.models import AgreementResult, AgreementRun
from annotation.models import AnnotatorKind
from engines.stats.blocks import ADJUDICATED
from engines.stats.reasons import Flag, words_of
from engines.stats.statistics import statistic as record_of

MOST_LINES = 60  # pairs in a forest plot, annotators in a matrix: more cannot be read
MOST_COLUMNS = 20
MOST_TOPICS = 160
VERDICTS = {Flag.LEAVE_ONE_OUT: "others’ vote", Flag.PART_WHOLE: "verdict, its own part"}


def draw_figure(run: AgreementRun, criterion: str, name: str, form: str) -> bytes:
    """One of the run's `figure_names` as svg or pdf: the same bytes whenever it is drawn."""
    kind, _, what = name.partition("_")
    return DRAWN[kind](run, criterion, what, form)


def _forest(run: AgreementRun, criterion: str, statistic: str, form: str) -> bytes:
    level = share_in_percent(run.detail[criterion]["level"])
    axis = f"{record_of(statistic).label}, {level} intervals"
    pairs = _pairs(run, criterion, statistic).order_by(F("value").asc(nulls_first=True), "-annotators")
    return draw_forest(_lines(pairs[:MOST_LINES]), axis, form)  # of very many, the lowest and the undefined ones


def _pairs(run: AgreementRun, criterion: str, statistic: str) -> QuerySet[AgreementResult]:
    return run.results.filter(criterion=criterion, statistic=statistic, scope="pair")


def _lines(pairs: Iterable[AgreementResult]) -> list[DrawnLine]:
    """Highest first, undefined last."""
    lines = [_line(one) for one in pairs]
    return sorted(lines, key=lambda line: (line.value is None, -(line.value or 0), line.label))


def _line(result: AgreementResult) -> DrawnLine:
    ci, flags = result.ci or {}, result.extra.get("flags", ())
    verdict = next((VERDICTS[flag] for flag in flags if flag in VERDICTS), "verdict")
    label = " × ".join(verdict if name == ADJUDICATED else name for name in result.annotators)
    if result.value is None:
        return DrawnLine(label, None, why=words_of(result.reason))
    return DrawnLine(label, result.value, ci.get("low"), ci.get("high"))


def _matrix(run: AgreementRun, criterion: str, statistic: str, form: str) -> bytes:
    names = [one["name"] for one in run.detail[criterion]["annotators"]][:MOST_COLUMNS]
    pairs = _pairs(run, criterion, statistic).filter(annotators__contained_by=[*names, ADJUDICATED])
    by_pair = {frozenset(one.annotators): one for one in pairs}
    if any(ADJUDICATED in pair for pair in by_pair):
        names.append(ADJUDICATED)
    rows, columns = names[1:], names[:-1]
    tiles = [
        [
            _pair_tile(by_pair.get(frozenset((row, column)))) if place <= below else None
            for place, column in enumerate(columns)
        ]
        for below, row in enumerate(rows)
    ]
    labels = ["verdict" if name == ADJUDICATED else name for name in rows]
    return draw_matrix(labels, columns, tiles, record_of(statistic).label, form)


def _pair_tile(result: AgreementResult | None) -> Tile | None:
    if result is None:
        return None
    if result.value is None:
        return Tile(None, "undefined", result.reason.replace("_", " "))
    text, ci = record_of(result.statistic).text, result.ci
    small = f"{text(ci['low'])} to {text(ci['high'])}" if ci else "no interval"
    flags = result.extra.get("flags", ())
    against = "".join(f"\n{words}" for flag, words in AGAINST.items() if flag in flags)
    return Tile(result.value, text(result.value), f"{small}, n {result.n_items:,}{against}")


def _confusions(run: AgreementRun, criterion: str, page: str, form: str) -> bytes:
    detail = run.detail[criterion]
    people, levels = detail["annotators"], [str(value) for value, _ in detail["scale"]]
    panels = []
    for table in detail["tables"][:MOST_PANELS][(int(page) - 1) * PANELS : int(page) * PANELS]:
        first, second = (people[place]["name"] if place >= 0 else "verdict" for place in table["pair"])
        flagged = f"{second} ({AGAINST['part_whole']})" if "part_whole" in table.get("flags", ()) else second
        panels.append(Panel(first, flagged, table["counts"]))
    return draw_confusions(panels, levels, form)


def _heat_map(run: AgreementRun, criterion: str, statistic: str, form: str) -> bytes:
    detail = run.detail[criterion]
    title = f"{record_of(statistic).label} by topic over {_whose(detail)}, the lowest first"
    rows = heat_maps(detail)[statistic][:MOST_TOPICS]
    return draw_heat([(row["number"], _topic_tile(row, statistic)) for row in rows], title, form)


def _whose(detail: dict[str, Any]) -> str:
    if "topics_people" in detail:
        return "all people"
    machines = any(one["kind"] == AnnotatorKind.MACHINE for one in detail["annotators"])
    return "all annotators, machines included" if machines else "all annotators"


def _topic_tile(row: dict[str, Any], statistic: str) -> Tile:
    value = row["values"].get(statistic)
    if value is None:
        return Tile(None, "undefined: one level" if row["reasons"][statistic] == "one_class_only" else "undefined")
    return Tile(value, f"{record_of(statistic).text(value)}, n {row['n_items']:,}")


DRAWN = {FOREST: _forest, MATRIX: _matrix, CONFUSION: _confusions, TOPICS: _heat_map}
