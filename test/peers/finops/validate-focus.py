"""Runs focus-validator 2.2.1 with the arguments given.

One line of it is syntax of Python 3.12; on an older Python that line is written anew, with the same meaning. It
opens its list of currencies by a path relative to where it is installed.
"""

import os
import pathlib
import sys
import sysconfig
import tempfile

packages = pathlib.Path(sysconfig.get_paths()["purelib"])
newer = """f"'{k.replace('\\"', '\\"\\"')}'" for k in ignore_keys"""
older = """"'" + k.replace('"', '""') + "'" for k in ignore_keys"""

if sys.version_info < (3, 12):
    path = packages / "focus_validator/config_objects/focus_to_duckdb_converter.py"
    source = path.read_text(encoding="utf-8")
    if newer in source:
        # Renamed into place: another run may read it now.
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, delete=False
        ) as mended:
            mended.write(source.replace(newer, older))
        os.replace(mended.name, path)

os.chdir(packages)
from focus_validator.main import main

main()
