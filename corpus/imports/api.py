"""Imports: files sent for a background job, records sent for an answer at once."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, cast

from django.core.files.base import ContentFile
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.forms import BooleanField, ChoiceField
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actions import cancel_job
from accounts.api import CSRF, check_names
from accounts.jobs import with_live_progress
from accounts.models import JobState
from accounts.parsers import MultiPartParser
from accounts.refusals import Refused
from accounts.schema import answers
from corpus.collections.api.base import InCollectionView
from corpus.collections.rules import MANAGE
from corpus.imports.forms import ImportForm, ListField, names_of, parameters_from, with_option_names
from corpus.imports.importing import import_at_once
from corpus.imports.registry import Importer, collection_importers, importers
from corpus.imports.requests import request_import, undo_import
from corpus.models import ImportRun, Role
from engines.formats.registry import AUTO, format_names

MOST_RECORDS = 10_000
COMMON = ("kind", "files", "format", "dry_run", CSRF)  # fields of every kind
PATIENCE = 5.0  # seconds that a request waits for another import of its collection to end


class ImportErrorSerializer(serializers.Serializer[Any]):
    file = serializers.CharField()
    line = serializers.IntegerField()
    reason = serializers.CharField()
    kept = serializers.BooleanField(required=False, help_text="the record was imported anyway")


class ImportSerializer(serializers.ModelSerializer[ImportRun]):
    errors = ImportErrorSerializer(source="first_errors", many=True)  # type: ignore[assignment] # fields are taken off the class
    remarks = serializers.ListField(child=serializers.CharField(), read_only=True)

    class Meta:
        model = ImportRun
        fields = (
            "id",
            "kind",
            "format",
            "dry_run",
            "state",
            "done",
            "total",
            "step",
            "reason",
            "created",
            "updated",
            "unchanged",
            "skipped",
            "errors",
            "error_count",
            "remarks",
            "requested_at",
            "finished_at",
            "undone_at",
        )

    def to_representation(self, instance: ImportRun) -> dict[str, Any]:
        """With options by their names."""
        found = super().to_representation(instance)
        found["reason"] = in_names(instance, found["reason"])
        found["remarks"] = [in_names(instance, remark) for remark in found["remarks"]]
        for error in found["errors"]:
            error["reason"] = in_names(instance, error["reason"])
        return found


def in_names(run: ImportRun, text: str) -> str:
    """A message of an import with options by the names that the API takes."""
    return with_option_names(run.importer.form, text) if run.importer else text


class FilesSerializer(serializers.Serializer[Any]):
    """What every import takes."""

    dry_run = serializers.BooleanField(default=False)
    files = serializers.ListField(child=serializers.FileField(), min_length=1, max_length=100)


class KindField(serializers.ChoiceField):
    """What the files hold; of records that belong to a campaign it says where they are sent."""

    def to_internal_value(self, data: Any) -> Any:
        other = importers().get(data) if isinstance(data, str) and data not in self.choices else None
        if other is not None:
            reason = f"The {other.label} belong to a campaign: send the files to imports/ below the campaign's address."
            raise serializers.ValidationError(reason)
        return super().to_internal_value(data)


class NewImportSerializer(FilesSerializer):
    """What is sent; each sort of records has its own options, those of its form."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        found = collection_importers()
        options = {name: field for each in found.values() for name, field in fields_of_options(each)}
        return {"kind": KindField([(name, each.label) for name, each in found.items()])} | {
            **super().get_fields(),
            "format": format_field(found.values()),
            **options,
        }


def format_field(found: Iterable[Importer]) -> serializers.CharField:
    """The format, which the reader finds out if it is not said."""
    names = "; ".join(f"of {each.label}: {', '.join(format_names(each.name))}" for each in found)
    return serializers.CharField(max_length=40, default=AUTO, help_text=f"One of these, {names}.")


def fields_of_options(importer: Importer) -> Iterator[tuple[str, serializers.Field[Any, Any, Any, Any]]]:
    """The options of an importer's form as the API takes them."""
    for name, field in importer.form.options().items():
        words = field.help_text or field.label
        more: dict[str, Any] = {
            "required": False,
            "help_text": str(field.help_text) if name in ImportForm.base_fields else f"Of {importer.label}: {words}",
        }
        if isinstance(field, BooleanField):
            yield name, serializers.BooleanField(**more)
        elif isinstance(field, ChoiceField):
            yield name, serializers.ChoiceField(names_of(field), allow_blank=True, **more)
        elif isinstance(field, ListField):
            yield name, serializers.ListField(child=serializers.CharField(max_length=255), **more)
        else:
            yield name, serializers.CharField(allow_blank=True, max_length=255, **more)


def _as_file(records: Iterable[Any]) -> "ContentFile[bytes]":
    """Records as an uploaded JSONL file."""
    lines = (json.dumps(record, ensure_ascii=True).encode() + b"\n" for record in records)
    return ContentFile(b"".join(lines), "request.jsonl")


def import_records(view: InCollectionView, kind: str, records: list[Any]) -> Response:
    """Read the records at once and answer with the import; 422 when nothing of them could be kept.

    409 with Retry-After while another import of the collection runs: a request does not wait for long.
    """
    run = request_import(
        by=view.person,
        at=timezone.now(),
        collection=view.collection,
        kind=kind,
        files=[_as_file(records)],
        format="jsonl",
        send=False,
    )
    import_at_once(run, patience=PATIENCE)
    run.refresh_from_db()
    if run.state != JobState.DONE:
        raise Refused(in_names(run, run.reason))
    return Response(ImportSerializer(run).data)


class ImportList(InCollectionView):
    """Imports of a collection."""

    serializer_class = ImportSerializer
    parser_classes = (MultiPartParser,)
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": MANAGE, "POST": MANAGE}

    def get_queryset(self) -> QuerySet[ImportRun]:
        return ImportRun.objects.filter(collection=self.collection)

    @extend_schema(operation_id="imports_list", responses=answers({200: ImportSerializer(many=True)}))
    def get(self, request: Request, slug: str) -> Response:
        """List imports."""
        return self.listed()

    @extend_schema(
        operation_id="imports_create",
        request={"multipart/form-data": NewImportSerializer},
        responses=answers({202: ImportSerializer}, 413, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Send files to be read by a background job; follow it at its own address."""
        values = self.body(NewImportSerializer)
        files = cast(list[UploadedFile], values.pop("files"))
        importer = importers()[values.pop("kind")]
        names = (name.partition("[")[0] for name in cast(Iterable[str], request.data))
        check_names(names, {*COMMON, *importer.form.options()}, "field")  # those of other kinds would do nothing
        common = {name: values.pop(name) for name in ("format", "dry_run")}
        run = request_import(
            by=self.person,
            at=timezone.now(),
            collection=self.collection,
            kind=importer.name,
            files=files,
            **common,
            **parameters_from(importer.form, importer.name, values),
        )
        return Response(ImportSerializer(run).data, status=202)


class ImportUndoing(InCollectionView):
    """Taking an import back."""

    serializer_class = ImportSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"POST": MANAGE}

    @extend_schema(operation_id="imports_undo", request=None, responses=answers({200: ImportSerializer}, 409, 422))
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Delete what the import created and put back what it changed. 422 with what depends on it."""
        run = get_object_or_404(ImportRun.objects.select_related("collection"), collection=self.collection, pk=pk)
        return Response(ImportSerializer(undo_import(by=self.person, at=timezone.now(), run=run)).data)


class ImportDetail(InCollectionView):
    """One import."""

    serializer_class = ImportSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": MANAGE, "DELETE": MANAGE}

    def run(self) -> ImportRun:
        return get_object_or_404(ImportRun, collection=self.collection, pk=self.kwargs["pk"])

    @extend_schema(operation_id="imports_read", responses=answers({200: ImportSerializer}))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """How far an import is, and what came of it."""
        return Response(ImportSerializer(with_live_progress(self.run())).data)

    @extend_schema(operation_id="imports_cancel", responses=answers({202: ImportSerializer}, 409))
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Ask an import to stop; nothing of it is kept."""
        run = self.run()
        cancel_job(by=self.person, at=timezone.now(), job=run)
        run.refresh_from_db()
        return Response(ImportSerializer(run).data, status=202)
