"""Material in every script on the whole road, by commands: import, pools, runs, judging, gold, exports, release."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from corpus.models import Collection, Document, PoolEntry, Topic
from corpus.runs.recipes.recipe import recipe_hash
from corpus.runs.runs import recipe_named
from tests.factories.accounts import CollectionFactory
from tests.shared import shared_path

# Of each language: two titles, and a question about the first.
MATERIAL = {
    "ar": ("سمع البوم في الظلام", "أجنحة الفراشات", "كيف تسمع البومة؟"),
    "he": ("שמיעת ינשופים בחושך", "כנפי פרפרים", "איך ינשופים שומעים?"),
    "fa": ("شنوایی جغدها در تاریکی", "بال پروانه‌ها", "جغدها چگونه می‌شنوند؟"),
    "zh": ("猫头鹰的听觉研究", "蝴蝶翅膀", "猫头鹰怎么听？"),
    "ja": ("フクロウの聴覚", "蝶の羽", "フクロウはどう聞くか。"),
    "th": ("การได้ยินของนกฮูก", "ปีกผีเสื้อ", "นกฮูกได้ยินอย่างไร"),
    "hi": ("उल्लू की श्रवण शक्ति", "तितली के पंख", "उल्लू कैसे सुनते हैं?"),
    "vi": ("Thính giác của cú trong bóng tối", "Cánh bướm", "Cú nghe như thế nào?"),
    "mul": ("Hearing 🦉 of owls", "Wings 🦋", "🦉?"),
}


@pytest.fixture(autouse=True)
def _places(settings: Any, tmp_path: Path) -> None:
    settings.INDEX_DIR, settings.MEDIA_ROOT = tmp_path / "indexes", tmp_path / "media"


def command(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command(*arguments, "--json", stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def filled(tmp_path: Path, slug: str, language: str) -> Collection:
    """A collection with the material of a language, which came in from files."""
    first, second, question = MATERIAL[language]
    documents, topics = tmp_path / "documents.jsonl", tmp_path / "topics.tsv"
    rows = [{"docno": f"D{n}", "title": text, "text": f"{text}."} for n, text in enumerate((first, second), 1)]
    documents.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), "utf-8")
    topics.write_text(f"q1\t{question}\n", "utf-8")
    command("create_collection", slug, "--title", first, "--language", language)
    assert command("import_documents", slug, str(documents))["created"] == 2
    assert command("import_topics", slug, str(topics))["created"] == 1
    return Collection.objects.get(slug=slug)


@pytest.mark.parametrize("language", MATERIAL)
def test_each_language_is_imported_pooled_and_ranked(language: str, tmp_path: Path, db: None) -> None:
    first, _, question = MATERIAL[language]
    collection = filled(tmp_path, "owls", language)
    assert list(Topic.objects.values_list("text", flat=True)) == [question]
    assert command("build_pools", "owls", "--recipe", "doris-mae")["pairs"] == 1
    assert PoolEntry.objects.get().document.title == first
    command("make_run", "owls", "bm25", "--recipe", "bm25")
    run = collection.retrieval_runs.get()
    assert run.rankings.get().docnos == ["D1"]
    assert run.parameters["settings"]["language"] == language  # said in the recipe


@pytest.mark.parametrize("language", ["ar", "ja"])
def test_it_is_judged_exported_and_released(language: str, tmp_path: Path, db: None) -> None:
    first, _, question = MATERIAL[language]
    filled(tmp_path, "owls", language)
    command("build_pools", "owls", "--recipe", "doris-mae")
    command("create_campaign", "owls", "main", "--kind", "relevance")
    judgments = tmp_path / "judgments.csv"
    judgments.write_text("annotator,topic,docno,criterion,value,note\nآدا,q1,D1,relevance,2,جيد\n", "utf-8")
    assert command("import_judgments", "owls", "main", str(judgments))["created"] == 1
    command("adjudicate", "owls", "main", "--policy", "majority")
    out = tmp_path / "topics.out"
    command("export", "owls", "--format", "topics", "--out", str(out))
    assert question in out.read_text("utf-8")
    folder = tmp_path / "v1"
    command("release", "owls", "v1", "--out", str(folder), "--force", "A test.")
    written = {path.name: path.read_text("utf-8", errors="replace") for path in folder.rglob("*") if path.is_file()}
    assert any(first in text for text in written.values())
    assert any(question in text for text in written.values())
    assert command("verify_release", str(folder))["ok"]


def test_a_text_from_the_right_comes_in_whole(db: None) -> None:
    """With its number and its Latin word; how it is laid out is looked at in test_every_script.py."""
    CollectionFactory(slug="owls")
    command("import_documents", "owls", str(shared_path("data", "real-inputs", "rtl.jsonl")))
    found = Document.objects.get()
    assert (found.title, found.abstract) == ("سمع البوم في الظلام", "تسمع البوم 3.5 kHz جيدا (BERT) في الليل.")


def test_recipes_of_english_say_nothing_of_it_and_keep_their_hashes(db: None) -> None:
    english, arabic = CollectionFactory(language="en"), CollectionFactory(language="ar")
    hashes = {}
    for name in ("bm25", "bm25-okapi", "tfidf"):
        recipe = recipe_named(name)
        values = recipe.values(english, {})
        assert "language" not in values
        hashes[name] = recipe_hash(name, values)
        theirs = recipe.values(arabic, {})
        assert (theirs["tokens"], theirs["stemmer"], theirs["language"]) == ("scripts", "arabic", "ar")
        assert recipe.values(arabic, {"stemmer": "none"})["stemmer"] == "none"
    before = {
        "bm25": "c9c7f483fad3",
        "bm25-okapi": "eb0bb8ed208a",
        "tfidf": "7121b4a40a51",
    }  # when there were no others
    assert {name: found[:12] for name, found in hashes.items()} == before
