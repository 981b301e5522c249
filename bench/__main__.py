"""Run the benchmarks one after the other and write docs/performance.md (make bench).

python -m bench                 everything, about half an hour on two cores
python -m bench judging         some of judging, institution, keys, bringing, stock, transfers, agreement, pools,
                                shards, ranking, evaluation, releases
python -m bench --write-only    write the document again from the stored results
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[1]
DOCUMENT = CHECKOUT / "docs" / "performance.md"
RESULTS = CHECKOUT / "docs" / "performance"
INTRODUCTION = """# Performance

Measured by `make bench`, which writes this page. Speeds depend on the machine; what to compare are the ratios
against the named alternative in the same run, and the processor time of a judgment. The raw figures are in
`docs/performance/`.

Machine: {machine}. Measured {date}.
"""


def measure(name: str) -> dict[str, Any]:
    """Run one benchmark in a separate process and keep what it prints."""
    print(f"measuring {name} …", file=sys.stderr, flush=True)
    done = subprocess.run(
        [sys.executable, "-m", f"bench.{name}"], cwd=CHECKOUT, stdout=subprocess.PIPE, check=True, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    found["measured_at"] = datetime.now(UTC).strftime("%Y-%m-%d")
    found["load_average"] = round(os.getloadavg()[1], 1)  # of the last five minutes: others may have used the machine
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    return found


def table(head: list[str], rows: list[list[object]]) -> str:
    lines: list[list[Any]] = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def judging(found: dict[str, Any]) -> str:
    targets = found["targets"]
    next_item = max(run["next_item_bytes_most"] for run in found["runs"])
    named = [("", run) for run in found["runs"]] + [(", nothing prepared", run) for run in found.get("unprepared", [])]
    rows: list[list[object]] = [
        [
            f"{run['items']:,} items, {run['strategy']}{how}",
            round(run["judgments_per_second"]),
            run["p50_ms"],
            run["p95_ms"],
            run["cpu_ms"],
            run["queries"],
        ]
        for how, run in named
    ]
    rows.append(
        [
            "*target*",
            f"≥ {targets['judgments_per_second']}",
            "",
            f"≤ {targets['p95_ms']}",
            f"≤ {targets['cpu_ms']}",
            f"≤ {targets['queries']}",
        ]
    )
    head = ["campaign", "judgments/s", "p50 ms", "p95 ms", "CPU ms, web and PostgreSQL", "queries"]
    return f"""## A judgment

Eight annotators in a closed loop over HTTP, load generator on the same cores; each request saves a judgment and brings
the next item. For comparison, on such a machine with 10,000 items doccano took 42 labels a second at 45 ms of CPU each
and Label Studio 13 at 137 ms. “Nothing prepared” is without prepared statements, as behind a PgBouncer in transaction
mode (`LITMUS_TRANSACTION_POOLER=1`). Queries are those of one request, its BEGIN and COMMIT among them.

{table(head, rows)}

First load of the labelling page: {found["first_load_bytes"]:,} bytes over the wire (target
≤ {targets["first_load_bytes"]:,}; doccano 743 kB, Label Studio 2.2 MB). The next item: at most {next_item:,} bytes
(target ≤ {targets["next_item_bytes"]:,}).
"""


def institution(found: dict[str, Any]) -> str:
    rows: list[list[object]] = []
    for run in found["runs"]:
        for name, words in (
            ("single", "one web server"),
            ("session", "PgBouncer, session"),
            ("transaction", "PgBouncer, transaction"),
        ):
            one = run[name]
            figures = [round(one["judgments_per_second"]), round(one["p95_ms"]), one["cpu_ms"]]
            rows.append([f"{run['strategy']}, {words}", *figures, one.get("ratio", ""), one.get("cpu_ratio", "")])
    head = [
        "servers",
        "judgments/s",
        "p95 ms",
        "CPU ms of all servers",
        "rate to one web server's",
        "CPU time of one web server's to it",
    ]
    return f"""## In an institution

{found["annotators"]} annotators in a closed loop on {found["web_servers"]} web servers with a worker behind PgBouncer,
all separate processes, by turns with eight annotators on one web server. Target: {found["least_ratio"]} of its rate.
Transaction mode is that of PgBouncer before 1.21, without prepared statements. Measured on {found["measured_at"]}; the
load average was {found["load_before"]} at its start. More processes get more of a machine that other work shares:
compare the processor times then.

{table(head, rows)}
"""


def keys(found: dict[str, Any]) -> str:
    rows: list[list[object]] = [
        [each["task"], each["keys"], f"≤ {each['most_keys']}", each.get("requests", ""), _at_most(each)]
        for each in found["tasks"]
    ]
    return f"""## Keys and requests

A scripted expert in a browser presses the keys and sends the requests that are counted here; the tests that script
them hold the targets (`bench/keys.py` names them). Requests are all to the application, pictures of pages among them,
without files of the program. Edits of a paper are sent together, every two minutes or after 25 of them: an expert who
takes 20 minutes sends at most ten requests more. Before, each edit was a request, and so was each of some 55 looks at
how a sentence reads without names.

{table(["what", "keys", "target", "requests", "target"], rows)}
"""


def _at_most(task: dict[str, Any]) -> str:
    return f"≤ {task['most_requests']}" if "most_requests" in task else ""


def bringing(found: dict[str, Any]) -> str:
    rows: list[list[object]] = [
        [f"{found['rows']:,} {name}", step["seconds"], step["cpu_seconds"], step["peak_megabytes"]]
        for name, step in found["steps"].items()
    ]
    copied: list[list[object]] = [[name, seconds] for name, seconds in found["documents_by_copy"].items()]
    searchable = "Measured when an import still entered its documents into the search itself (see ADR 35)."
    if "searchable" in found:
        searchable = (
            f"All documents are searchable {found['searchable']['seconds']} s of work later, which a worker does while"
            "\nthe other steps go on: lists, pools and campaigns do not need it, and the page of documents says how far"
            "\nit is."
        )
    return f"""## From nothing to the first judgment

Documents with abstracts of 150 words, as many topics, a pool of one document each, and its items in an open queue:
{found["seconds"]} s with the four starts of Python (doccano, which keeps no search index, took 25 s on such a machine).
{searchable}

{table(["what", "seconds", "CPU s without PostgreSQL", "MB"], rows)}

What a document pays for in PostgreSQL: the same documents copied into tables that have a little more of ours each, in
the same run. The import, which also reads, compares with what is stored and counts, takes
{found["ratio_documents"]} times the second line; the vector and its index are what the worker pays for.

{table(["table", "seconds"], copied)}
"""


def stock(found: dict[str, Any]) -> str:
    servers = found["on"]
    rows: list[list[object]] = [
        [f"{found['labels' if name in ('labels', 'votes') else 'rows']:,} {name}, s"]
        + [each["seconds"][name] for each in servers.values()]
        for name in servers["embedded"]["seconds"]
    ]
    for place, run in enumerate(servers["embedded"]["judging"]):
        judged = [each["judging"][place]["cpu_ms"] for each in servers.values()]
        rows.append([f"a judgment, {run['strategy']}, ms of processor", *judged])
    heads = {"embedded": "embedded", "stock": f"stock {found['server']}", "untuned": "stock, without what Litmus sets"}
    return f"""## On a PostgreSQL that nobody has tuned

The road to the first judgment, {found["labels"]:,} labels and their votes, and judging (1,000 items), on the embedded
PostgreSQL and on one with the settings that `initdb` writes. Litmus sets `jit`, `work_mem` and `random_page_cost` on
its own connections (see [operations](operations.md#your-own-postgresql)); the last column takes that back.
Measured on {found["measured_at"]} with a load average of {found["load_average"]}.

{table(["what", *(heads[name] for name in servers)], rows)}
"""


def transfers(found: dict[str, Any]) -> str:
    names = {
        "import_documents": "documents in, JSONL",
        "import_judgments": "judgments in, CSV",
        "export_judgments": "judgments out, CSV",
        "export_qrels": "qrels by annotator out",
    }
    rows: list[list[object]] = [
        [f"{found['rows']:,} {label}", found[name]["seconds"], found[name]["peak_megabytes"]]
        for name, label in names.items()
    ]
    text = f"""## In and out

Each line is the command a person would type, start of Python included; memory is the peak of that process.

{table(["what", "seconds", "MB"], rows)}
"""
    if "bibtex" in found:
        ours, theirs = found["bibtex"]["litmus_import"], found["bibtex"]["pybtex_parse_only"]
        rows = [
            ["Litmus: read, store, index for search", ours["seconds"], ours["peak_megabytes"]],
            ["pybtex: parse only", theirs["seconds"], theirs["peak_megabytes"]],
        ]
        text += f"""
ACM-CR's collection, 113,512 BibTeX entries in 172 MB (`collection.tar.xz`), in the same run; ratio
{found["bibtex"]["ratio"]}:

{table(["what", "seconds", "MB"], rows)}
"""
    return text


def agreement(found: dict[str, Any]) -> str:
    targets = found["targets"].items()
    rows: list[list[object]] = [
        [
            name.replace("_", " "),
            each["measured"],
            ("≥ " if name.startswith("ratio") else "≤ ") + str(each["target"]),
            "yes" if each["met"] else "**no**",
        ]
        for name, each in targets
    ]
    opponents: list[list[object]] = [
        [f"{int(n):,} items", round(each["ratio_sklearn"]), round(each["ratio_scipy"])]
        for n, each in found.get("opponents", {}).items()
    ]
    text = f"""## Agreement with intervals

Five annotators, {found["resamples"]:,} resamples. Times are wall seconds unless they say otherwise; ratios compare the
processor time of the three figures of DORIS-MAE's Table 1 with their tests.

{table(["what", "measured", "target", "met"], rows)}
"""
    if opponents:
        text += f"""
Times as long as Litmus (extrapolated from a few resamples of theirs, measured in the same run):

{table(["", "loop over scikit-learn", "scipy.stats.bootstrap"], opponents)}
"""
    return text


def pools(found: dict[str, Any]) -> str:
    if "absent" in found:
        return f"## Candidate pools\n\nNot measured: {found['absent']} is absent.\n"
    targets = found["targets"]
    peak = max(found["index_and_pools"]["peak_megabytes"], found["pools"]["peak_megabytes"])
    rows: list[list[object]] = [
        ["index built", found["index_seconds"], targets["index_seconds"]],
        [f"pools of {found['queries']} queries, index there", found["pools"]["seconds"], ""],
        ["*for 50 queries*", "", targets["pools_seconds_50_queries"]],
        ["peak memory, MB", peak, targets["peak_megabytes"]],
    ]
    return f"""## Candidate pools

{found["documents"]:,} documents made of ACM-CR's abstracts, {found["queries"]} queries of DORIS-MAE with all their
aspects, DORIS-MAE's recipe without vectors (its authors name about 90 minutes for 50 queries). Wall seconds, start of
Python included; the index takes {found["index_megabytes"]:,} MB on the disk.

{table(["what", "measured", "target, at most"], rows)}
"""


def shards(found: dict[str, Any]) -> str:
    figures = ("workers", "seconds_built", "ratio_built", "seconds_searched", "ratio_searched")
    rows: list[list[object]] = [[each[figure] for figure in figures] for each in found["workers"]]
    head = ["workers", "index and run, s", "one worker's to it", "run alone, s", "one worker's to it"]
    return f"""## An index in shards

{found["documents"]:,} documents in {found["shards"]} shards, {found["queries"]:,} queries, the best {found["depth"]}
documents each, by BM25. Workers are processes with separate data folders that share PostgreSQL behind PgBouncer, Valkey
and a bucket (moto's server, a process on the same cores). Index and run file have the same SHA-256 with any number of
workers; that is the test. The machine has {found["cores"]} cores: more workers than cores say nothing about time.
Measured on {found["measured_at"]} with a load average of {found["load_average"]}. Where other work
shares the machine, more processes get more of it, which flatters more workers. Below 1, sharing
costs more time than it saves at this size; larger ones were not measured.

{table(head, rows)}
"""


def ranking(found: dict[str, Any]) -> str:
    if "absent" in found:
        return f"## Ranking by BM25\n\nNot measured: {found['absent']} is absent.\n"
    systems = [(name, found[name]) for name in ("litmus", "bm25s", "rank_bm25") if "absent" not in found[name]]
    figures = ("build_seconds", "build_cpu_seconds", "search_seconds", "search_cpu_seconds", "peak_megabytes")
    rows: list[list[object]] = [[name, *(each[figure] for figure in figures)] for name, each in systems]
    targets, ours = found["targets"], found["litmus"]
    return f"""## Ranking by BM25

{found["documents"]:,} documents made of ACM-CR's abstracts, {found["queries"]:,} queries of 200 words, 1,000 documents
each, every system in a separate process, given the same terms; Litmus uses one core. Building includes cutting texts
into terms. Litmus takes {ours["build_seconds"] + ours["search_seconds"]:.1f} s in all; targets: {targets["seconds"]} s
on two cores, {targets["peak_megabytes"]:,} MB. Rankings equal score by score: to bm25s's {found["equal_to_bm25s"]:.0%},
by the formula of rank_bm25 to its own {found["equal_to_rank_bm25"]:.0%}. rank_bm25's search is estimated from a few
queries. Measured on {found["measured_at"]} with a load average of {found["load_average"]}.

{table(["system", "build, s", "of the processor", "search, s", "of the processor", "peak MB"], rows)}
"""


def evaluation(found: dict[str, Any]) -> str:
    size = f"{found['runs']} runs, {found['topics']:,} topics, depth {found['depth']:,}, {found['measures']} measures"
    return (
        f"## Evaluation of runs\n\n{size}: matching, scores, intervals (10,000 resamples) and {found['comparisons']:,} "
        f"comparisons (t-test and randomisation test) take {found['seconds']} s, {found['cpu_seconds']} s of processor "
        f"time, and {found['peak_mb']:,} MB. Target: 60 s and 2 GB. Scores alone take {found['scoring_cpu_seconds']} s "
        f"of processor time; looping ir-measures over the runs takes {found['ir_measures_cpu_seconds']} s for the same "
        f"measures ({found['ratio_of_scoring']} times as long), without intervals and tests. Measured on "
        f"{found['measured_at']} with a load average of {found['load_average']}.{found.get('note', '')}\n"
    )


def releases(found: dict[str, Any]) -> str:
    documents, topics, judgments = (round(found["size"] * each) for each in found["full"])
    rows: list[list[object]] = [
        ["seconds", found["seconds"], found["targets"]["seconds"]],
        ["processor s of Litmus", found["cpu_seconds"], ""],
        ["processor s of PostgreSQL", found["postgres_cpu_seconds"], ""],
        ["peak memory, MB", found["peak_megabytes"], found["targets"]["peak_megabytes"]],
    ]
    return f"""## A release

{documents:,} documents of 150 words, {topics:,} topics, {judgments:,} judgments by two people a pair with their
verdicts, pools of two runs: {found["files"]} files, {found["bytes"]:,} bytes, and as many links for the anonymous
variant. {found.get("conditions", "")}

{table(["what", "measured", "target"], rows)}
"""


SECTIONS = {
    "judging": judging,
    "institution": institution,
    "keys": keys,
    "bringing": bringing,
    "stock": stock,
    "transfers": transfers,
    "agreement": agreement,
    "pools": pools,
    "shards": shards,
    "ranking": ranking,
    "evaluation": evaluation,
    "releases": releases,
}


def write_document() -> None:
    """The page, from whatever results are kept."""
    kept = {name: RESULTS / f"{name}.json" for name in SECTIONS}
    results = {name: json.loads(path.read_text()) for name, path in kept.items() if path.exists()}
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    days = sorted({found["measured_at"] for found in results.values()})
    dates = " to ".join(dict.fromkeys((days[0], days[-1])))
    once = [path.read_text() for path in sorted(RESULTS.glob("*.md"))]  # what was measured by hand
    parts = [INTRODUCTION.format(machine=machine, date=dates)] + [
        SECTIONS[name](found) for name, found in results.items()
    ]
    DOCUMENT.write_text("\n".join(parts + once))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*SECTIONS, []], help="which (default: all)")
    parser.add_argument("--write-only", action="store_true", help="write the page from the kept results")
    options = parser.parse_args()
    if not options.write_only:
        for name in options.names or SECTIONS:
            measure(name)
    write_document()
    print(f"wrote {DOCUMENT.relative_to(CHECKOUT)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
