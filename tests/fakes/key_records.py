"""A key file's record with known secrets, and its parts."""

from __future__ import annotations

from tests.fakes.keys import BY_KEY_FILE, BY_PASSPHRASE, CHEAP, CREATED, DATABASE_ID
from workbench.domain.secrets import StoreIdentity
from workbench.storage.keys.file import Generation, KeyRecord
from workbench.storage.keys.protectors import Credential, DataKey, protect

KEY = DataKey.make(StoreIdentity(DATABASE_ID, 1))
PASSPHRASE = protect(KEY, BY_PASSPHRASE, CREATED, CHEAP)
KEY_FILE = protect(KEY, BY_KEY_FILE, CREATED, CHEAP)
RECOVERY = protect(KEY, Credential("recovery", BY_KEY_FILE.secret), CREATED, CHEAP)
GENERATION = Generation(1, CREATED, (PASSPHRASE, KEY_FILE))
RECORD = KeyRecord(DATABASE_ID, CREATED, store_made=True, current=GENERATION)
