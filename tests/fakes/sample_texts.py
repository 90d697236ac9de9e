"""The words of the scripted chat: what was asked, what was answered, and what the files say."""

from __future__ import annotations

QUESTION_7 = "Is the retry loop in `_refresh()` bounded?"
ANSWER_7 = "So the retry loop in `_refresh()` has no upper bound; that is worth a test of its own."
QUESTION_8 = "How should the token refresh work when two requests expire at the same time?"
THOUGHT_8 = (
    "Two callers can both see an expired token. Without a lock both refresh, and the second refresh makes the first "
    "token useless. A lock, and a second look at the token once it is held, is enough."
)
ANSWER_8 = """\
Only one refresh may be in flight. The first caller takes the lock; everyone else waits for that result and \
retries **once**:

```python
async def token(self) -> Token:
    if self._token.expires_at - SKEW > now():
        return self._token
    async with self._lock:          # one refresh at a time
        if self._token.expires_at - SKEW > now():
            return self._token      # someone else did it
        self._token = await self._refresh()
    return self._token
```

Two lines of `src/auth.py` differ: the lock is made anew for every call (88), and the expiry is compared with a \
naive clock (91).
"""
DRAFT = "Why does refresh() retry forever when the clock is behind, and which lines of the log prove it?"
THOUGHT_9 = "The deadline comes from the server's clock and is compared with the local one."
STREAMING_9 = """\
Because the deadline is computed from the **server's** time and compared with the local one. When the local clock is \
behind, `expires_at` never looks old enough, the server answers 401, and `refresh()` starts again:

1. the first 401 triggers a refresh (line 102);
2. the new token carries the server's time, so the check on line 91 still"""
EDIT_DIFF = """\
--- src/auth.py
+++ src/auth.py
@@ -88,1 +88,1 @@
-        lock = asyncio.Lock()
+        lock = self._lock
@@ -91,1 +91,1 @@
-        if token.expires_at < datetime.now():
+        if token.expires_at - SKEW <= now(UTC):
"""
PERSONA = "You are a careful reviewer. Answer from the files given and name the lines you rely on.\n"
MEMORY = "The team runs Python 3.12; the auth service is owned by Lena; tokens are opaque; logs are in UTC.\n"
SPEC = "# Auth service, scope\n\nThe service issues and refreshes tokens for the two public APIs.\n"
API_BEFORE = """\
## POST /token/refresh
Returns a new token. Valid for 3600 s.

## GET /session
200: the session; 401: expired.
"""
API_AFTER = """\
## POST /token/refresh
Returns a new token. Valid for 900 s, by the server's clock.
Clients must allow 30 s of skew.

## GET /session
200: the session; 401: expired or skewed.
"""
SOURCE = """\
import asyncio
from datetime import UTC, datetime, timedelta

SKEW = timedelta(seconds=30)


class TokenKeeper:
    async def token(self) -> Token:
        lock = asyncio.Lock()
        async with lock:
            token = await self._load()
        if token.expires_at < datetime.now():
            token = await self._refresh()
        return token
"""
