# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What MkDocs does not do with the pages of docs/ as they are: pages of the project
that lie elsewhere (extra.outside of mkdocs.yml) become part of the site, links
follow files to where they are on the site, and patterns in the navigation stand for
all that match. A link to a file that is not on the site leads to the source at
ONNXC_SOURCE_URL; without it only its text is left. One to a file that does not exist
is a warning, which ends a strict build.
"""

import fnmatch
import logging
import os
import pathlib
import posixpath
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOG = logging.getLogger("mkdocs.hooks.site")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
# Made by on_files: where pages of the tree are on the site, and back.
PLACES = {}
SOURCES = {}


def outside(config):
    for pattern, place in config.extra["outside"].items():
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            # The place of a pattern has the part of the name that the pattern leaves open.
            part = name.removeprefix(pattern.split("*")[0]).removesuffix(pattern.split("*")[-1])
            yield name, place.replace("*", part)


def title_of(name):
    heading = re.search(r"^# (.*)$", (ROOT / name).read_text(), re.MULTILINE)
    return heading[1].replace("`", "") if heading else name


def list_decisions():
    rows = [f"- [{title_of(path.relative_to(ROOT).as_posix())}]({path.name})"
            for path in sorted((ROOT / "docs" / "decisions").glob("*.md"))]
    return "# Decisions\n\nWhat was not obvious, and why it is as it is.\n\n" + "\n".join(rows) + "\n"


def on_config(config):
    PLACES.clear()
    SOURCES.clear()
    for path in (ROOT / "docs").rglob("*"):
        if path.is_file():
            PLACES[path.relative_to(ROOT).as_posix()] = path.relative_to(ROOT / "docs").as_posix()
    for name, place in outside(config):
        PLACES[name] = place
    PLACES["docs/decisions"] = "decisions/index.md"
    SOURCES.update({place: name for name, place in PLACES.items()})
    config.nav = expand(config.nav)
    return config


def expand(entries):
    """Patterns in the navigation, as the pages that they stand for."""
    result = []
    for entry in entries:
        title, value = next(iter(entry.items())) if isinstance(entry, dict) else (None, entry)
        if isinstance(value, list):
            value = expand(value)
        elif "*" in value:
            pages = [place for place in SOURCES if fnmatch.fnmatch(place, value) and place.endswith(".md")]
            # The page of the folder comes first.
            value = sorted(pages, key=lambda place: (not place.endswith("index.md"), place))
        result.append({title: value} if title else value)
    return result


def on_files(files, config):
    for name, place in outside(config):
        text = (ROOT / name).read_text()
        if name == "LICENSE":
            text = "# Licence\n\n```\n" + text + "```\n"
        files.append(File.generated(config, place, content=text))
    files.append(File.generated(config, "decisions/index.md", content=list_decisions()))
    return files


def follow(place, target):
    """Where a link of the page at `place` leads: a link on the site, a URL, "" for nothing that can be linked."""
    name, _, anchor = target.partition("#")
    anchor = "#" + anchor if anchor else ""
    source = SOURCES.get(place, "docs/" + place)
    found = posixpath.normpath(posixpath.join(posixpath.dirname(source), name))
    if not (ROOT / found).exists():
        LOG.warning("%s: '%s' leads nowhere", source, target)
        return ""
    for candidate in [found, found + "/README.md"]:
        if candidate in PLACES:
            return posixpath.relpath(PLACES[candidate], posixpath.dirname(place) or ".") + anchor
    url = os.environ.get("ONNXC_SOURCE_URL")
    return f"{url}/{found}{anchor}" if url else ""


def rewrite(line, place):
    def link(match):
        mark, text, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        path = target.partition("#")[0]
        target = follow(place, target)
        # Names of files are for readers of the tree; on the site pages have titles.
        page = posixpath.normpath(posixpath.join(posixpath.dirname(SOURCES.get(place, "docs/" + place)), path))
        if text == path and path.endswith(".md") and page in PLACES:
            text = title_of(page)
        return f"{mark}[{text}]({target})" if target else text
    return LINK.sub(link, line)


def on_page_markdown(markdown, page, config, files):
    place, lines, in_code = page.file.src_uri, [], False
    if place == "decisions/index.md":
        return markdown
    for line in markdown.splitlines():
        in_code ^= line.lstrip().startswith("```")
        lines.append(line if in_code or line.startswith("    ") else rewrite(line, place))
    return "\n".join(lines)
