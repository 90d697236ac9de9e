"""How an exported page looks: the window's colours in light and dark, and enough room to read."""

from __future__ import annotations

from collections.abc import Mapping

LIGHT: Mapping[str, str] = {
    "chrome": "#F5F6F8", "surface": "#FFFFFF", "line": "#DFE2E8", "t1": "#191C22", "t2": "#474D59",
    "t3": "#5D6472", "accent_text": "#4B36BD", "accent_tint": "#EDEAFC", "code_bg": "#F7F8FA",
}  # fmt: skip
DARK: Mapping[str, str] = {
    "chrome": "#16181D", "surface": "#1B1E24", "line": "#2D323B", "t1": "#E8EAEF", "t2": "#B7BDC9",
    "t3": "#959DAB", "accent_text": "#B9ADFF", "accent_tint": "#2A2746", "code_bg": "#14161B",
}  # fmt: skip
"""The same names and values as in the window's themes."""


def _variables(colours: Mapping[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in colours.items())


STYLE = f"""
:root{{color-scheme:light dark;{_variables(LIGHT)}}}
@media (prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}
*{{box-sizing:border-box}}
body{{margin:0;background:var(--chrome);color:var(--t1);font:15px/1.55 system-ui,sans-serif}}
main{{max-width:820px;margin:0 auto;padding:32px 20px 64px}}
header{{margin-bottom:24px}}
h1{{font-size:22px;line-height:1.3;margin:0 0 4px;overflow-wrap:anywhere}}
h2{{font-size:16px;margin:36px 0 8px}}
h3{{font-size:13px;margin:0 0 6px}}
header p,small,.used,.attached{{color:var(--t3);font-size:12.5px;font-weight:400}}
article{{background:var(--surface);border:1px solid var(--line);border-radius:10px;padding:14px 18px;margin:12px 0}}
article.user{{background:var(--accent_tint);margin-left:8%}}
article.tool,article.system{{background:transparent}}
.text{{overflow-wrap:anywhere}}
.text>:first-child{{margin-top:0}}
.text>:last-child{{margin-bottom:0}}
.text h1,.text h2,.text h3,.text h4{{font-size:16px;margin:18px 0 6px}}
.used,.attached{{margin:8px 0 0}}
a{{color:var(--accent_text)}}
pre{{background:var(--code_bg);border:1px solid var(--line);border-radius:8px;padding:10px 12px;overflow:auto;
white-space:pre-wrap;overflow-wrap:anywhere;font-size:13px}}
code{{font-family:ui-monospace,monospace;font-size:.92em}}
table{{border-collapse:collapse;display:block;overflow:auto}}
th,td{{border:1px solid var(--line);padding:4px 10px;text-align:start}}
blockquote{{margin:8px 0;padding-left:12px;border-left:3px solid var(--line);color:var(--t2)}}
details{{margin:8px 0;color:var(--t2)}}
summary{{cursor:pointer;font-size:13px;overflow-wrap:anywhere}}
img{{max-width:100%;border-radius:8px}}
@media print{{body{{background:none}}article{{break-inside:avoid}}}}
"""
