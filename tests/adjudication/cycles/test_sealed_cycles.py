"""The test set of a cycle stays sealed until a machine is frozen, whatever is asked."""

import re
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.refusals import Conflict, NotAllowed, Refused
from adjudication.agreement.requests import request_agreement, request_vote
from adjudication.cycles.steps import choose_test_set, freeze_machine
from adjudication.exporting.options import make_options
from adjudication.exports.files import open_export
from annotation.campaigns.lifecycle import update_campaign
from annotation.machines.recipes import MachineOptions
from annotation.machines.requests import request_machine_runs
from annotation.models import Campaign, Judgment, MachineKind
from tests.adjudication.cycles.cycle_steps import LATER, began, judged, tuned
from tests.factories.annotation import Material
from tests.factories.machines import ask

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def test_test_labels_are_sealed_until_a_machine_is_frozen(made: Material) -> None:
    by, dev = made.manager, judged(made, "Dev", "dev")
    test = judged(made, "Test", "test", at=LATER + timedelta(hours=1))
    request_agreement(campaign=test, by=by, at=LATER, send=False)  # nothing is sealed before a cycle begins
    cycle = began(made, dev)
    key = tuned(made, dev)
    pages = [f"/c/teas/campaigns/test/{end}/" for end in ("agreement", "disagreements", "adjudication")]
    pages += [f"/c/teas/campaigns/test/agreement/{end}/" for end in ("report", "sample-size")]
    api = [f"/api/collections/teas/campaigns/test/{end}/" for end in ("judgments", "agreement", "votes", "verdicts")]
    downloads = ["/c/teas/exports/judgments/?campaign=test", "/api/collections/teas/exports/judgments/?campaign=test"]
    for role in ("mia", "ada", "vic"):
        client = Client()
        client.force_login(made.people[role])
        for address in [*pages, *api, *downloads]:
            assert client.get(address).status_code == 403, address
        assert client.get("/c/teas/").status_code == 200
    ana = Client()
    ana.force_login(made.people["ana"])
    assert ana.get(api[0]).json()["results"]  # her own labels stay hers
    for asked in (
        lambda: request_agreement(campaign=test, by=None, at=LATER, send=False),
        lambda: request_vote(campaign=test, by=by, at=LATER, send=False),
        lambda: open_export(make_options(made.collection, "judgments", campaign="test")),
    ):
        with pytest.raises(NotAllowed, match="sealed until Anno-GPT cycle 1"):
            asked()
    with pytest.raises(Refused, match="has not frozen its machine"):
        ask(made, test, kind="lexical")
    freeze_machine(cycle=cycle, by=by, at=LATER, key=key)
    client.force_login(by)
    assert [client.get(address).status_code for address in [*pages[:2], *api]] == [200] * 6


@pytest.mark.parametrize(
    "command",
    [["agreement", "test"], ["adjudicate", "test"], ["sample_size", "test"], ["evaluate", "--gold", "campaign:test"]],
)
def test_no_command_reads_sealed_labels(made: Material, command: list[str]) -> None:
    began(made, judged(made, "Dev", "dev", sample=8))
    judged(made, "Test", "test", sample=8, at=LATER)
    name, *options = command
    with pytest.raises(CommandError, match="are sealed until Anno-GPT cycle 1"):
        call_command(name, "teas", *options, stderr=StringIO())


def test_of_a_sealed_campaign_no_line_is_explained_and_of_others_each(made: Material, client: Client) -> None:
    dev = judged(made, "Dev", "dev", sample=8)
    test = judged(made, "Test", "test", sample=8, at=LATER)
    began(made, dev)
    client.force_login(made.manager)
    pairs = [
        {"topic": item.topic.number, "docno": item.document.docno}
        for item in (one.items.select_related("topic", "document").first() for one in (dev, test))
        if item
    ]
    withheld = "Lines of the test campaign Test are withheld until Anno-GPT cycle 1 freezes its machine."
    others = client.get("/api/collections/teas/lines/", pairs[0]).json()
    assert {line["campaign"] for line in others["lines"]} == {"dev"}
    assert others["withheld"] == [withheld]
    assert client.get("/api/collections/teas/lines/", pairs[1]).status_code == 422
    for pair, shown in zip(pairs, ("Annotator", "can be explained"), strict=True):
        page = client.get("/c/teas/releases/lines/", pair).content.decode()
        assert withheld in page
        assert shown in page
    out = StringIO()
    call_command("explain", "teas", *pairs[0].values(), stdout=out)
    assert withheld in out.getvalue()


def test_the_seal_is_not_broken_by_guesses_or_detours(made: Material, tmp_path: Any) -> None:
    """An import does not reveal whether it guessed a sealed label; a judged test set does not become another split."""
    began(made, judged(made, "Dev", "dev"))
    test = judged(made, "Test", "test", at=LATER)
    label = Judgment.objects.filter(assignment__item__campaign=test).select_related("assignment__item__topic").first()
    assert label is not None
    item, refusals = label.assignment.item, []
    for guess in range(3):
        path = tmp_path / "guess.csv"
        row = [label.assignment.annotator.name, item.topic.number, item.aspect.text, item.document.docno, guess]
        path.write_text("annotator,topic,aspect,docno,value\n" + ",".join(map(str, row)) + "\n", "utf-8")
        out = StringIO()
        with pytest.raises(CommandError):
            call_command("import_judgments", "teas", "test", str(path), "--dry-run", "--json", stdout=out, stderr=out)
        own = re.escape(f'["value", "{guess}"]')  # a dry run shows the rows of the file itself
        refusals.append(re.sub(rf'"seconds": [\d.]+|{own}', "", out.getvalue()))
    assert len(set(refusals)) == 1
    assert "an import only adds labels" in refusals[0]
    Campaign.objects.filter(pk=test.pk).update(state="draft")  # as one whose labels were imported before it opened
    with pytest.raises(Refused, match="a judged campaign cannot become a test set or stop being one"):
        update_campaign(campaign=test, by=made.manager, at=LATER, split="main")


def test_only_the_frozen_machine_runs_on_the_test_set(made: Material) -> None:
    by, dev = made.manager, judged(made, "Dev", "dev")
    cycle = began(made, dev)
    key = tuned(made, dev)
    test = judged(made, "Test", "test", at=LATER)
    freeze_machine(cycle=cycle, by=by, at=LATER, key=key)
    choose_test_set(cycle=cycle, by=by, at=LATER, test=test)
    with pytest.raises(Refused, match="has frozen another machine"):
        ask(made, test, kind="lexical", thresholds=(0.1, 0.2))
    options = MachineOptions(kind=MachineKind.LEXICAL)
    assert request_machine_runs(campaign=test, by=by, at=LATER, options=options, send=False)[0].recipe_hash == key
    with pytest.raises(Conflict, match="frozen already"):
        freeze_machine(cycle=cycle, by=by, at=LATER, key="another")
