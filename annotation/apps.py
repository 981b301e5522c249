from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation.runs.imports import load_judgments
        from corpus.models import ImportKind
        from corpus.runs.imports import register

        register(ImportKind.JUDGMENTS, load_judgments)
