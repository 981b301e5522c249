from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation.runs.imports import load_judgments
        from annotation.runs.papers import load_papers
        from corpus.models import ImportKind
        from corpus.runs.imports import register

        register(ImportKind.JUDGMENTS, load_judgments)
        register(ImportKind.PAPERS, load_papers)
