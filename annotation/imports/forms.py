"""The form of imports of judgments."""

from django import forms

from corpus.imports.forms import ImportForm, match_field


class JudgmentImportForm(ImportForm):
    """Files of judgments; and whose labels they are where the files do not name annotators."""

    annotator = forms.CharField(
        required=False,
        max_length=150,
        help_text="Left empty: the names in the files. For qrels with 0 in column 2, give the name of their annotator.",
    )
    machine = forms.BooleanField(required=False, label="The labels were made by a machine")

    match = match_field()

    field_order = ("uploads", "format", "annotator", "machine", "match", "dry_run")
