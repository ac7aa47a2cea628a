#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""An image of one layer in OCI's layout (https://github.com/opencontainers/image-spec).

    oci.py make FILES.tar FOLDER EPOCH ARCHITECTURE    describes the files
    oci.py check FOLDER FILES.tar                      follows every digest from index.json down; FILES.tar gets the layer's files

Nothing of this machine and no clock enters the image.
"""
import datetime
import gzip
import hashlib
import json
import shutil
import sys
from pathlib import Path

TYPE = "application/vnd.oci.image."


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return "sha256:" + digest.hexdigest()


def blob(folder, path, kind):
    """Moves the file to where its digest says, and returns its descriptor."""
    descriptor = {"mediaType": TYPE + kind, "digest": sha256(path), "size": path.stat().st_size}
    path.rename(folder / "blobs" / "sha256" / descriptor["digest"].removeprefix("sha256:"))
    return descriptor


def written(folder, value):
    path = folder / "new"
    path.write_text(json.dumps(value, sort_keys=True), encoding="ascii")
    return path


def make(files, folder, epoch, architecture):
    platform = {"architecture": architecture, "os": "linux"}
    (folder / "blobs" / "sha256").mkdir(parents=True)
    layer = folder / "layer"
    with open(files, "rb") as raw, open(layer, "wb") as packed, gzip.GzipFile("", "wb", 9, packed, 0) as stream:
        shutil.copyfileobj(raw, stream, 1 << 20)
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    config = blob(folder, written(folder, {
        **platform, "created": created, "config": {"Entrypoint": ["/usr/bin/shufbound"], "Cmd": ["--help"], "Env": ["LC_ALL=C.UTF-8",
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"], "WorkingDir": "/work"},
        "rootfs": {"type": "layers", "diff_ids": [sha256(files)]}, "history": [{"created": created, "created_by": "packaging/oci.sh"}],
    }), "config.v1+json")
    manifest = blob(folder, written(folder, {
        "schemaVersion": 2, "mediaType": TYPE + "manifest.v1+json", "config": config, "layers": [blob(folder, layer, "layer.v1.tar+gzip")],
    }), "manifest.v1+json")
    manifest |= {"platform": platform, "annotations": {"org.opencontainers.image.ref.name": "shufbound"}}
    written(folder, {"schemaVersion": 2, "mediaType": TYPE + "index.v1+json", "manifests": [manifest]}).rename(folder / "index.json")
    (folder / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}', encoding="ascii")


def follow(folder, descriptor, kind):
    path = folder / "blobs" / "sha256" / descriptor["digest"].removeprefix("sha256:")
    assert descriptor["mediaType"] == TYPE + kind, descriptor
    assert path.stat().st_size == descriptor["size"], f"{path} has another size"
    assert sha256(path) == descriptor["digest"], f"{path} is not what its name says"
    return path


def check(folder, files):
    assert json.loads((folder / "oci-layout").read_text())["imageLayoutVersion"] == "1.0.0"
    (listed,) = json.loads((folder / "index.json").read_text())["manifests"]
    manifest = json.loads(follow(folder, listed, "manifest.v1+json").read_text())
    config = json.loads(follow(folder, manifest["config"], "config.v1+json").read_text())
    (described,) = manifest["layers"]
    layer = follow(folder, described, "layer.v1.tar+gzip")
    assert len(list((folder / "blobs" / "sha256").iterdir())) == 3
    with gzip.open(layer) as packed, open(files, "wb") as raw:
        shutil.copyfileobj(packed, raw, 1 << 20)
    assert [sha256(files)] == config["rootfs"]["diff_ids"], "the layer unpacks to other files"
    print("the layout is whole:", listed["digest"])


def main():
    what, first, second, *others = sys.argv[1:]
    if what == "make":
        make(Path(first), Path(second), int(others[0]), others[1])
    else:
        check(Path(first), Path(second))


if __name__ == "__main__":
    main()
