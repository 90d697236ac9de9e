"""The real encodings, for tests whose fact is the exact number; loaded once a process."""

from __future__ import annotations

from workbench.providers.catalogue import load_catalogue
from workbench.providers.tokenizer import TiktokenTokenizer
from workbench.sources.resources import resource_path

CL100K = TiktokenTokenizer("cl100k_base", resource_path("encodings"))
O200K = TiktokenTokenizer("o200k_base", resource_path("encodings"))
GPT_4O = load_catalogue(resource_path("models.toml")).find("gpt-4o")
