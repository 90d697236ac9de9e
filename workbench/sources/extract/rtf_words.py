"""Control words of rich text: which groups are text, which are passed over, and which words are letters."""

from __future__ import annotations

# Groups that hold no text for a reader.
PASSED = frozenset(
    b"fonttbl colortbl stylesheet info filetbl listtable listoverridetable rsidtbl generator themedata"
    b" colorschememapping datastore latentstyles xmlnstbl mmathPr datafield bkmkstart bkmkend pntxta pntxtb"
    b" pnseclvl sn sv sp operator author company nonshppict blipuid private background template"
    b" ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn revtbl userprops docvar objdata objclass objname objtime"
    b" formfield ffdeftext panose falt xe tc rxe tcf listname liststylename leveltext levelnumbers"
    b" atnid atntime atnref atrfstart atrfend atndate atnparent atnicn wgrffmtfilter oldcprops oldpprops"
    b" oldtprops oldsprops passwordhash protusertbl picprop mvfmf mvfml mhtmltag htmltag defchp defpap".split()
)
# Groups marked as unknown to old programs that do hold text, or hold groups that do.
STARRED = frozenset(
    b"shpinst shptxt shp shpgrp shppict footnote annotation atnauthor ud do dptxbxtext fldrslt result"
    b" fldinstx ftnalt mmath moMath moMathPara mr mt".split()
)
PICTURES = frozenset({b"pict"})
BREAKS = frozenset(b"par sect page column softpage".split())
LETTERS: dict[bytes, str] = {
    b"tab": "\t", b"line": "\n", b"lbr": "\n", b"emdash": "—", b"endash": "–", b"lquote": "‘", b"rquote": "’",
    b"ldblquote": "“", b"rdblquote": "”", b"bullet": "•", b"emspace": " ", b"enspace": " ", b"qmspace": " ",
    b"zwj": "\u200d", b"zwnj": "\u200c", b"ltrmark": "", b"rtlmark": "", b"chftn": "", b"chatn": "",
}  # fmt: skip
SIGNS = {b"~": "\u00a0", b"_": "-", b"-": "", b"\t": "\t", b"\\": "\\", b"{": "{", b"}": "}"}
CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "big5", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 255: "cp437",
}  # fmt: skip
AROUND = frozenset(
    f"{name}{which}".encode() for name in ("header", "footer") for which in ("", "l", "r", "f")
)
