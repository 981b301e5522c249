"""Forms that take in files."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from corpus.formats.registry import format_label, format_names, formats_for
from corpus.models import ImportKind


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """One or several files."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        one = super().clean
        if not isinstance(data, list | tuple):
            data = [data] if data else []
        return [one(file, initial) for file in data] or [one(None, initial)]


class ImportForm(forms.Form):
    """Which files, in which format; whether only to try."""

    uploads = FilesField(
        label="Files",
        allow_empty_file=True,  # refused with a better reason by the action
        help_text="Plain, compressed (gz, bz2, xz) or archives (zip, tar). You can choose several.",
    )
    format = forms.ChoiceField(initial="auto")
    dry_run = forms.BooleanField(
        required=False,
        initial=True,
        label="Try first: count and report, write nothing",
        help_text="The report offers to import the same files without sending them again.",
    )

    def __init__(self, *args: Any, kind: ImportKind, **options: Any) -> None:
        super().__init__(*args, **options)
        readable = format_names(kind)
        choices = forms.ChoiceField(
            choices=[(name, format_label(name)) for name in readable], initial=readable[0], required=False
        )
        if len(readable) == 1:
            choices.widget = forms.HiddenInput()
        self.fields["format"] = choices

        self.formats = formats_for(kind)

    def clean_format(self) -> str:
        return self.cleaned_data["format"] or str(self.fields["format"].initial)

    @property
    def parameters(self) -> dict[str, Any]:
        """Further arguments of `request_import`; only after the form was found valid."""
        return {}


class DocumentImportForm(ImportForm):
    exclude = forms.CharField(
        required=False,
        label="Leave out",
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text="Docnos that must not come in, one in each line.",
    )
    field_order = ["uploads", "format", "exclude", "dry_run"]

    @property
    def parameters(self) -> dict[str, Any]:
        return {"exclude": self.cleaned_data["exclude"].split()}


class RunImportForm(ImportForm):
    name = forms.CharField(
        required=False,
        max_length=100,
        label="Name of the run",
        help_text="For one file. Left empty, the run takes the tag in its file.",
    )
    field_order = ["uploads", "format", "name", "dry_run"]

    @property
    def parameters(self) -> dict[str, Any]:
        return {"name": self.cleaned_data["name"].strip()}


class PoolImportForm(ImportForm):
    method = forms.CharField(
        required=False,
        max_length=100,
        label="What to call the list",
        help_text="Kept with each document as where it came from, and hidden from annotators. Left empty: list.",
    )
    field_order = ["uploads", "format", "method", "dry_run"]

    @property
    def parameters(self) -> dict[str, Any]:
        return {"method": self.cleaned_data["method"].strip()}


class MentionImportForm(ImportForm):
    only_linked = forms.BooleanField(
        required=False,
        label="Leave out paragraphs that cite no document of the collection",
        help_text="Import the documents first. Without this, links can be looked up again later.",
    )
    field_order = ["uploads", "format", "only_linked", "dry_run"]

    @property
    def parameters(self) -> dict[str, Any]:
        return {"only_linked": self.cleaned_data["only_linked"]}


class PaperImportForm(ImportForm):
    sections = forms.CharField(
        required=False,
        max_length=500,
        label="Further sections",
        help_text=(
            "Paragraphs of introduction and related work that cite are proposed as contexts. Name other sections by"
            " words of their headings, separated by commas (such as: Background, Discussion), or write: all."
            " On the extraction screen a context can be made of any paragraph."
        ),
    )
    field_order = ["uploads", "format", "sections", "dry_run"]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["uploads"].help_text = (
            "PDF, GROBID TEI, S2ORC JSON Lines, ACM-CR XML, or archives of them. A table (TSV or CSV) with the columns"
            " doi and first_sentence_number says in which order papers come and how their sentence topics are numbered."
        )

    @property
    def parameters(self) -> dict[str, Any]:
        return {"sections": split_names(self.cleaned_data["sections"])}


def split_names(text: str) -> list[str]:
    """The names in a list separated by commas, each once."""
    return list(dict.fromkeys(name for part in text.split(",") if (name := " ".join(part.split()))))


FORMS: dict[ImportKind, type[ImportForm]] = {
    ImportKind.DOCUMENTS: DocumentImportForm,
    ImportKind.TOPICS: ImportForm,
    ImportKind.PAPERS: PaperImportForm,
    ImportKind.RUNS: RunImportForm,
    ImportKind.POOL: PoolImportForm,
    ImportKind.MENTIONS: MentionImportForm,
}
