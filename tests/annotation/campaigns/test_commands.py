"""create_campaign, build_items and assign on the command line."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.campaigns.campaigns import drafts_of
from annotation.models import Assignment, Campaign
from tests.factories.annotation import add_documents, add_to_pool, make_campaign, make_material

pytestmark = pytest.mark.django_db

CONFIG = """
kind = "relevance"
overlap = 1
order = "by-document"
seed = 42
guideline = "# Calmly\\n\\nRead twice."

[[criteria]]
key = "fit"
label = "Fit"
question = "Does it fit?"

[[criteria.levels]]
value = 1
label = "Yes"
definition = "It does."

[[criteria.levels]]
value = 0
label = "No"
reasons = ["off topic", "too vague"]
"""


def run(*arguments):
    """The JSON and the summary of a command."""
    out, err = StringIO(), StringIO()
    call_command(*arguments, "--json", stdout=out, stderr=err)
    return json.loads(out.getvalue()), err.getvalue()


def refusal(*arguments):
    with pytest.raises(CommandError) as error:
        call_command(*arguments)
    assert error.value.returncode == 1
    return str(error.value)


def test_a_campaign_is_made_with_items_and_people():
    make_material()
    result, printed = run(
        "create_campaign", "teas", "First round", "--kind", "relevance", "--overlap", "2",
        "--annotator", "ana@example.org", "--annotator", "BEN@example.org",
    )  # fmt: skip
    assert result["slug"] == "first-round"
    assert (result["items"], result["overlap"], result["annotators"]) == (24, 2, ["Ana", "Ben"])
    assert "24 items" in printed
    assert Campaign.objects.get().seed == result["seed"]


def test_the_road_from_campaign_to_assignment():
    make_material()
    call_command(
        "create_campaign",
        "teas",
        "Round",
        "--overlap",
        "2",
        "--seed",
        "5",
        "--strategy",
        "planned",
        *people("ana", "ben", "cai"),
    )
    with CaptureQueriesContext(connection) as asked:
        preview, printed = run("assign", "teas", "round", "--dry-run")
    assert not [each["sql"] for each in asked if "INSERT" in each["sql"]]  # nor written and taken back
    assert printed.startswith("Nothing was changed.")
    assert not Assignment.objects.exists()
    result, printed = run("assign", "teas", "round")
    assert result == preview
    assert {key: result[key] for key in ("items", "annotators", "pairs", "seed")} == {
        "items": 24,
        "annotators": {"Ana": 16, "Ben": 16, "Cai": 16},
        "pairs": {"Ana|Ben": 8, "Ana|Cai": 8, "Ben|Cai": 8},
        "seed": 5,
    }
    assert "Ana: 16 new, 16 in all" in printed
    assert "Ana and Ben share 8" in printed


def people(*names):
    return [word for name in names for word in ("--annotator", f"{name}@example.org")]


def test_a_queue_is_filled():
    make_material()
    call_command("create_campaign", "teas", "Round", "--strategy", "queue")
    result, printed = run("assign", "teas", "round", "--overlap", "2")
    assert (result["items"], result["judgments"], result["annotators"]) == (24, 48, {})
    assert "48 free slots" in printed


def test_the_file_defines_and_the_command_line_overrules(tmp_path):
    make_material()
    file = tmp_path / "campaign.toml"
    file.write_text(CONFIG, "utf-8")
    result, _ = run("create_campaign", "teas", "By file", "--config", str(file), "--overlap", "3", "--sample", "5")
    assert (result["overlap"], result["order"], result["seed"], result["items"]) == (3, "by-document", 42, 5)
    campaign = Campaign.objects.get()
    criterion = drafts_of(campaign)[0]
    assert (criterion.key, criterion.question) == ("fit", "Does it fit?")
    assert [(level.value, level.label, level.reasons) for level in criterion.levels] == [
        (0, "No", ("off topic", "too vague")),
        (1, "Yes", ()),
    ]
    assert campaign.guidelines.get().body == "# Calmly\n\nRead twice.\n"


def test_a_draft_is_changed_by_command(tmp_path):
    make_material()
    file = tmp_path / "campaign.toml"
    file.write_text(CONFIG, "utf-8")
    call_command("create_campaign", "teas", "Round", "--seed", "1")
    result, _ = run("update_campaign", "teas", "round", "--config", str(file), "--overlap", "4", "--split", "dev")
    assert {name: result[name] for name in ("overlap", "order", "seed", "split")} == {
        "overlap": 4,
        "order": "by-document",
        "seed": 42,
        "split": "dev",
    }
    campaign = Campaign.objects.get()
    assert [draft.key for draft in drafts_of(campaign)] == ["fit"]
    assert [each.version for each in campaign.guidelines.all()] == [2, 1]
    assert "Nothing to change" in refusal("update_campaign", "teas", "round")
    file.write_text('kind = "rubric"', "utf-8")
    assert "its kind cannot be changed" in refusal("update_campaign", "teas", "round", "--config", str(file))
    file.write_text("sample = 3\noverlap = 1", "utf-8")
    assert "build_items --sample" in refusal("update_campaign", "teas", "round", "--config", str(file))
    campaign.refresh_from_db()
    assert campaign.overlap == 4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("overlap = ", "not valid TOML"),
        ("overlap = 'two'", "overlap must be a whole number"),
        ("overlap = true", "overlap must be a whole number"),
        ("overlaps = 2", "“overlaps” is not known"),
        ("criteria = 1", r"under its own \[\[criteria\]\]"),
        ("[[criteria]]\nlabel = 'x'", "key is missing"),
        ("[[criteria]]\nkey = 'x'\n[[criteria.levels]]\nvalue = 1\nlabel = 'a'\nreasons = [1]", "list of texts"),
        ("[[criteria]]\nkey = 'x'\n[[criteria.levels]]\nvalue = 1\nlabel = 'a'", "it needs 2 to 11"),
        ("kind = 'sorting'", "cannot be made in this version"),
    ],
)
def test_a_bad_file_changes_nothing(tmp_path, text, words):
    make_material()
    file = tmp_path / "campaign.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(CommandError, match=words):
        call_command("create_campaign", "teas", "By file", "--config", str(file))
    assert not Campaign.objects.exists()


def test_refusals_say_what_to_do(tmp_path):
    made = make_material(pooled=False)
    assert "no collection beers" in refusal("create_campaign", "beers", "Round")
    assert "Invite them first" in refusal("create_campaign", "teas", "Round", "--annotator", "nobody@example.org")
    assert "cannot be read" in refusal("create_campaign", "teas", "Round", "--config", str(tmp_path / "none.toml"))
    assert "No topic of the collection has a pool" in refusal("create_campaign", "teas", "Round", "--sample", "3")
    assert not Campaign.objects.exists()
    result, printed = run("create_campaign", "teas", "Round")
    assert result["items"] == 0
    assert "build_items" in printed
    assert "no campaign other in teas. There are: round." in refusal("assign", "teas", "other")
    assert "no items yet" in refusal("assign", "teas", "round")
    add_to_pool(made.topics[0], made.documents)
    run("build_items", "teas", "round")
    assert "3 different annotators, but only 0" in refusal("assign", "teas", "round", "--strategy", "planned")


def test_wrong_usage_is_distinguished_from_refusals():
    with pytest.raises(CommandError, match="required: name"):
        call_command("create_campaign", "teas")
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("assign", "teas", "round", "--strategy", "lottery")


def test_items_are_added_when_pools_grow():
    made = make_material()
    campaign = make_campaign(made)
    add_to_pool(made.topics[0], add_documents(made.collection, 2, start=40))
    result, printed = run("build_items", "teas", campaign.slug, "--sample", "3", "--seed", "1")
    assert (result["created"], result["items"], result["left"]) == (3, 27, 1)
    assert "Made 3 items" in printed
