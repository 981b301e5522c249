"""The job that imports files."""

import shutil

from django.urls import reverse

from accounts import jobs
from corpus.collections.jobs import CollectionJob
from corpus.imports.importing import import_files
from corpus.loading.uploads import kept_directory, remove_uploads
from corpus.models import ImportRun


class ImportJob(CollectionJob[ImportRun]):
    """Reading files into a collection; uploads are removed once nothing needs them any longer."""

    model = ImportRun
    title = "Import"
    in_bytes = True
    cancel_verb = "cancel_import"
    tab = "imports"
    is_for_managers = True

    def work(self, job: ImportRun, progress: jobs.Progress) -> None:
        import_files(job, progress)

    def clean_up(self, pk: int) -> None:
        run = ImportRun.objects.filter(pk=pk).first()
        if run is not None and run.is_final:
            shutil.rmtree(kept_directory(run), ignore_errors=True)
            if not run.dry_run:
                remove_uploads(run)

    def start(self, job: ImportRun) -> str:
        return str(job.importer.way_on(job).again) if job.importer else ""

    def page(self, job: ImportRun) -> str:
        return reverse("import_detail", args=[job.collection.slug, job.pk])
