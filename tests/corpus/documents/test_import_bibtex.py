"""BibTeX as people and the ACM Digital Library write it, imported as documents."""

import json
import re
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from accounts import jobs
from accounts.models import JobState
from corpus.loading.counts import REPEATED
from corpus.models import Collection, Indexing, Role, SearchEntry
from engines.formats.documents import DocumentFilter, read_documents
from engines.formats.records import DocumentRecord, Remark, Skip
from tests.corpus.documents.tea_documents import stored
from tests.corpus.imports.importing import counts, import_files
from tests.factories.accounts import MembershipFactory
from tests.shared import shared_path


class TestBibtex:
    """Files of one import are one bibliography."""

    def test_words_and_volumes_are_shared_by_all_files(self, collection: Collection, tmp_path: Path) -> None:
        texts = (
            "@article{uhl, title = {Ears}, journal = jzo}\n@inproceedings{eule, title = {S}, crossref = {p}}\n",
            "@string{jzo = {Journal of Owls}}\n",
            "@proceedings{p, title = {Proc. of Owls}, year = 2001}\n@article{lost, title = {L}, journal = nowhere}\n",
        )
        paths = [tmp_path / f"{n}.bib" for n in range(3)]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        run = import_files(collection, *paths)
        assert counts(run) == (3, 0, 0, 1)
        documents = {each.docno: each for each in collection.documents.all()}
        assert {docno: (each.venue, each.year) for docno, each in documents.items()} == {
            "uhl": ("Journal of Owls", None),
            "eule": ("Proc. of Owls", 2001),
            "lost": ("nowhere", None),
        }
        (error,) = run.errors
        assert (error["file"], error["line"], error["kept"]) == ("2.bib", 2, True)
        assert "“nowhere” is defined by no @string" in error["reason"]
        assert "Other fields, kept with the records that have them: entry_type (3), crossref (1)." in run.remarks
        assert run.skips == {"an entry of type @proceedings, which “Other BibTeX entry types” does not name": 1}

    def test_a_file_that_gives_no_document_is_an_error(
        self, collection: Collection, tmp_path: Path, capsys: Any
    ) -> None:
        (path := tmp_path / "a.bib").write_text("@misc{m, title = {M}}\n@book{b, title = {B}}\n")
        with pytest.raises(CommandError, match=r"Name the types to take as well: @misc \(1\), @book \(1\)"):
            call_command("import_documents", "tea", str(path))
        call_command("import_documents", "tea", str(path), "--entry-types", "misc,book", "--json")
        assert json.loads(capsys.readouterr().out)["created"] == 2

    @pytest.mark.parametrize("door", ["import_create", "api_imports"])
    def test_other_types_come_in_through_page_and_api(
        self, client: Client, collection: Collection, settings, tmp_path: Path, door: str
    ) -> None:
        settings.MEDIA_ROOT = tmp_path
        client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
        file = SimpleUploadedFile("a.bib", b"@misc{m, title = {M}}\n@book{b, title = {B}}\n")
        if door == "import_create":
            sent = {"uploads": [file], "format": "auto", "entry_types": "misc, online"}
            answer = client.post(reverse(door, args=["tea", "documents"]), sent)
        else:
            answer = client.post(
                reverse(door, args=["tea"]), {"kind": "documents", "files": file, "entry_types": "misc"}
            )
        assert answer.status_code in (202, 302), answer.content
        jobs.carry_out(collection.import_runs.get())
        assert list(stored(collection)) == ["m"]


@pytest.mark.shared
class TestAcmDigitalLibrary:
    """SIGIR's Forum and some proceedings, with the headings, exclusions and repeated keys of ACM-CR's collection.

    The published counts of the whole are tested in tests/adjudication/evaluation/test_acm_cr_collection.py.
    """

    @pytest.mark.slow
    def test_what_is_read_arrives(self, collection: Collection, tmp_path: Path) -> None:
        folder = shared_path("data", "acm-cr")
        with tarfile.open(folder / "collection.tar.xz") as archive:
            for member in archive:
                if (
                    re.search("/sigir-(19|2020|forum)", member.name)
                    and (source := archive.extractfile(member)) is not None
                ):
                    (tmp_path / Path(member.name).name).write_bytes(source.read())
                if member.name.endswith("sigir-2020.bib"):
                    break  # the last one: the rest takes half a second to unpack
        files = sorted(tmp_path.glob("*.bib"))
        exclude = (folder / "blacklist.txt").read_text().split()
        criteria = DocumentFilter(exclude=frozenset(exclude))
        read = (record for file in files for record in read_documents(file, criteria=criteria))
        records = [record for record in read if not isinstance(record, Remark)]
        documents = [record for record in records if isinstance(record, DocumentRecord)]
        first = {record.docno: record for record in reversed(documents)}

        run = import_files(collection, *files, exclude=exclude)
        assert (run.state, run.reason, run.errors) == (JobState.DONE, "", [])
        assert (run.created, run.created + run.skipped) == (len(first), len(records))
        assert run.skips == Counter(record.reason for record in records if isinstance(record, Skip)) | {
            REPEATED: len(documents) - len(first)
        }
        assert {"a session heading without an abstract", "a document on the list of exclusions"} < set(run.skips)
        assert run.skips[REPEATED] == 289  # all that the collection repeats: the Forum reprints proceedings
        assert stored(collection) == {
            docno: {
                "docno": docno,
                "title": record.title,
                "abstract": record.abstract,
                "keywords": list(record.keywords),
                "authors": list(record.authors),
                "year": record.year,
                "extra": record.extra,
            }
            for docno, record in first.items()
        }
        jobs.carry_out(Indexing.objects.get())
        entries = SearchEntry.objects.filter(collection=collection)
        assert (entries.count(), entries.filter(vector="retrieval").count() > 1000) == (len(first), True)
