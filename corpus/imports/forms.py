"""Forms that take in files."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile

from accounts.refusals import Refused
from corpus.loading.topic_numbers import LABEL
from engines.formats.encodings import ENCODINGS
from engines.formats.reading import OPTIONS
from engines.formats.registry import AUTO, format_label, format_names, formats_for
from engines.formats.topic_numbers import WAYS


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

    folded: ClassVar[tuple[str, ...]] = ()  # fields that few need, in addition to the encoding
    of_files: ClassVar[tuple[str, ...]] = ("uploads", "format", "dry_run")  # which commands and the API take otherwise

    uploads = FilesField(
        label="Files",
        allow_empty_file=True,  # refused with a better reason by the action
        help_text="Plain, compressed (gz, bz2, xz) or archives (zip, tar). You can choose up to 100.",
    )
    format = forms.ChoiceField(initial="auto")
    encoding = forms.ChoiceField(
        required=False,
        choices=list(ENCODINGS.items()),
        help_text="Of text files. UTF-8, UTF-16 and Windows-1252 (Latin-1) are recognised; choose another one here.",
    )
    dry_run = forms.BooleanField(
        required=False,
        initial=True,
        label="Dry run: count and report, write nothing",
        help_text="You can then import the same files without uploading them again.",
    )

    def __init__(self, *args: Any, kind: str, **options: Any) -> None:
        super().__init__(*args, **options)
        readable = format_names(kind)
        choices = forms.ChoiceField(
            choices=[(name, format_label(name)) for name in readable], initial=readable[0], required=False
        )
        if len(readable) == 1:
            choices.widget = forms.HiddenInput()
        self.fields["format"] = choices

        self.formats = [(each, kind in each.writes, each.layouts[kind]) for each in formats_for(kind)]

    @property
    def shown(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in (*self.folded, "encoding")]

    @property
    def folded_away(self) -> list[forms.BoundField]:
        return [self[name] for name in (*self.folded, "encoding")]

    @property
    def opens(self) -> bool:
        """Whether a refusal is about what is folded away: one of its fields, or the encoding of a file."""
        return any(field.errors for field in self.folded_away) or "encoding" in str(self.errors)

    @property
    def of_reading(self) -> list[forms.BoundField]:
        """The fields that say how files are read, without the files."""
        return [field for field in self if field.name not in ("uploads", "dry_run")]

    def clean_format(self) -> str:
        return self.cleaned_data["format"] or str(self.fields["format"].initial)

    def offer(self, found: Mapping[str, list[str]]) -> None:
        """Let options be chosen from what a dry run found, by option."""
        for name, values in found.items():
            if values:
                choices = [("", "Detect from the file"), *((value, value) for value in values)]
                self.fields[name].widget = forms.Select(choices=choices)

    @classmethod
    def options(cls) -> dict[str, forms.Field]:
        """The fields that say how files are read; commands and the API take them as well."""
        return {name: field for name, field in cls.base_fields.items() if name not in cls.of_files}

    @property
    def parameters(self) -> dict[str, Any]:
        """Further arguments of `request_import`, an encoding if one was chosen; only after the form was found valid."""
        found = {name: self.cleaned_data[name] for name in self.options()}
        if found["encoding"] in ("", AUTO):
            del found["encoding"]
        return found


def parameters_from(form: type[ImportForm], kind: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Further arguments of `request_import`, from values of a command or the API. Errors: Refused."""
    filled = form(dict(values), kind=kind)
    for name in ImportForm.of_files:
        del filled.fields[name]
    if not filled.is_valid():
        raise Refused(" ".join(f"{name}: {' '.join(map(str, reasons))}" for name, reasons in filled.errors.items()))
    return filled.parameters


def with_option_names(form: type[ImportForm], text: str, write: Callable[[str], str] = str) -> str:
    """A message for commands and the API: options and their choices by names instead of the labels of the form."""
    for name, field in form.options().items():
        label = f"“{field.label}”" if field.label else ""
        if not label or label not in text:
            continue
        text = text.replace(label, write(name))
        for value, words in getattr(field, "choices", ()):
            text = text.replace(f"“{words}”", str(value))
    return text


def names_of(field: forms.ChoiceField) -> list[str]:
    """What can be chosen, but for nothing."""
    return [str(name) for name, _ in cast(list[tuple[str, str]], field.choices) if name]


class ListField(forms.CharField):
    """Several texts in one field, each once; commands and the API may give them as a list."""

    separator: str | None = None

    def to_python(self, value: Any) -> list[str]:  # type: ignore[override]
        if isinstance(value, list | tuple):
            return list(dict.fromkeys(map(str, value)))
        parts = (" ".join(part.split()) for part in (value or "").split(self.separator))
        return list(dict.fromkeys(filter(None, parts)))

    def prepare_value(self, value: Any) -> Any:
        """The texts as the field is written."""
        mark = f"{self.separator} " if self.separator else "\n"
        return mark.join(map(str, value)) if isinstance(value, list | tuple) else value

    def run_validators(self, value: Any) -> None:
        super().run_validators(", ".join(value))


class NamesField(ListField):
    """Names, separated by commas."""

    separator = ","


class DocnosField(ListField):
    """Docnos, separated by blanks or line ends. On the command line, a file of them."""

    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false"})


class DocumentImportForm(ImportForm):
    folded = ("columns", "entry_types", "exclude", "only", "year_from", "year_to", "venues")

    columns = forms.CharField(
        required=False,
        max_length=2_000,
        label=OPTIONS["columns"],
        help_text="Which column holds which field, if the names do not show it, for example: title = Titel;"
        " abstract = 3. Fields are docno, title, abstract, authors, year, venue, doi, url, keywords and full_text.",
    )

    entry_types = NamesField(
        required=False,
        label=OPTIONS["entry_types"],
        help_text="In addition to articles and conference papers, separated by commas: misc, incollection, techreport, "
        "book, phdthesis, online, or all.",
    )
    exclude = DocnosField(
        required=False,
        label="Leave out",
        help_text="Docnos to leave out, one in each line.",
    )
    only = DocnosField(
        required=False, label="Take only", help_text="Docnos, one in each line; only these documents are imported."
    )
    year_from = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=9999,
        label="From year",
        help_text="Documents without a year are skipped.",
    )
    year_to = forms.IntegerField(required=False, min_value=0, max_value=9999, label="To year")
    venues = NamesField(
        required=False,
        label="Venues",
        help_text="Parts of names of venues, separated by commas; documents of other venues are left out.",
    )
    field_order = [
        *("uploads", "format", "encoding", "columns", "entry_types", "exclude", "only", "year_from", "year_to"),
        *("venues", "dry_run"),
    ]

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        first, last = values.get("year_from"), values.get("year_to")
        if first is not None and last is not None and first > last:
            self.add_error("year_to", f"No year is from {first} to {last}.")
        return values

    @property
    def parameters(self) -> dict[str, Any]:
        """Without empty filters."""
        return {name: value for name, value in super().parameters.items() if value not in (None, [], "")}


def match_field() -> forms.ChoiceField:
    """How numbers of topics in the files are matched with those of the collection."""
    ways = [(name, way.label) for name, way in WAYS.items()]
    return forms.ChoiceField(
        choices=[("", "Match only equal numbers"), *ways],
        required=False,
        label=LABEL,
        help_text="Choose another way if topics are numbered otherwise in the files.",
    )


class RunImportForm(ImportForm):
    name = forms.CharField(
        required=False,
        max_length=100,
        label="Name of the run",
        help_text="For one file. Left empty: the tag in the file.",
    )
    match = match_field()
    field_order = ["uploads", "format", "name", "match", "dry_run"]


class PoolImportForm(ImportForm):
    method = forms.CharField(
        required=False,
        max_length=100,
        label="What to call the list",
        help_text="Stored with each document as its origin, and hidden from annotators. Left empty: list.",
    )
    match = match_field()
    field_order = ["uploads", "format", "method", "match", "dry_run"]


class TopicImportForm(ImportForm):
    text_from = forms.CharField(
        required=False,
        max_length=200,
        label=OPTIONS["text_from"],
        help_text="Name of the field that becomes the text of a topic, such as query, question, description or title;"
        " several with commas. Left empty: the first of text, question, description, query, topic and title. No field"
        " is lost: the report says what became of each.",
    )
    field_order = ["uploads", "format", "text_from", "dry_run"]


class MentionImportForm(ImportForm):
    only_linked = forms.BooleanField(
        required=False,
        label="Leave out paragraphs that cite no document of the collection",
        help_text="Import the documents first. Otherwise, links can be looked up again later.",
    )
    field_order = ["uploads", "format", "only_linked", "dry_run"]
