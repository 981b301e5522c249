"""The importer of pool lists."""

from corpus.imports.forms import PoolImportForm
from corpus.imports.registry import Importer, at_once
from corpus.pools.pool_lists import load_pool_list

POOL = Importer(
    name="pool",
    label="pool list",
    unit="pooled documents",
    title="Import a pool list",
    about="Pairs to be judged: topic and docno in each line, or TREC qrels, whose values are not read. "
    "They are added to the pools.",
    reading=at_once(load_pool_list),
    form=PoolImportForm,
    target="pool_list",
    checks="text",
)
