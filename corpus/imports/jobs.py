"""The job that imports files."""

from django.urls import reverse

from accounts import jobs
from accounts.files.storage import files
from accounts.models import JobState
from accounts.queues import Queue
from corpus.collections.jobs import CollectionJob
from corpus.imports.importing import import_files
from corpus.loading.uploads import kept_folder, remove_uploads
from corpus.models import ImportRun


class ImportJob(CollectionJob[ImportRun]):
    """Reading files into a collection; uploads are removed once nothing needs them any longer."""

    model = ImportRun
    queue = Queue.HEAVY
    doing = "Importing"
    did = "Imported:"
    onward = "See the import"
    purpose = "The files are read and their records stored."
    in_bytes = True
    cancel_verb = "cancel_import"
    tab = "imports"
    is_for_managers = True

    def work(self, job: ImportRun, progress: jobs.Progress) -> None:
        import_files(job, progress)

    def clean_up(self, pk: int) -> None:
        run = ImportRun.objects.filter(pk=pk).first()
        if run is not None and run.is_final:
            files.remove_folder(kept_folder(run))
            if not run.dry_run:
                remove_uploads(run)

    def start(self, job: ImportRun) -> str:
        return str(job.importer.way_on(job).again) if job.importer else ""

    def words(self, job: ImportRun) -> str:
        if not job.dry_run:
            return super().words(job)
        return "Dry run finished:" if job.state == JobState.DONE else "Dry run of importing"

    def about(self, job: ImportRun) -> str:
        return "The files are read and their records counted. Nothing is stored." if job.dry_run else self.purpose

    def subject(self, job: ImportRun) -> str:
        return job.label

    def outcome(self, job: ImportRun) -> str:
        stored = f"{job.created:,} new, {job.updated:,} updated, {job.unchanged:,} unchanged, {job.skipped:,} skipped."
        return f"Nothing was stored. It would be: {stored}" if job.dry_run else f"{job.unit.capitalize()}: {stored}"

    def page(self, job: ImportRun) -> str:
        return reverse("import_detail", args=[job.collection.slug, job.pk])
