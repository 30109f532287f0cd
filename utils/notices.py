#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whose code is in a build with LLVM's archives: licences and a bill of materials.

    utils/notices.py --build build/release -o FOLDER

Writes THIRD_PARTY.txt, the licences, and onnxc.spdx.json, which is SPDX 2.3. The
linker's lists of what it took from archives (<target>.members in the build, see
cmake/Portable.cmake) say what is in; Debian's packages, of which these files are,
say what it is. The same build makes the same files: the time is that of
SOURCE_DATE_EPOCH, or of the last commit.
"""
import argparse
import datetime
import glob
import hashlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What is in libonnxc besides what the linker takes: files that it carries, and the
# library whose sources are compiled, by the variable of the build that names them.
CARRIED = ["ONNXC_WASI_LIBC", "ONNXC_WASI_BUILTINS", "Protobuf_LIBRARY_RELEASE"]
# Packages of PyPI that files of the build are made of, and the target they are in.
FROM_PYPI = [("onnx", "libonnxc"), ("nanobind", "onnxc_python")]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def read_cache(build):
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as lines:
        return dict(re.findall(r"^([\w-]+):\w+=(.*)$", lines.read(), re.MULTILINE))


def linked_files(build, targets):
    """Archives and objects outside the build that the linker took code from."""
    files = set()
    for target in targets:
        with open(os.path.join(build, target + ".members"), encoding="utf-8") as lines:
            for line in list(lines)[1:]:
                for name in line.split("\t")[:2]:
                    file = re.sub(r"\([^()]*\)$", "", name)
                    path = os.path.realpath(os.path.join(build, file))
                    if os.path.isabs(file) and os.path.isfile(path) and not path.startswith(os.path.realpath(build) + os.sep):
                        files.add(path)
    return files


def packages_of(files):
    """{file: package}, in one question, as each takes dpkg a while."""
    done = subprocess.run(["dpkg-query", "-S"] + sorted(files), capture_output=True, text=True, check=False)
    found = {}
    for line in done.stdout.splitlines():
        packages, _, file = line.rpartition(": ")
        found[file] = packages.split(",")[0]
    for file in sorted(files):
        if file not in found:
            sys.exit(f"notices.py: {file}, which is linked, is of no Debian package: expected archives of packages")
    return found


def debian_components(files):
    """One for each source package: what it is, and the text of its licences."""
    by_source, packages = {}, packages_of(files)
    facts = {name: run("dpkg-query", "-W", "-f", "${source:Package}\t${source:Version}\t${Homepage}", name).split("\t")
             for name in sorted(set(packages.values()))}
    for file in sorted(files):
        name = packages[file]
        source, version, homepage = facts[name]
        entry = by_source.setdefault(source, {"name": source, "version": version, "homepage": homepage, "packages": set(), "files": []})
        entry["packages"].add(name.split(":")[0])
        entry["files"].append(os.path.basename(file))
    for entry in by_source.values():
        entry["packages"] = sorted(entry["packages"])
        with open(f"/usr/share/doc/{entry['packages'][0]}/copyright", encoding="utf-8") as text:
            entry["licence"] = text.read()
        entry["purl"] = f"pkg:deb/debian/{entry['name']}@{entry['version']}?arch=source"
        entry["supplier"] = "Organization: Debian"
    return [by_source[source] for source in sorted(by_source)]


def pypi_components(targets):
    for name, target in FROM_PYPI:
        if target not in targets:
            continue
        distribution = importlib.metadata.distribution(name)
        licences = [file for file in distribution.files or [] if re.search(r"\.dist-info/.*LICEN[CS]E", str(file))]
        if not licences:
            sys.exit(f"notices.py: the package {name} of PyPI has no text of its licence")
        homepage = distribution.metadata.get("Home-page") or distribution.metadata.get("Project-URL", "").rpartition(", ")[2]
        yield {"name": name, "version": distribution.version, "homepage": homepage, "packages": [name], "files": [],
               "licence": licences[0].read_text(), "purl": f"pkg:pypi/{name}@{distribution.version}", "supplier": "NOASSERTION"}


def write_text(path, components):
    with open(path, "w", encoding="utf-8") as out:
        out.write("onnxc is under the licence in the file LICENSE. It contains code of others:\n\n")
        for part in components:
            out.write(f"  {part['name']} {part['version']}  {part['homepage']}\n")
        for part in components:
            title = f"{part['name']} {part['version']}"
            out.write(f"\n{'=' * 80}\n{title}: {', '.join(part['files']) or 'parts of it'}\n{'=' * 80}\n\n{part['licence'].rstrip()}\n")


def describe(identifier, name, version, **more):
    package = {"SPDXID": identifier, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
               "copyrightText": "NOASSERTION", "licenseConcluded": "NOASSERTION"}
    package.update(more)
    return package


def write_spdx(path, version, created, components):
    product = describe("SPDXRef-onnxc", "onnxc", version, licenseDeclared="Apache-2.0 WITH LLVM-exception", supplier="NOASSERTION")
    packages, licences = [product], []
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-onnxc"}]
    for part in components:
        name = re.sub(r"[^A-Za-z0-9.-]", "-", part["name"])
        licences.append({"licenseId": "LicenseRef-" + name, "extractedText": part["licence"], "name": f"Licences of {part['name']}"})
        packages.append(describe(
            "SPDXRef-" + name, part["name"], part["version"], licenseDeclared="LicenseRef-" + name, supplier=part["supplier"],
            homepage=part["homepage"] or "NOASSERTION", comment="From " + ", ".join(part["packages"]),
            externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": part["purl"]}]))
        relations.append({"spdxElementId": "SPDXRef-onnxc", "relationshipType": "CONTAINS", "relatedSpdxElement": "SPDXRef-" + name})
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"onnxc-{version}",
        "creationInfo": {"created": created, "creators": ["Tool: onnxc-notices"]},
        "packages": packages, "relationships": relations, "hasExtractedLicensingInfos": licences}
    content = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
    document["documentNamespace"] = f"https://spdx.org/spdxdocs/onnxc-{version}-{content}"
    with open(path, "w", encoding="utf-8") as out:
        json.dump(document, out, indent=1, sort_keys=True)
        out.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("-o", dest="folder", required=True)
    arguments = parser.parse_args()
    targets = sorted(os.path.basename(file)[:-len(".members")] for file in glob.glob(os.path.join(arguments.build, "*.members")))
    if "libonnxc" not in targets:
        sys.exit(f"notices.py: {arguments.build} has no libonnxc.members: expected a build with LLVM's archives, as the preset release")
    cache = read_cache(arguments.build)
    files = linked_files(arguments.build, targets)
    files |= {os.path.realpath(cache[name]) for name in CARRIED if os.path.isfile(cache.get(name, ""))}
    components = debian_components(files) + list(pypi_components(targets))
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or run("git", "-C", ROOT, "log", "-1", "--format=%ct").strip()
    created = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    os.makedirs(arguments.folder, exist_ok=True)
    write_text(os.path.join(arguments.folder, "THIRD_PARTY.txt"), components)
    write_spdx(os.path.join(arguments.folder, "onnxc.spdx.json"), cache["CMAKE_PROJECT_VERSION"], created, components)
    return 0


if __name__ == "__main__":
    sys.exit(main())
