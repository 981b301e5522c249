"""litmus anno_gpt SLUG list|show|start|test-set|freeze|run|test|decide: the steps of a cycle of Anno-GPT."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import SteppedCommand, plain, valid
from accounts.models import JobState
from accounts.operations import Operation
from accounts.refusals import Refused
from adjudication.cycles.details import CycleSerializer, cycle_details, cycle_with, cycles_with_names
from adjudication.cycles.operations import CHOOSE_TEST_SET, DECIDE_CYCLE, FREEZE_MACHINE
from adjudication.cycles.steps import (
    NO_TEST_SET,
    request_test,
    run_frozen_machine,
    start_cycle,
)
from adjudication.cycles.trials import frozen_runs
from annotation.campaigns.campaigns import campaign_with
from annotation.machines.committees import with_members
from annotation.machines.requests import continue_machine_run
from annotation.models import AnnoCycle, Outcome
from corpus.collections.collections import collection_with


class AnnoGptCommand(SteppedCommand):
    called = "anno_gpt"
    task = "Agree and decide"
    example = """
    anno_gpt demo list
    anno_gpt demo show 1
    anno_gpt demo start trial-round --criterion relevance --margin 0.05
    anno_gpt demo freeze 1 Lexical
    anno_gpt demo test-set 1 final-test
    anno_gpt demo run 1
    anno_gpt demo test 1
    anno_gpt demo decide 1 stop --reason "It is no better than the words alone."
    """
    line = "Try machines on a development set, freeze one, test it, and decide"
    help = "Anno-GPT: try machines on a development set, freeze one, test it, and decide. The steps are the page's."
    reads: ClassVar[dict[str, str]] = {
        "list": "list the cycles of the collection",
        "show": "show a cycle: its development sets with the machines tried, and its test",
    }
    writes: ClassVar[dict[str, str]] = {
        "start": "begin a cycle; from now on labels of test campaigns are sealed",
        "test-set": "take a test campaign for the cycle",
        "freeze": "fix one of the machines that were tried",
        "run": "let the frozen machine judge the test set or, once decided, another campaign",
        "test": "compute the figures of the test",
        "decide": "end the cycle",
    }

    def add_show(self, parser: CommandParser) -> None:
        parser.add_argument("number", type=int, help="of the cycle")

    def add_start(self, parser: CommandParser) -> None:
        parser.add_argument("dev", help="short name of the development campaign")
        parser.add_argument("--criterion", required=True, metavar="KEY", help="what the cycle is about")
        parser.add_argument("--margin", type=float, default=0.05, help="a share; 0.05, the default, is five points")
        parser.add_argument("--runs", type=int, default=2, help="on the test set; default: 2")

    def add_test_set(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("campaign", help="short name of the test campaign")

    def add_freeze(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("machine", help="its hash or name as `show` lists them, or the beginning of either")

    def add_run(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("campaign", nargs="?", default="", help="default: the test set")
        parser.add_argument("--continue", action="store_true", dest="go_on", help="continue its unfinished runs")

    def add_test(self, parser: CommandParser) -> None:
        self.add_show(parser)

    def add_decide(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("outcome", choices=Outcome.values)
        parser.add_argument("--reason", required=True, help="kept with the table of the test")
        parser.add_argument("--override", action="store_true", help="annotate although the test is not passed")

    def list(self, *, slug: str) -> tuple[str, dict[str, Any]]:
        cycles = cycles_with_names(collection_with(slug)).order_by("-number")
        lines = [f"Cycle {one.number} ({one.criterion}, {one.dev.slug}): {one.words}" for one in cycles]
        return "\n".join(lines) or "There are no cycles yet.", {"cycles": CycleSerializer(cycles, many=True).data}

    def show(self, *, slug: str, number: int) -> tuple[str, dict[str, Any]]:
        cycle = cycle_with(slug, number)
        found = cycle_details(cycle)
        lines = [f"Cycle {cycle.number} ({cycle.criterion}): {cycle.words}"]
        for table in found["dev_sets"]:
            lines.append(f"{table['campaign']}: {table['judged_by_two']:,} of {table['items']:,} items judged by two")
            lines += [f"  {_line('people', table['among_people'])}"]
            lines += [f"  {_line(one['name'], one['figures'])} [{one['machine']}]" for one in table["machines"]]
        if trial := found["trial"]:
            lines.append(
                f"test: {trial['runs']} of {cycle.runs} runs, " + ("passed" if trial["is_passed"] else "not passed")
            )
            lines += [f"  {_difference(row)}" for row in trial["rows"]]
        return "\n".join(lines), plain(found)

    def start(self, *, slug: str, dev: str, criterion: str, margin: float, runs: int) -> tuple[str, dict[str, Any]]:
        campaign = campaign_with(slug, dev)
        cycle = start_cycle(
            collection=campaign.collection,
            by=None,
            at=timezone.now(),
            dev=campaign,
            criterion=criterion,
            margin=margin,
            runs=runs,
        )
        return _done(cycle, "begun. Labels of test campaigns are sealed until a machine is frozen.")

    def test_set(self, **given: Any) -> tuple[str, dict[str, Any]]:
        return _taken(CHOOSE_TEST_SET, **given)

    def freeze(self, **given: Any) -> tuple[str, dict[str, Any]]:
        return _taken(FREEZE_MACHINE, **given)

    def run(self, *, slug: str, number: int, campaign: str, go_on: bool) -> tuple[str, dict[str, Any]]:
        cycle, at = cycle_with(slug, number), timezone.now()
        target = campaign_with(slug, campaign) if campaign else cycle.test
        if target is None:
            raise Refused(NO_TEST_SET)
        if go_on:
            left = [run for run in frozen_runs(cycle, target) if run.state != JobState.DONE]
            runs = [continue_machine_run(run=run, by=None, at=at, send=False) for run in left]
        else:
            runs = run_frozen_machine(cycle=cycle, by=None, at=at, campaign=target, send=False)
        self.work(with_members(runs))
        shapes = [{"id": each.pk, "annotator": each.annotator.name, "state": each.state} for each in runs]
        return f"{target}: {len(runs)} runs of the frozen machine.", {"campaign": target.slug, "runs": shapes}

    def test(self, *, slug: str, number: int) -> tuple[str, dict[str, Any]]:
        cycle = cycle_with(slug, number)
        run = request_test(cycle=cycle, by=None, at=timezone.now(), send=False)
        self.work([run])
        if self.is_dry:
            return _done(cycle, "the figures of the test are computed.")
        return self.show(slug=slug, number=number)

    def decide(self, **given: Any) -> tuple[str, dict[str, Any]]:
        return _taken(DECIDE_CYCLE, **given)


def _shown(cycle: AnnoCycle) -> dict[str, Any]:
    return CycleSerializer(cycle).data


def _taken(verb: Operation, slug: str, number: int, **given: Any) -> tuple[str, dict[str, Any]]:
    found = verb.place.command(slug=slug, number=number)
    _, words, shown = verb.carry_out(found, valid(verb.fill(found, given)), None, verb.report, _shown)
    return words, shown


def _done(cycle: AnnoCycle, words: str) -> tuple[str, dict[str, Any]]:
    found = cycles_with_names(cycle.collection).get(pk=cycle.pk)
    return f"Cycle {cycle.number}: {words}", _shown(found)


def _difference(row: Mapping[str, Any]) -> str:
    """The line of a test, with the interval that its words rest on."""
    interval = f" ({row['low']} to {row['high']})" if row["low"] else ""
    return f"{row['label']}: difference {row['difference']}{interval}, {row['outcome']}"


def _line(name: str, figures: list[dict[str, Any]]) -> str:
    shown = [
        f"{one['statistic']} " + (f"{one['value']:.3f}" if one["value"] is not None else f"none ({one['reason']})")
        for one in figures
    ]
    return f"{name}: {', '.join(shown) or 'no labels to compare yet'}"
