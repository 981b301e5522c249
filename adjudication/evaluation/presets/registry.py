"""The report presets that there are."""

from accounts.refusals import Refused
from adjudication.evaluation.presets import acm_cr, doris_agreement, doris_mae, litsearch
from adjudication.evaluation.presets.preset import ASPECTS, PAPERS, QUESTIONS, Preset
from corpus.models import Aspect, Collection, Paper, Topic, TopicKind
from engines.plugins import Registry

PRESETS: Registry[Preset] = Registry(
    "litmus.evaluation_presets",
    Preset,  # type: ignore[type-abstract]  # the registry asks isinstance of it, and makes none
    litsearch.Table3(),
    litsearch.Table4(),
    litsearch.Table5(),
    litsearch.LitSearchTable6(),
    litsearch.LitSearchTable7(),
    litsearch.LitSearchTable8(),
    doris_agreement.DorisTable1(),
    doris_mae.DorisTable2(),
    doris_mae.DorisTable6(),
    doris_mae.DorisTable7(),
    doris_mae.DorisTable8(),
    acm_cr.AcmCrTable1(),
    acm_cr.AcmCrTable2(),
)


def fitting_presets(collection: Collection) -> list[Preset]:
    """The tables that can be made of what the collection holds."""
    held = {
        PAPERS: Paper.objects.filter(collection=collection).exists(),
        QUESTIONS: Topic.objects.filter(collection=collection, kind=TopicKind.QUESTION).exists(),
        ASPECTS: Aspect.objects.filter(topic__collection=collection).exists(),
    }
    return [preset for preset in PRESETS.values() if held.get(preset.needs)]


def find_preset(name: str) -> Preset:
    """The preset of that name. Errors: Refused, listing what there is."""
    if name not in PRESETS:
        raise Refused(f"Unknown preset “{name[:40]}”. There is {', '.join(PRESETS)}.")
    return PRESETS[name]
