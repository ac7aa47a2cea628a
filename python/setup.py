# SPDX-License-Identifier: LGPL-3.0-or-later
"""A package of pure Python, unless the library was put into it (build-wheel.sh): then its wheel is of this platform, for any Python 3."""
from pathlib import Path

from setuptools import Distribution, setup

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70
    from wheel.bdist_wheel import bdist_wheel

CARRIES = Path(__file__).with_name("shufbound").joinpath("libshufbound.so.0").exists()


class Binary(Distribution):
    def has_ext_modules(self):
        return CARRIES


class Wheel(bdist_wheel):
    def get_tag(self):
        return ("py3", "none", super().get_tag()[2] if CARRIES else "any")


setup(distclass=Binary, cmdclass={"bdist_wheel": Wheel})
