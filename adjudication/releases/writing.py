"""The job that writes a release: into a temporary folder, in one snapshot of the database, stored at the end."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from accounts.claims import Claim
from accounts.files.storage import files
from accounts.job_kinds import Cancelled, ClaimLost, Progress
from accounts.refusals import Refused
from accounts.snapshots import snapshot
from adjudication.labels.rules import check_none_sealed
from adjudication.models import Release
from adjudication.releases.appendix import appendix, datasheet
from adjudication.releases.archive import MANIFEST, StoredFiles, has_files
from adjudication.releases.checks import check_list
from adjudication.releases.croissant import croissant
from adjudication.releases.data import Writer
from adjudication.releases.describing import card, changelog, citation, datacite, licence
from adjudication.releases.differences import changed_files, differences, sentences_of
from adjudication.releases.facts import Facts, gather
from adjudication.releases.folder import Folder, hash_of
from adjudication.releases.ir_datasets_extension import EXTENSION, extension
from adjudication.releases.people import pseudonyms
from adjudication.releases.recipe import make_recipe
from adjudication.releases.sources import fingerprints, last_ids
from adjudication.releases.statement import answers_of, names_in

FORMAT = 1  # of the manifest


class SnapshotProgress(Progress):
    """Progress of work inside a snapshot, in which a cancellation could not be seen: a separate connection looks for it
    outside."""

    outside: BaseDatabaseWrapper | None = None

    def check(self) -> None:
        self.check_worker()
        if self.outside is None:
            self.outside = connection.copy()
        with self.outside.cursor() as cursor:
            cursor.execute(CANCELLED, [self.job.pk])
            if cursor.fetchone():
                raise Cancelled

    def close(self) -> None:
        """Give the connection back."""
        if self.outside is not None:
            self.outside.close()


CANCELLED = "SELECT 1 FROM adjudication_release WHERE id = %s AND cancel_requested_at IS NOT NULL"


def part_of(release: Release) -> Path:
    """Where this attempt writes it before it is whole. An attempt that lost its claim may still be writing: the next
    one has another folder."""
    return Path(settings.FILE_UPLOAD_TEMP_DIR) / f"release-{release.pk}.{release.attempts}"


def remove_parts(release: Release) -> None:
    """Take away what attempts left behind on this machine, and what they stored without freezing it."""
    for part in Path(settings.FILE_UPLOAD_TEMP_DIR).glob(f"release-{release.pk}.*"):
        shutil.rmtree(part, ignore_errors=True)
    for attempt in range(1, release.attempts + 1):
        if (place := _place(release, attempt)) != release.place:
            files.remove_folder(place)


def write_release(release: Release, progress: Progress) -> None:
    """Write both variants, store them, note the hashes. Called again after a crash, it begins again.

    Errors: Refused where something blocking has come up since the release was asked for.
    """
    if release.frozen_at is not None:
        return  # it ended after its hashes were stored
    part = part_of(release)
    remove_parts(release)
    part.mkdir(parents=True)
    try:
        with snapshot():
            release.collection.refresh_from_db()
            facts = write_variants(release, part, progress)
            ids = last_ids(release.collection_id)
        _freeze(release, facts, ids, part, progress)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _place(release: Release, attempt: int) -> str:
    return f"releases/{release.pk}.{attempt}"


def _freeze(release: Release, facts: Facts, ids: dict[str, int], part: Path, progress: Progress) -> None:
    """Store the files and then their hashes, unless another worker has the job by now."""
    release.last_ids, release.summary = ids, facts.release.summary
    release.findings = facts.release.findings
    release.manifest_sha256 = hash_of(part / "named" / MANIFEST)
    release.anonymous_sha256 = hash_of(part / "anonymous" / MANIFEST)
    release.place, release.frozen_at = _place(release, release.attempts), timezone.now()
    progress.check()
    files.take_folder(part, release.place)
    _store_row(release, progress.claim)


def _store_row(release: Release, claim: Claim | None) -> None:
    with transaction.atomic():
        if claim is not None and not claim.is_held():
            files.remove_folder(release.place)
            raise ClaimLost
        release.save(
            update_fields=[
                *("last_ids", "summary", "findings", "manifest_sha256", "anonymous_sha256", "place", "frozen_at")
            ]
        )


def write_variants(release: Release, root: Path, progress: Progress | None) -> Facts:
    """Both folders below `root`; `release.summary` and `release.findings` are filled, but not stored."""
    answers = answers_of(release.collection)
    people = pseudonyms(release.collection, release.pseudonym_key)
    hidden = people.with_stated(names_in(answers))  # data files are those of both variants
    people = replace(people, names=hidden.names, slugs=hidden.slugs)
    recipe = make_recipe(release.collection, hidden.slugs)
    check_none_sealed(recipe.campaigns)
    found = check_list(recipe)
    release.findings = [one.as_json() for one in found]
    if blocking := [one.text for one in found if one.blocking and not release.force_reason]:
        raise Refused("The collection has changed since the release was asked for. " + " ".join(blocking))
    sources = sources_of(release)
    named = Folder(root / "named", progress, hidden.without_names)
    Writer(recipe, hidden, named).write_all()
    rows = {path: entry.rows for path, entry in named.entries.items()}
    facts = _with_changes(gather(release, recipe, people, rows), named)
    anonymous = Folder(root / "anonymous", progress)
    (root / "anonymous").mkdir(exist_ok=True)
    anonymous.link(named)
    _describe(facts, named, sources, anonymous=False)
    _describe(replace(facts, people=hidden), anonymous, sources, anonymous=True)
    release.summary = _summary(facts, named)
    return facts


def sources_of(release: Release) -> dict[str, dict[str, Any]]:
    """The fingerprints of all that a release is made of: tables, and the names that are taken out of texts."""
    people = pseudonyms(release.collection, release.pseudonym_key)
    return {**fingerprints(release.collection_id), "names of people": people.fingerprint(release.pseudonym_key)}


def _with_changes(facts: Facts, folder: Folder) -> Facts:
    """The facts with what changed since the release before, whose files are still there."""
    if not facts.earlier:
        return facts
    before = facts.earlier[0]
    if not has_files(before):
        unknown = f"What changed since {before.name} is not known: its files were not on the server."
        return replace(facts, changes=(unknown,))
    stored = StoredFiles(before)
    found, changed = differences(stored, folder), changed_files(stored.hashes, folder.hashes)
    return replace(facts, changes=tuple(sentences_of(found, changed, before.name)))


def _describe(facts: Facts, folder: Folder, sources: dict[str, Any], *, anonymous: bool) -> None:
    who = {"anonymous": anonymous}
    texts = {
        "README.md": (card(facts, **who), "The dataset card."),
        "DATASHEET.md": (datasheet(facts, **who), "The datasheet."),
        "REVIEWERS.md": (appendix(facts, **who), "The appendix for reviewers."),
        "LICENSE": (licence(facts), "The licence."),
        "CITATION.cff": (citation(facts, **who), "How to cite it."),
        "datacite.json": (datacite(facts, **who), "Metadata for a DOI."),
        "CHANGELOG.md": (changelog(facts), "What changed between releases."),
        EXTENSION: (extension(facts, **who), "A module by which ir_datasets reads the query sets."),
    }
    data = folder.listed()
    for path, (text, about) in texts.items():
        if not text:
            continue  # its format demands what nobody stated
        folder.write_text(path, facts.people.without_names(text) if anonymous else text, about)
    folder.write_text("croissant.json", croissant(facts, data, **who), "Croissant 1.1 with RAI and PROV.")
    folder.write_text(MANIFEST, _manifest(facts, folder, sources, anonymous=anonymous))


def _manifest(facts: Facts, folder: Folder, sources: dict[str, Any], *, anonymous: bool) -> str:
    release, text = facts.release, facts.people.without_names
    found = {
        "litmus_release": FORMAT,
        "id": release.public_id,
        "collection": None if anonymous else facts.recipe.collection.slug,
        "name": release.name,
        "version": release.version,
        "date": facts.date,
        "anonymous": anonymous,
        "code_version": settings.CODE_VERSION,
        "force_reason": text(release.force_reason) or None,
        "findings": [{**one, "text": text(one["text"])} for one in release.findings],
        "left_out": {path: text(reason) for path, reason in facts.recipe.left_out.items()},
        "notes": {path: [text(fact) for fact in noted] for path, noted in facts.recipe.notes.items()},
        "recipe": [
            {
                "path": path,
                "export": options.exporter.name,
                "options": {name: text(str(value)) for name, value in options.words.items()},
            }
            for path, options in facts.recipe.parts.items()
        ],
        "seeds": {facts.people.slugs[one.campaign.pk]: one.campaign.seed for one in facts.campaigns if one.judged_here},
        "question_runs": facts.people.cleaned(list(facts.question_runs)),
        "author_calls": facts.people.cleaned(list(facts.author_calls)),
        "runs": facts.people.cleaned(list(facts.runs)),
        "sources": sources,
        "files": [one.as_json() for one in folder.listed()],
    }
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def _summary(facts: Facts, folder: Folder) -> dict[str, Any]:
    entries = folder.listed()
    return {
        "files": len(entries),
        "bytes": sum(one.bytes for one in entries),
        "documents": facts.documents,
        "topics": facts.topics,
        "campaigns": [one.campaign.slug for one in facts.campaigns],
        "labels": sum(one.labels + one.machine_labels for one in facts.campaigns),
        "golds": [gold.name for gold in facts.recipe.judged_sets],
        "changes": list(facts.changes),
    }
