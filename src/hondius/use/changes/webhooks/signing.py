"""The signature of a request, as Standard Webhooks defines it: HMAC-SHA256 of id, time and body."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping

from hondius.errors import BadSetting

SECRET = "HONDIUS_WEBHOOK_SECRET"
PREFIX = "whsec_"
FEWEST_BYTES, MOST_BYTES = 24, 64
HOW = 'set it to what `python -c "import base64, os; print(base64.b64encode(os.urandom(32)).decode())"` prints'


def read_secret(environment: Mapping[str, str]) -> bytes:
    """Raises BadSetting, without the secret."""
    text = environment.get(SECRET, "").strip().removeprefix(PREFIX)
    if not text:
        raise BadSetting(f"webhooks are signed, and {SECRET} is not in the environment: {HOW}")
    try:
        secret = base64.b64decode(text, validate=True)
    except binascii.Error:
        secret = b""
    if not FEWEST_BYTES <= len(secret) <= MOST_BYTES:
        raise BadSetting(f"{SECRET} is no base64 of {FEWEST_BYTES} to {MOST_BYTES} bytes: {HOW}")
    return secret


def sign(secret: bytes, message_id: str, at: int, body: bytes) -> dict[str, str]:
    """The headers of a request. `at`: seconds since the epoch."""
    signed = b".".join((message_id.encode(), str(at).encode(), body))
    signature = base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
    return {"webhook-id": message_id, "webhook-timestamp": str(at), "webhook-signature": f"v1,{signature}"}
