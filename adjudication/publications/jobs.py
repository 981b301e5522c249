"""The job that publishes a release. Called again after a crash or a failure, it sends only what is not there yet."""

import html
import json
from hashlib import sha256
from typing import Any, ClassVar

from django.conf import settings
from django.urls import reverse

from accounts.job_kinds import Cancelled, Progress
from accounts.refusals import Refused
from accounts.sealing import unsealed
from adjudication.models import Publication
from adjudication.models.publications import Destination
from adjudication.releases.jobs.describing import LICENCES
from adjudication.releases.reads.archive import MANIFEST, archive_of, check_has_files, entries_of, text_of
from adjudication.releases.rules import check_can_open
from corpus.collections.jobs.collection_jobs import CollectionJob
from engines.endpoints.hub import Hub
from engines.endpoints.sending import SendingFailed, Service, Upload
from engines.endpoints.zenodo import Deposit, Zenodo

DESCRIBING = (MANIFEST, "README.md", "LICENSE", "croissant.json")  # also next to the archive of a deposit
CANCELLED = "Cancelled. What had been sent stays at the service; publish again to go on, or delete it there."


def base_url(destination: str) -> str:
    """The address of the service, as the operator set it."""
    return settings.HUGGINGFACE_URL if destination == Destination.HUGGINGFACE else settings.ZENODO_URL


def own_token(destination: str) -> str:
    """The token of the server's environment, "" for none."""
    return settings.HUGGINGFACE_TOKEN if destination == Destination.HUGGINGFACE else settings.ZENODO_TOKEN


class PublicationJob(CollectionJob[Publication]):
    """Sending a frozen release to a repository of data."""

    model = Publication
    title = "Publication"
    counted = "there"
    in_bytes = True
    cancel_verb = "cancel_publication"
    tab = "releases"
    is_for_managers = True
    related: ClassVar[tuple[str, ...]] = ("release__collection",)
    secrets = ("sealed_token",)

    def work(self, job: Publication, progress: Progress) -> None:
        check_has_files(job.release)
        if job.public:
            check_can_open(job.release)
        token = unsealed(job.sealed_token) or own_token(job.destination)
        if not token:
            raise Refused("The server no longer has a token for this. Publish again and type one.")
        service = Service(job.where, base_url(job.destination), token)
        publish = _to_hub if job.destination == Destination.HUGGINGFACE else _to_zenodo
        try:
            publish(job, service, UploadProgress(progress))
        except SendingFailed as failed:
            raise Refused(failed.reason) from None
        except Cancelled as cancelled:
            raise Cancelled(CANCELLED) from cancelled

    def page(self, job: Publication) -> str:
        return reverse("publication_create", args=[job.release.collection.slug, job.release.name])

    def links(self, job: Publication, member: Any) -> list[tuple[str, str]]:  # noqa: ARG002 - the base's
        return [(self.page(job), "Publications of this release")]


class UploadProgress:
    """Reports how many bytes the service has."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.done = 0
        self.total = 0

    def begin(self, uploads: list[Upload], missing: list[Upload]) -> None:
        """Say how much there is in all; what is there already counts as done."""
        self.total = sum(one.size for one in uploads)
        self.done = self.total - sum(one.size for one in missing)
        self.say("sending files")

    def __call__(self, count: int) -> None:
        self.done += count
        self.say("")

    def say(self, step: str) -> None:
        # The last byte is no end: commits and checksums follow, so cancelling is looked for at every step.
        self.progress.report(max(0, min(self.done, self.total)), self.total, step)


# --- the Hugging Face Hub ---------------------------------------------------------------------------------------------


def _to_hub(job: Publication, service: Service, upload_progress: UploadProgress) -> None:
    folder = job.release.variant(anonymous=job.anonymous)
    listed = sorted([MANIFEST, *(one["path"] for one in entries_of(job.release, anonymous=job.anonymous))])
    uploads = []
    for path in listed:
        upload_progress.progress.check()
        uploads.append(Upload.of_file(path, folder / path))
    check_unchanged(job, uploads)
    with Hub(service, upload_progress, upload_progress.progress.check) as hub:
        repository = job.repository if "/" in job.repository else f"{hub.owner()}/{job.repository}"
        is_public = hub.open_repository(repository, may_be_public=job.public)
        _store(job, remote=repository, address=f"{service.base_url}/datasets/{repository}")
        missing = hub.missing(repository, uploads)
        _store(job, files_sent=len(missing), files_there=len(uploads))
        upload_progress.begin(uploads, missing)
        hub.send(repository, missing, f"Release {job.release.name}")
        if hub.missing(repository, uploads):
            raise Refused(
                f"{service.name} does not show all files yet. Publish again: what is there is not sent again."
            )
        if job.public and not is_public:  # never half of it
            hub.make_public(repository)


# --- Zenodo -----------------------------------------------------------------------------------------------------------


def _to_zenodo(job: Publication, service: Service, upload_progress: UploadProgress) -> None:
    uploads = _deposit_files(job, upload_progress.progress)
    with Zenodo(service, upload_progress, upload_progress.progress.check) as zenodo:
        deposit = _deposit(job, zenodo)
        _store(job, remote=deposit.id, address=deposit.page, doi=deposit.doi)
        missing = zenodo.missing(deposit, uploads)
        if deposit.is_published and missing:
            raise Refused(
                f"Deposit {deposit.id} is published at {service.name} with other files and can no longer change. Make"
                " a new version there by hand."
            )
        _store(job, files_sent=len(missing), files_there=len(uploads))
        upload_progress.begin(uploads, missing)
        for upload in missing:
            zenodo.send(deposit, upload)
        if job.public and not deposit.is_published:
            deposit = zenodo.publish(deposit)
            _store(job, address=deposit.page, doi=deposit.doi)


def _deposit(job: Publication, zenodo: Zenodo) -> Deposit:
    """The deposit to fill: the one begun before, else a new draft."""
    variant = "anonymous" if job.anonymous else "named"
    mark = f"Litmus release {job.release.public_id}, {variant}"
    found = zenodo.find(job.remote, mark) if job.remote else None
    # One may have been made whose number never arrived here, also by an earlier publication.
    return found or zenodo.find("", mark) or zenodo.create(_metadata(job), mark)


def _deposit_files(job: Publication, progress: Progress) -> list[Upload]:
    """The archive of the variant, and what describes it."""
    folder = job.release.variant(anonymous=job.anonymous)
    described = [Upload.of_file(path, folder / path) for path in DESCRIBING]
    check_unchanged(job, described)
    stem = "anonymous" if job.anonymous else job.release.collection.slug
    digest, total = sha256(), 0
    for piece in archive_of(job.release, anonymous=job.anonymous):
        progress.report(total, step="packing the archive")
        digest.update(piece)
        total += len(piece)
    archive = Upload(
        f"{stem}-{job.release.name}.zip",
        total,
        digest.hexdigest(),
        lambda: archive_of(job.release, anonymous=job.anonymous),
    )
    return [*described, archive]


def _metadata(job: Publication) -> dict[str, Any]:
    """What Zenodo asks for, from the frozen datacite.json of the variant."""
    known = json.loads(text_of(job.release, "datacite.json", anonymous=job.anonymous))
    rights = known["rightsList"][0]["rights"]
    licence = LICENCES.get(rights.lower(), "").lower()
    # Without a licence Zenodo takes CC BY 4.0, which nobody stated: such files are shown on request only.
    access = (
        {"access_right": "open", "license": licence}
        if licence
        else {"access_right": "restricted", "access_conditions": f"Licence: {html.escape(rights)}"}
    )
    return {
        "upload_type": "dataset",
        "title": known["titles"][0]["title"],
        "creators": [{"name": each["name"]} for each in known["creators"]],
        "description": f"<p>{html.escape(known['descriptions'][0]['description'])}</p>",
        "publication_date": known["dates"][0]["date"],
        "version": job.release.name,
        "prereserve_doi": True,
        **access,
    }


# --- both -------------------------------------------------------------------------------------------------------------


def check_unchanged(job: Publication, uploads: list[Upload]) -> None:
    """Nothing leaves that is not what was frozen. Errors: Refused with the first file that differs."""
    frozen = {one["path"]: one["sha256"] for one in entries_of(job.release, anonymous=job.anonymous)}
    frozen[MANIFEST] = job.release.anonymous_sha256 if job.anonymous else job.release.manifest_sha256
    for one in uploads:
        if frozen.get(one.path) != one.sha256:
            raise Refused(
                f"{one.path} differs from what was frozen, so nothing was sent. Bring the files back from a backup."
            )


def _store(job: Publication, **found: Any) -> None:
    """Store at once what is known, so that an attempt after a crash goes on from there."""
    for name, value in found.items():
        setattr(job, name, value)
    job.save(update_fields=list(found))
