"""Private-key blocks in every dress are one span (E2, E3)."""

import base64
import random

import pytest

from ibid.text.redact import find_secrets

LABELS = ["RSA ", "", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "]


def block(label: str = "", size: int = 600, *, end: bool = True, head: str = "") -> str:
    """Draw a key block of `size` random bytes."""
    body = base64.b64encode(random.Random(label + str(size)).randbytes(size)).decode()
    lines = ["-----" + "BEGIN " + label + "PRI" + "VATE KEY-----"]
    lines += [*head.split("\n"), ""] if head else []
    lines += [body[i : i + 64] for i in range(0, len(body), 64)]
    if end:
        lines.append("-----" + "END " + label + "PRI" + "VATE KEY-----")
    return "\n".join(lines)


def span_of(text: str) -> str:
    """Return the text of the only span, which must be a private key."""
    (secret,) = find_secrets(text)
    assert secret.kind == "private-key"
    return text[secret.start : secret.end]


@pytest.mark.parametrize("label", LABELS)
def test_block_is_one_span(label: str) -> None:
    """From the first dash to the last, and nothing around it."""
    key = block(label)
    assert span_of(f"keep it safe:\n{key}\nThat is all.") == key


def test_block_with_headers() -> None:
    """An old encrypted key has headers before its body."""
    key = block("RSA ", head="Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C3D")
    assert span_of(f"$ cat id\n{key}\n$ ls") == key


def test_pgp_block() -> None:
    """OpenPGP calls its block by another name."""
    key = block().replace("KEY-----", "KEY BLOCK-----").replace("BEGIN ", "BEGIN PGP ")
    key = key.replace("END ", "END PGP ")
    assert span_of(f"下面是私钥：\n{key}\n请妥善保存。") == key


@pytest.mark.parametrize(
    ("mark", "after"),
    [
        ("      ", "\nother: 1"),
        ("+", "\n context line"),
        ("> ", "\nhe wrote"),
        ("│ ", "\n└──"),
        ("# ", "\nrun()"),
    ],
)
def test_block_behind_marks(mark: str, after: str) -> None:
    """Indented, diffed, quoted or commented, it is still one span."""
    key = "\n".join(mark + line for line in block().splitlines())
    assert span_of(key + after) == key[len(mark) :]


def test_block_with_line_numbers() -> None:
    """A tool's numbered listing of a key is one span."""
    lines = block().splitlines()
    key = "\n".join(f"{i:6d}\u2192{line}" for i, line in enumerate(lines, 1))
    assert span_of(key + "\ndone") == key[key.index("-----") :]


def test_block_in_one_line() -> None:
    """Escaped in JSON, or joined by blanks, it is still one span."""
    escaped = block().replace("\n", "\\n")
    assert span_of('{"private_key": "' + escaped + '\\n", "x": 1}') == escaped
    joined = block().replace("\n", " ")
    assert span_of(f"KEY='{joined}'") == joined


def test_block_in_source_code() -> None:
    """Lines quoted and added up in source code belong to the block."""
    key = '\\n" +\n    "'.join(block().splitlines())
    assert span_of(f'key = "{key}\\n";') == key


def test_block_that_was_cut_off() -> None:
    """Without its last line a block ends with the last line of its body."""
    key = block("RSA ", end=False)
    assert span_of(f"see:\n{key}\nThat is all.") == key
    assert span_of(key[:400]) == key[:400]


def test_putty_key() -> None:
    """PuTTY's file goes from its header to its checksum."""
    body = base64.b64encode(random.Random(9).randbytes(192)).decode()
    lines = "\n".join(body[i : i + 64] for i in range(0, 256, 64))
    key = (
        "PuTTY-User-" + "Key-File-2: ssh-rsa\nEncryption: none\nComment: k\n"
        "Public-Lines: 4\n" + lines + "\nPrivate-Lines: 4\n" + lines + "\nPrivate-M"
        "AC: " + "0f" * 20
    )
    assert span_of(f"$ cat k.ppk\n{key}\n$") == key


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN {} KEY-----\n...\n-----END {} KEY-----",
        "It starts with -----BEGIN {} KEY----- and ends with -----END {} KEY-----.",
        'pem = "-----BEGIN {} KEY-----\\n" + body + "\\n-----END {} KEY-----"',
        "-----BEGIN {} KEY-----\nMIIEpAIBAAKCAQEA...\n-----END {} KEY-----",
        "grep -l 'BEGIN {} KEY' *.pem",
        "-----BEGIN {} KEY-----\n[redacted:private-key]\n",
    ],
)
def test_talk_about_blocks_is_left(text: str) -> None:
    """A block without a body is a way of speaking."""
    assert find_secrets(text.replace("{}", "PRI" + "VATE")) == []


@pytest.mark.parametrize("label", ["CERTIFICATE", "PUBLIC KEY", "RSA PUBLIC KEY"])
def test_public_blocks_are_left(label: str) -> None:
    """Certificates and public keys are for everybody."""
    key = block().replace("PRI" + "VATE KEY", label)
    assert find_secrets(key) == []
