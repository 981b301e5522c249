from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation.actions.annotators import take_off_everywhere
        from annotation.queries.campaigns import open_campaigns_hinder
        from annotation.queries.contexts import citing_figures, context_figures
        from annotation.runs.imports import load_judgments
        from annotation.runs.papers import papers_read
        from corpus.actions.archiving import register_hindrance
        from corpus.actions.people import register_farewell
        from corpus.models import ImportKind
        from corpus.queries import statistics
        from corpus.runs.imports import register, register_reading

        register(ImportKind.JUDGMENTS, load_judgments)
        register_reading(ImportKind.PAPERS, papers_read)
        register_farewell(take_off_everywhere)
        register_hindrance(open_campaigns_hinder)
        statistics.register("contexts", context_figures)
        statistics.register("citing_paragraphs", citing_figures)
