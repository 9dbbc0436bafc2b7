"""The interface's languages: gettext catalogues, compiled from their .po files when loaded.

Every `*.po` in `assistant/locale/<language>/LC_MESSAGES/` belongs to the catalogue, so each part
of the product may keep its own file (`sueca.po` rules and records, `page.po` the page, …).
Messages are written in English in the code and marked with `N_` or looked up with `_`; a message
a catalogue lacks comes out in English. No gettext tools are needed: the .mo form is made here.
"""

import ast
import gettext
import io
import locale
import os
import struct
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

LANGUAGES = {"pt-PT": "pt_PT", "pt-BR": "pt_BR", "es": "es", "en": "en"}
"""Language tags and the folders of their catalogues."""

DEFAULT_LANGUAGE = "en"

_MO_MAGIC = 0x950412DE


def N_(message: str) -> str:  # the name gettext tools look for
    """Mark a message for translation where it is written, not where it is shown."""
    return message


def find_language(wanted: str | None) -> str | None:
    """The language nearest to a tag such as `pt_BR.UTF-8`, `es-MX` or an Accept-Language list.

    None where it names no language of ours.
    """
    for part in (wanted or "").split(","):
        tag = part.split(";")[0].split(".")[0].strip().replace("_", "-").lower()
        for language in LANGUAGES:
            if tag == language.lower():
                return language
        for language in LANGUAGES:
            if tag and tag.split("-")[0] == language.lower().split("-")[0]:
                return language
    return None


def pick_language(wanted: str | None) -> str:
    """`find_language`, or the default language where that finds none."""
    return find_language(wanted) or DEFAULT_LANGUAGE


def system_language() -> str:
    """The language the user's environment asks for."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            return pick_language(value.replace(":", ","))
    return pick_language(locale.getlocale()[0])


@cache
def translation(language: str) -> gettext.NullTranslations:
    """The catalogue of `language` (any tag; the nearest is taken)."""
    messages = catalogue(pick_language(language))
    return gettext.GNUTranslations(io.BytesIO(_compiled(messages)))


def translate(message: str, language: str) -> str:
    """`message` in `language`, in English where it was not translated."""
    return translation(language).gettext(message)


@cache
def catalogue(language: str) -> dict[str, str]:
    """All translated messages of a language, by their English text (the header under '')."""
    folder = files("assistant") / "locale" / LANGUAGES[language] / "LC_MESSAGES"
    messages = {"": "Content-Type: text/plain; charset=UTF-8\n"}
    if folder.is_dir():
        for entry in sorted(folder.iterdir(), key=lambda item: item.name):
            if entry.name.endswith(".po"):
                found = dict(parse_po(entry.read_text(encoding="utf-8")))
                found.pop("", None)
                messages.update(found)
    return messages


def parse_po(text: str) -> Iterator[tuple[str, str]]:
    """The (message, translation) pairs of a .po file; untranslated and fuzzy ones are left out.

    Plural forms and contexts are not used in this project and are not read.
    """
    for block in text.replace("\r\n", "\n").split("\n\n"):
        parts: dict[str, str] = {}
        keyword = ""
        fuzzy = False
        for line in block.splitlines():
            if line.startswith("#"):
                fuzzy = fuzzy or (line.startswith("#,") and "fuzzy" in line)
                continue
            if line.startswith(("msgid ", "msgstr ")):
                keyword, line = line.split(" ", 1)
            if keyword and line.startswith('"'):
                parts[keyword] = parts.get(keyword, "") + str(ast.literal_eval(line))
        if "msgid" in parts and parts.get("msgstr") and not fuzzy:
            yield parts["msgid"], parts["msgstr"]


def _compiled(messages: dict[str, str]) -> bytes:
    """The .mo form of a catalogue, as the gettext manual lays it out (no hash table)."""
    pairs = sorted((key.encode(), value.encode()) for key, value in messages.items())
    header = struct.calcsize("<7I")
    table = 8 * len(pairs)
    offset = header + 2 * table
    tables: tuple[list[bytes], list[bytes]] = ([], [])
    data = b""
    for which in (0, 1):
        for pair in pairs:
            text = pair[which]
            tables[which].append(struct.pack("<2I", len(text), offset + len(data)))
            data += text + b"\0"
    head = struct.pack("<7I", _MO_MAGIC, 0, len(pairs), header, header + table, 0, 0)
    return head + b"".join(tables[0]) + b"".join(tables[1]) + data
