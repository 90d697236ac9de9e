"""Marks of chat templates, and removing them from the end of an answer that they leaked into."""

from __future__ import annotations

# What templates of open models are written with: ChatML, Llama, Mistral, Gemma, Phi, DeepSeek, Command, GPT-OSS.
# Which of them a server's template knows is not asked: each is taken for a control token somewhere.
CONTROL_TOKENS = (
    "<|im_start|>", "<|im_end|>", "<|im_sep|>", "<|endoftext|>", "<|endofprompt|>", "<|eot_id|>", "<|eom_id|>",
    "<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|python_tag|>",
    "<|eot|>", "<|header_start|>", "<|header_end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>",
    "<|tool|>", "<|observation|>", "<|start|>", "<|message|>", "<|channel|>", "<|return|>", "<|call|>",
    "<start_of_turn>", "<end_of_turn>", "<s>", "</s>", "<bos>", "<eos>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>",
    "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]",
    "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "<｜User｜>", "<｜Assistant｜>", "<｜begin▁of▁sentence｜>",
    "<｜end▁of▁sentence｜>", "<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>",
)  # fmt: skip

# What closes something that the answer itself has opened belongs to it: struck out text, an example of a template.
_OPENED_BY = {
    "</s>": "<s>",
    "<|im_end|>": "<|im_start|>",
    "<end_of_turn>": "<start_of_turn>",
    "[/INST]": "[INST]",
    "<</SYS>>": "<<SYS>>",
}


class MarkedEnd:
    """Passes text on as it arrives, except what may turn out to be marks at its end.

    It holds back a run of whole marks with the blanks after them, and a partial mark. Marks that are followed by other
    text belong to the answer, and are passed on.
    """

    def __init__(self, marks: tuple[str, ...]) -> None:
        self._marks = tuple(sorted((mark for mark in marks if mark.strip()), key=len, reverse=True))
        self._beginnings = frozenset(mark[:end] for mark in self._marks for end in range(1, len(mark)))
        self._longest = max(map(len, self._marks), default=0)
        self._run: list[str] = []
        self._cut = ""
        self._open = dict.fromkeys(_OPENED_BY, 0)

    def grow(self, piece: str) -> str:
        """Returns the text that is certainly not part of the marks at the end."""
        if not self._marks or not piece:
            return piece
        text = self._cut + piece
        self._cut = self._cut_mark(text)
        whole = text[: len(text) - len(self._cut)]
        start, run = self._trailing(whole)
        if self._run and not whole[:start].strip():
            self._run[-1] += whole[:start]
            self._run.extend(run)
            return ""
        before, self._run = "".join(self._run), run
        return self._count_open(before + whole[:start])

    def end(self) -> tuple[str, tuple[str, ...]]:
        """Ends the text: returns what was held back of it, and the marks that were removed."""
        run, cut = self._run, self._cut
        self._run, self._cut = [], ""
        marks = tuple(dict.fromkeys(mark.rstrip() for mark in run))
        if cut or not run or self._open.get(marks[0], 0) > 0:
            return "".join(run) + cut, ()
        return "", marks

    def _cut_mark(self, text: str) -> str:
        """Returns the longest end of the text that is the start of a mark."""
        for size in range(min(self._longest - 1, len(text)), 0, -1):
            if text[-size:] in self._beginnings:
                return text[-size:]
        return ""

    def _trailing(self, text: str) -> tuple[int, list[str]]:
        """Returns where the marks at the end of a text start, and the marks, each with the blanks after it."""
        run: list[str] = []
        end = len(text)
        while True:
            bare = end
            while bare and text[bare - 1].isspace():
                bare -= 1
            mark = next((mark for mark in self._marks if text.endswith(mark, 0, bare)), None)
            if mark is None:
                return end, run[::-1]
            run.append(text[bare - len(mark) : end])
            end = bare - len(mark)

    def _count_open(self, text: str) -> str:
        for closing, opening in _OPENED_BY.items():
            if opening[0] in text:
                self._open[closing] += text.count(opening) - text.count(closing)
        return text
