from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation.actions.annotators import take_off_everywhere
        from annotation.queries.contexts import context_figures
        from annotation.runs.imports import load_judgments
        from annotation.runs.papers import load_papers
        from corpus.actions.people import register_farewell
        from corpus.models import ImportKind
        from corpus.queries import statistics
        from corpus.runs.imports import register

        register(ImportKind.JUDGMENTS, load_judgments)
        register(ImportKind.PAPERS, load_papers)
        register_farewell(take_off_everywhere)
        statistics.register("contexts", context_figures)
