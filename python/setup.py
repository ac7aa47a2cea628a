# SPDX-License-Identifier: LGPL-3.0-or-later
"""
A package of pure Python, unless the library was put into it (build-wheel.sh) or its source lies beside it (build-sdist.sh), from which
it is then built: the wheel is of this platform, for any Python 3.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70
    from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
NAME = "libshufbound.so.0"
CARRIES = (HERE / "shufbound" / NAME).exists()
SOURCE = HERE / "library"
BUILDS = SOURCE.exists() and not CARRIES


class Binary(Distribution):
    def has_ext_modules(self):
        return CARRIES or BUILDS


class Wheel(bdist_wheel):
    def get_tag(self):
        return ("py3", "none", super().get_tag()[2] if CARRIES or BUILDS else "any")


class Build(build_py):
    def run(self):
        super().run()
        if BUILDS:
            with tempfile.TemporaryDirectory() as folder:
                self.build_library(Path(folder))

    def build_library(self, folder):
        # files of a distribution have no order of times: automake's own tools are not to be run for it; nettle is the program's
        steps = [["sh", str(SOURCE / "configure"), "--quiet", "--disable-dependency-tracking", "NETTLE_CFLAGS= ", "NETTLE_LIBS= "],
                 ["make", "-s", f"-j{os.cpu_count() or 1}", "libshufbound.la", "AUTOCONF=:", "AUTOMAKE=:", "ACLOCAL=:", "AUTOHEADER=:"]]
        for step in steps:
            if subprocess.run(step, cwd=folder, check=False).returncode != 0:
                sys.exit("shufbound: the library cannot be built. It needs a C compiler, make, pkg-config and the development files of GMP, MPFR, "
                         "FLINT (with Arb) and jansson; on Debian 12: apt-get install gcc make pkg-config libgmp-dev libmpfr-dev libflint-dev "
                         "libflint-arb-dev libjansson-dev")
        shutil.copy(folder / ".libs" / NAME, Path(self.build_lib) / "shufbound" / NAME)


setup(distclass=Binary, cmdclass={"bdist_wheel": Wheel, "build_py": Build})
