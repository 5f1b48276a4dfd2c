"""Experiments made from the example `top-k`, whose criteria count nothing that is timed: of two runs everything is the same."""

import os
import shutil

GOOD = 12

CRITERIA = """
[[criterion]]
name = "work"
weight = 1.0
from = "fuel"

[[criterion]]
name = "memory"
weight = 0.5
from = "peak-memory"

[[criterion]]
name = "size"
weight = 0.2
from = "component-size"
"""


def source_of(examples, name):
    """Returns the source of an approach of the example."""
    with open(f"{examples}/top-k/approaches/{name}.rs", encoding="utf-8") as file:
        return file.read()


def with_body(source, body):
    """Returns a source whose function does something else."""
    signature = next(line for line in source.splitlines() if line.startswith("pub fn top_k")).rstrip(" {")
    return f"{signature} {{ {body} }}\n"


def write_experiment(folder, examples, name, sizes, tables, sources):
    """Writes an experiment of these sources, with more tables of its file."""
    top_k = os.path.join(examples, "top-k")
    os.makedirs(f"{folder}/approaches", exist_ok=True)
    shutil.copytree(f"{top_k}/wit", f"{folder}/wit", dirs_exist_ok=True)
    shutil.copy(f"{top_k}/workload.rs", folder)
    parts = [
        f'name = "{name}"\nproblem = "Return the k largest values of a list."\n',
        '[interface]\nwit = "wit"\ncall = "top-k"\n',
        f'[workload]\nsource = "workload.rs"\nsizes = [{sizes}]\nseed = 3\n',
        tables,
        CRITERIA,
    ]
    for approach, source in sources.items():
        with open(f"{folder}/approaches/{approach}.rs", "w", encoding="utf-8") as file:
            file.write(source)
        parts.append(f'[[approach]]\nname = "{approach}"\nsource = "approaches/{approach}.rs"\n')
    with open(f"{folder}/bakeoff.toml", "w", encoding="utf-8") as file:
        file.write("\n".join(parts))


def write(folder, examples):
    """Writes an experiment whose checks take a while."""
    heap = source_of(examples, "heap")
    sources = {f"a{number}": heap.replace("with_capacity(k)", f"with_capacity(k + {number})") for number in range(GOOD)}
    sources["wrong"] = with_body(heap, "Vec::new()")
    sources["endless"] = with_body(heap, "loop { std::hint::black_box(()); }")
    sources["panics"] = with_body(heap, 'panic!("on purpose")')
    # What never ends takes about as long as a check.
    tables = '[limits]\nfuel = 2_000_000_000\n\n[measure]\nbudget = "12 s"\n'
    write_experiment(folder, examples, "kills", "1_000, 20_000, 60_000", tables, sources)
