"""Pages where levels and the guideline of a campaign are written."""

import pytest

from annotation.campaigns.campaigns import drafts_of
from tests.annotation.campaigns.pages import client_of, opened, text_of, url
from tests.factories.annotation import annotator, give_labels, make_campaign

pytestmark = pytest.mark.django_db


def form_of(drafts):
    """The fields as a browser sends them for these criteria."""
    data = {}
    for c, criterion in enumerate(drafts):
        data |= {f"c{c}-{name}": getattr(criterion, name) for name in ("key", "label", "question", "scale")}
        for n, level in enumerate(criterion.levels):
            names = ("value", "label", "definition", "example")
            data |= {f"c{c}-l{n}-{name}": getattr(level, name) for name in names}
            data[f"c{c}-l{n}-reasons"] = "\n".join(level.reasons)
    return data


def test_levels_are_changed_in_a_form(made):
    campaign = make_campaign(made, items=False)
    client = client_of(made)
    data = form_of(drafts_of(campaign))
    data |= {"c0-l3-value": 3, "c0-l3-label": "Perfectly", "c0-l3-reasons": "a\r\n b \r\n\r\na"}
    answer = client.post(url("criteria_edit"), data, follow=True)
    assert "Levels saved" in text_of(answer)
    levels = drafts_of(campaign)[0].levels
    assert [level.value for level in levels] == [0, 1, 2, 3]
    assert levels[3].reasons == ("a", "b")


def test_rows_are_added_without_scripts_and_without_saving(made):
    campaign = make_campaign(made, items=False)
    client = client_of(made)
    data = form_of(drafts_of(campaign)) | {"c0-label": "Typed"}
    page = text_of(client.post(url("criteria_edit"), data | {"add_level": "0"}))
    assert 'name="c0-l3-value"' in page
    assert 'value="Typed"' in page
    page = text_of(client.post(url("criteria_edit"), data | {"add_criterion": "1"}))
    assert 'name="c1-key"' in page
    assert 'name="c1-l1-value"' in page
    assert drafts_of(campaign)[0].label == "Relevance"


def test_rows_are_removed_without_saving(made):
    campaign = make_campaign(made, items=False)
    client = client_of(made)
    data = form_of(drafts_of(campaign))
    page = text_of(client.post(url("criteria_edit"), data | {"remove_level": "0.1"}))
    assert 'name="c0-l1-value"' in page
    assert 'name="c0-l2-value"' not in page
    assert 'value="Fully"' in page
    assert 'value="Partly"' not in page
    two = data | {"c1-key": "other", "c1-label": "Other", "c1-scale": "ordinal"}
    page = text_of(client.post(url("criteria_edit"), two | {"remove_criterion": "0"}))
    assert 'value="other"' in page
    assert 'value="relevance"' not in page
    for nonsense in ("x", "9", "0.9", "0.x", "-1"):
        page = text_of(client.post(url("criteria_edit"), data | {"remove_level": nonsense}))
        assert 'name="c0-l2-value"' in page
    assert len(drafts_of(campaign)[0].levels) == 3


def test_emptied_levels_are_left_out_and_mistakes_are_shown(made):
    campaign = make_campaign(made, items=False)
    client = client_of(made)
    data = form_of(drafts_of(campaign))
    emptied = data | {f"c0-l1-{name}": "" for name in ("value", "label", "definition", "example")}
    client.post(url("criteria_edit"), emptied)
    assert [level.value for level in drafts_of(campaign)[0].levels] == [0, 2]
    answer = client.post(url("criteria_edit"), data | {"c0-l1-value": 2})
    assert answer.status_code == 422
    assert "2 levels have the value 2" in text_of(answer)
    answer = client.post(url("criteria_edit"), data | {"c0-l1-label": ""})
    assert "Give the level a name" in text_of(answer)


def test_levels_are_kept_and_pasted_as_toml(made):
    campaign = make_campaign(made, items=False)
    client = client_of(made)
    assert "[[criteria.levels]]" in text_of(client.get(url("criteria_edit")))
    toml = '[[criteria]]\nkey = "fit"\n' + "".join(
        f'[[criteria.levels]]\nvalue = {v}\nlabel = "l{v}"\n' for v in (1, 0)
    )
    client.post(url("criteria_import"), {"toml": toml})
    assert [level.value for level in drafts_of(campaign)[0].levels] == [0, 1]
    answer = client.post(url("criteria_import"), {"toml": "seed = 3"})
    assert answer.status_code == 422
    assert "The text has no [[criteria]]" in text_of(answer)


def test_judged_levels_are_shown_but_not_offered_for_change(made):
    campaign = opened(made)
    give_labels(annotator(campaign, "ana"), [1])
    client = client_of(made)
    page = text_of(client.get(url("criteria_edit")))
    assert "the levels can no longer change" in page
    assert 'name="c0-key"' not in page
    data = form_of(drafts_of(campaign)) | {"c0-label": "Other"}
    assert client.post(url("criteria_edit"), data).status_code == 422
    assert drafts_of(campaign)[0].label == "Relevance"


def test_a_guideline_is_written_previewed_and_compared(made):
    make_campaign(made, items=False)
    client = client_of(made)
    preview = text_of(client.post(url("guideline_preview"), {"body": "**Bold** <script>alert(1)</script>"}))
    assert "<strong>Bold</strong>" in preview
    assert "<script>" not in preview
    assert preview.strip().startswith("<div")
    answer = client.post(url("guideline_edit"), {"body": "Be calm.\n\nBe kind.", "based_on": 1}, follow=True)
    assert "Version 2 saved" in text_of(answer)
    answer = client.post(url("guideline_edit"), {"body": "Be calm.\n\nBe kind.", "based_on": 2}, follow=True)
    assert "The text has not changed" in text_of(answer)
    client.post(url("guideline_edit"), {"body": "Be calm.\n\nBe brave.", "based_on": 2})
    page = text_of(client_of(made, "ana").get(url("guideline_detail", 3)))
    assert "<del>kind</del>" in page
    assert "<ins>brave</ins>" in page
    assert client.get(url("guideline_detail", 9)).status_code == 404


def test_a_second_writer_sees_what_the_first_wrote_and_can_save_then(made):
    campaign = make_campaign(made, items=False)
    client = client_of(made)
    client.post(url("guideline_edit"), {"body": "First.", "based_on": 1})
    answer = client.post(url("guideline_edit"), {"body": "Second.", "based_on": 1})
    page = text_of(answer)
    assert answer.status_code == 422
    assert "Someone saved version 2" in page
    assert "Second." in page
    assert 'name="based_on" value="2"' in page
    client.post(url("guideline_edit"), {"body": "First and second.", "based_on": 2})
    assert campaign.guidelines.first().version == 3
