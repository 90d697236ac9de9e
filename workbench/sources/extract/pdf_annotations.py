"""What is filled in and noted on pages of a PDF: values of form fields, notes and typed text; scripts do not run."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from workbench.sources.extract.prose import one_line, spaced
from workbench.sources.extract.refusal import clean, counted

_MOST_ANNOTATIONS = 2_000
_LONGEST_VALUE = 100_000
_MARKED = {
    pdfium.FPDF_ANNOT_TEXT: "Note",
    pdfium.FPDF_ANNOT_FREETEXT: "Typed text",
    pdfium.FPDF_ANNOT_HIGHLIGHT: "Highlighted",
    pdfium.FPDF_ANNOT_UNDERLINE: "Underlined",
    pdfium.FPDF_ANNOT_SQUIGGLY: "Underlined",
    pdfium.FPDF_ANNOT_STRIKEOUT: "Struck out",
    pdfium.FPDF_ANNOT_CARET: "To insert",
    pdfium.FPDF_ANNOT_STAMP: "Stamp",
}
_DRAWN = frozenset(
    {
        pdfium.FPDF_ANNOT_LINE,
        pdfium.FPDF_ANNOT_SQUARE,
        pdfium.FPDF_ANNOT_CIRCLE,
        pdfium.FPDF_ANNOT_POLYGON,
        pdfium.FPDF_ANNOT_POLYLINE,
        pdfium.FPDF_ANNOT_INK,
    }
)
_TICKED = frozenset({pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON})
_LISTED = frozenset({pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX})
_WORDLESS = frozenset({pdfium.FPDF_FORMFIELD_PUSHBUTTON, pdfium.FPDF_FORMFIELD_SIGNATURE})


class Annotations:
    """Annotations of one PDF; made before its pages are loaded, or no form is found."""

    def __init__(self, pdf: Any) -> None:
        self._form = _form(pdf)
        self._left_out: Counter[str] = Counter()
        self._left_out["attached file"] = max(0, pdfium.FPDFDoc_GetAttachmentCount(pdf))
        self._over = 0
        self._seen: set[tuple[str, str]] = set()

    def of(self, page: Any) -> list[str]:
        """Lines of a page: what was filled in, then what was noted."""
        number = max(0, pdfium.FPDFPage_GetAnnotCount(page))
        self._over += max(0, number - _MOST_ANNOTATIONS)
        self._seen.clear()
        lines: list[str] = []
        for index in range(min(number, _MOST_ANNOTATIONS)):
            annotation = pdfium.FPDFPage_GetAnnot(page, index)
            if annotation:
                lines += self._lines(annotation)
                pdfium.FPDFPage_CloseAnnot(annotation)
        return lines

    def notes(self) -> Iterator[str]:
        """What is not in the text, by kind and count."""
        for kind, number in self._left_out.items():
            if number:
                yield f"{counted(number, kind)} left out"
        if self._over:
            yield f"{counted(self._over, 'annotation')} over the limit left out"

    def _lines(self, annotation: Any) -> Iterator[str]:
        subtype = pdfium.FPDFAnnot_GetSubtype(annotation)
        if subtype == pdfium.FPDF_ANNOT_WIDGET:
            yield from self._field(annotation)
            return
        said = spaced(clean(_string(annotation, b"Contents")))
        if said and subtype in (*_MARKED, *_DRAWN):
            yield f"{_MARKED.get(subtype, 'Note')}: {said}"
        elif subtype in _DRAWN or subtype == pdfium.FPDF_ANNOT_STAMP:
            self._left_out["drawn mark"] += 1
        elif subtype == pdfium.FPDF_ANNOT_FILEATTACHMENT:
            self._left_out["attached file"] += 1

    def _field(self, annotation: Any) -> Iterator[str]:
        if self._form is None:
            return
        kind = pdfium.FPDFAnnot_GetFormFieldType(self._form, annotation)
        name = one_line(
            clean(
                self._told(pdfium.FPDFAnnot_GetFormFieldAlternateName, annotation)
                or self._told(pdfium.FPDFAnnot_GetFormFieldName, annotation)
            )
        )
        value = self._value(kind, annotation)
        if kind in _WORDLESS:
            self._left_out["signature field"] += kind == pdfium.FPDF_FORMFIELD_SIGNATURE
        elif not value:
            self._left_out["empty form field"] += kind not in _TICKED
        elif (name, value) not in self._seen:
            self._seen.add((name, value))
            yield f"{name or 'Field'}: {value}"

    def _value(self, kind: int, annotation: Any) -> str:
        if kind in _TICKED:
            if not pdfium.FPDFAnnot_IsChecked(self._form, annotation):
                return ""
            value = self._told(pdfium.FPDFAnnot_GetFormFieldExportValue, annotation)
            return one_line(clean(value)) or "ticked"
        chosen = ", ".join(self._chosen(annotation)) if kind in _LISTED else ""
        return spaced(clean(chosen or self._told(pdfium.FPDFAnnot_GetFormFieldValue, annotation)))

    def _chosen(self, annotation: Any) -> Iterator[str]:
        """The options of a list that are chosen, as they are shown and not as they are kept."""
        number = pdfium.FPDFAnnot_GetOptionCount(self._form, annotation)
        for index in range(min(max(0, number), _MOST_ANNOTATIONS)):
            if pdfium.FPDFAnnot_IsOptionSelected(self._form, annotation, index):
                yield _wide(
                    lambda buffer, size, index=index: pdfium.FPDFAnnot_GetOptionLabel(
                        self._form, annotation, index, buffer, size
                    )
                )

    def _told(self, ask: Callable[..., int], annotation: Any) -> str:
        return _wide(lambda buffer, size: ask(self._form, annotation, buffer, size))


def _form(pdf: Any) -> Any | None:
    try:
        pdf.init_forms()
    except pypdfium2.PdfiumError:
        return None
    return pdf.formenv


def _string(annotation: Any, key: bytes) -> str:
    return _wide(lambda buffer, size: pdfium.FPDFAnnot_GetStringValue(annotation, key, buffer, size))


def _wide(ask: Callable[..., int]) -> str:
    """A string as PDFium gives it: asked for its length first; two bytes a letter, a zero at its end."""
    size = min(ask(None, 0), 2 * _LONGEST_VALUE)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    ask(buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace").partition("\0")[0]
