"""One spelling of a URI serves the driver, the executors, the tables and the findings of a sweep in an object store."""

from pathlib import Path
from typing import Any

import msgspec

from engine import ENGINE_VERSION
from spark_jobs.dataset import inside, known_rows, shown, sweep_table
from spark_jobs.findings import asked, write_findings
from spark_jobs.publish import write_page, write_table
from spark_jobs.run import run_cells
from sweeps.cell import run_cell
from sweeps.grid import Spec
from sweeps.plan import make_plan
from tests.spark.object_store import serving
from tests.spark.test_run import BUILD, comparable


def test_a_sweep_in_an_object_store(session: Any, spec: Spec) -> None:
    cells = make_plan(spec, ENGINE_VERSION).cells
    with serving() as store:
        place = f"127.0.0.1:{store.server_port}"
        out = f"s3://key:secret@lab/sweeps?scheme=http&endpoint_override={place}"
        assert shown(out) == "s3://lab/sweeps"
        run_cells(session, cells, BUILD, inside(out, "cells"), lambda rows: None)
        known = known_rows(inside(out, "cells"), ENGINE_VERSION, BUILD)
        assert comparable(list(known.values())) == comparable([run_cell(cell, BUILD) for cell in cells])
        table = sweep_table(cells, known)
        write_table(spec, table, inside(out, "tiny.parquet"))
        write_page(spec, table, ENGINE_VERSION, inside(out, "tiny.json"))
        write_findings(session, inside(out, "tiny.parquet"), out, asked(), lambda line: None)
        assert len(msgspec.json.decode(store.objects["lab/sweeps/tiny.json"])["cells"]) == len(cells)
        assert msgspec.json.decode(store.objects["lab/sweeps/tiny.findings.json"])["best"]["rows"]
        unfinished = [name for name in store.objects if name.rpartition("/")[2].startswith("_")]
        assert unfinished == []


def test_a_name_below_a_path(tmp_path: Path) -> None:
    assert inside(f"{tmp_path}/", "cells") == f"{tmp_path}/cells"
    assert inside("odd?name", "cells") == "odd?name/cells"
    assert shown("s3://lab/sweeps") == "s3://lab/sweeps"
    assert shown("odd@name") == "odd@name"
