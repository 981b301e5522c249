"""A whole cycle of Anno-GPT by command, and by REST with a worker's jobs done here: the same end, the same refusals."""

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from adjudication.agreement.requests import request_vote
from adjudication.models import AgreementRun
from annotation.models import AnnoCycle, MachineRun
from tests.adjudication.cycles.cycle_steps import judged, measured, tuned
from tests.factories.annotation import Material

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

API = "/api/collections/teas/anno-gpt/"


def cycle(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    call_command("anno_gpt", "teas", words[0], "--json", *words[1:])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def refused(reason: str, *words: str) -> None:
    with pytest.raises(CommandError, match=reason):
        call_command("anno_gpt", "teas", *words)


def test_a_cycle_by_command(made: Material, capsys: pytest.CaptureFixture[str]) -> None:
    dev = judged(made, "Dev", "dev")
    refused("has no criterion “colour”", "start", "dev", "--criterion", "colour")
    dry = cycle(capsys, "start", "dev", "--criterion", "relevance", "--margin", "0.1", "--dry-run")
    assert (dry["dry_run"], AnnoCycle.objects.count()) == (True, 0)
    assert cycle(capsys, "start", "dev", "--criterion", "relevance", "--margin", "0.1")["number"] == 1
    refused("Decide it first", "start", "dev", "--criterion", "relevance")
    refused("no cycle 7", "show", "7")
    key = tuned(made, dev)
    test = judged(made, "Test", "test", at=timezone.now())
    for _ in range(2):
        assert cycle(capsys, "test-set", "1", "test")["test"] == "test"
    refused("Freeze a machine first", "run", "1")
    shown = cycle(capsys, "show", "1")
    assert [one["machine"] for one in shown["dev_sets"][0]["machines"]] == [key]
    assert shown["dev_sets"][0]["judged_by_two"] == 24
    assert shown["trial"] is None
    for machine in (key[:7], shown["dev_sets"][0]["machines"][0]["name"], key):  # sent again, nothing changes
        assert cycle(capsys, "freeze", "1", machine)["sha256"] == key
    refused("is frozen already", "freeze", "1", "another")
    refused("has run 0 of 2 times", "test", "1")
    assert cycle(capsys, "run", "1", "--dry-run")["dry_run"]
    assert not MachineRun.objects.filter(campaign=test).exists()
    assert [run["state"] for run in cycle(capsys, "run", "1")["runs"]] == ["done", "done"]
    refused("as often as it should", "run", "1")
    jobs.carry_out(request_vote(campaign=test, by=None, at=timezone.now(), send=False))
    trial = cycle(capsys, "test", "1")["trial"]
    assert (trial["is_current"], trial["runs"], len(trial["rows"])) == (True, 2, 3)
    assert trial["is_passed"] == all(row["equivalent"] for row in trial["rows"])
    refused("To annotate anyway, override", "decide", "1", "annotate", "--reason", "It looks good.")
    ended = cycle(capsys, "decide", "1", "annotate", "--reason", "It looks good.", "--override")
    assert (ended["outcome"], ended["is_override"]) == ("annotate", True)
    assert [one["outcome"] for one in cycle(capsys, "list")["cycles"]] == ["annotate"]


def test_a_cycle_by_rest(made: Material) -> None:
    client = Client()
    client.force_login(made.manager)
    dev = judged(made, "Dev", "dev")

    def post(address: str, expected: int, **body: Any) -> Any:
        answer = client.post(f"{API}{address}", body, content_type="application/json")
        assert answer.status_code == expected, answer.text
        return answer.json()

    assert "has no criterion" in post("", 422, dev="dev", criterion="colour")["detail"]
    post("", 404, dev="nothing", criterion="relevance")
    assert post("", 201, dev="dev", criterion="relevance", margin=0.1)["test"] is None
    key = tuned(made, dev)
    test = judged(made, "Test", "test", at=timezone.now())
    sealed = client.get("/api/collections/teas/campaigns/test/agreement/")
    assert sealed.status_code == 403
    for _ in range(2):
        post("1/test-set/", 200, campaign="test")
    assert client.get(f"{API}1/").json()["dev_sets"][0]["machines"][0]["machine"] == key
    post("1/freezing/", 200, machine=key)
    assert "0 of 2 times" in post("1/test/", 422)["detail"]
    for run in post("1/runs/", 202):  # of the test set, as the command has it
        jobs.carry_out(MachineRun.objects.get(pk=run["id"]))
    jobs.carry_out(request_vote(campaign=test, by=made.manager, at=timezone.now(), send=False))
    measured(AgreementRun.objects.get(pk=post("1/test/", 202)["id"]))
    assert client.get(f"{API}1/").json()["trial"]["is_current"]
    assert "override" in post("1/decision/", 422, outcome="annotate", reason="It looks good.")["detail"]
    post("1/decision/", 200, outcome="stop", reason="People annotate.")
    assert client.get(API).json()["results"][0]["outcome"] == "stop"


def test_the_margin_is_a_share_at_each_door(made: Material) -> None:
    """The page took points: 0.05 there was a twentieth of a point."""
    judged(made, "Dev", "dev")
    client = Client()
    client.force_login(made.manager)
    asked = {"dev": made.collection.campaigns.get().pk, "criterion": "relevance", "runs": 2}
    wrong = client.post(reverse("cycle_create", args=["teas"]), asked | {"margin": 5})
    assert (wrong.status_code, "The margin is a share" in wrong.text) == (422, True)
    client.post(reverse("cycle_create", args=["teas"]), asked | {"margin": "0.1"})
    assert AnnoCycle.objects.get().margin == 0.1
