#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The bill of materials of a release, SPDX 2.3 in JSON, to standard output: sbom.py FOLDER VERSION COMMIT

Each file of the folder with its version, licence and SHA-256, and the libraries that it carries or was built with: what a wheel's file
CARRIED names, what the .buildinfo of the Debian packages names, and the sources that the page was made of.
"""
import datetime
import hashlib
import json
import os
import re
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "web"))
from assemble import LICENCES, sources  # noqa: E402

OURS = "LGPL-3.0-or-later"
# by Debian's source package; a library that is missing here ends the script
LIBRARIES = {name: licence.replace(" or ", " OR ") for name, (_, licence, _) in LICENCES.items()}
LIBRARIES |= {"gf2x": "GPL-2.0-or-later", "nettle": "LGPL-3.0-or-later OR GPL-2.0-or-later", "ntl": "LGPL-2.1-or-later"}


def libraries(path):
    """How the file stands to libraries, and their source packages and versions."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            text = "".join(wheel.read(name).decode() for name in wheel.namelist() if name.endswith("/CARRIED"))
        return "CONTAINS", re.findall(r"^  \S+ (\S+) \(source (\S+)\)", text, re.M)
    if "-page-" in path.name:
        return "CONTAINS", [(version, package) for package, version, _ in sources(ROOT / "web")]
    if path.suffix == ".deb" and not path.name.endswith("_all.deb"):
        text = "".join(found.read_text() for found in path.parent.glob("*.buildinfo"))
        built = re.findall(r"^ (?:lib)?(flint-arb|flint|gmp|jansson|mpfr|nettle)-dev \(= (\S+)\)", text, re.M)
        return "DEPENDS_ON", [(version, {"mpfr": "mpfr4"}.get(name, name)) for name, version in built]
    return "DEPENDS_ON", []


def whole(path, how, found):
    """The licence of the file as a whole; an image has all of a Debian system."""
    carried = {LIBRARIES[name] for _, name in found} if how == "CONTAINS" else set()
    return "NOASSERTION" if "-image-" in path.name else " AND ".join([OURS, *sorted(f"({x})" if " OR " in x else x for x in carried - {OURS})])


def package(name, version, licence, **more):
    return {"name": name, "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]", "-", f"{name}-{version}"), "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION", **more}


def main(folder, version, commit):
    packages, relations = {}, []
    vectors = json.loads((ROOT / "vectors" / "delta.json").read_text())["version"]
    for path in sorted(Path(folder).iterdir()):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        how, found = libraries(path)
        file = package(path.name, vectors if "vectors" in path.name else version, whole(path, how, found), packageFileName=path.name,
                       checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
        packages[file["SPDXID"]] = file
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", file["SPDXID"]))
        for number, name in sorted(set(found)):
            library = package(name, number, LIBRARIES[name])
            packages[library["SPDXID"]] = library
            relations.append((file["SPDXID"], how, library["SPDXID"]))
    date = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"shufbound-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/shufbound-{version}-{commit}",
        "creationInfo": {"created": date.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: shufbound-sbom.py"]},
        "packages": list(packages.values()),
        "relationships": [{"spdxElementId": a, "relationshipType": how, "relatedSpdxElement": b} for a, how, b in relations],
    }, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
