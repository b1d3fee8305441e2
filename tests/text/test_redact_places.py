"""Values beside a credential's name, in every notation that writes them (E2, E3)."""

import random
import string

import pytest

from ibid.text.redact import find_secrets

ALNUM = string.ascii_letters + string.digits
NAMES = {
    PASS: ["password", "DB_PASSWORD", "dbPassword", "smtp-pass", "adminPwd"]
    for PASS in ("password",)
} | {
    "secret": ["client_secret", "JWT_SECRET", "webhookSecret"],
    "token": ["access_token", "GITHUB_TOKEN", "slackBotToken", "auth-token"],
    "key": ["api_key", "STRIPE_API_KEY", "privateKey", "encryption-key"],
}
NOTATIONS = [
    "{N}={V}\n",
    '{N}="{V}"\n',
    "export {N}='{V}'",
    "{N} = '{V}'",
    '{N}: str = "{V}"',
    'connect(host="h", {N}="{V}")',
    "{{'{N}': '{V}'}}",
    '{{"a":1,"{N}":"{V}","b":2}}',
    '"{{\\"{N}\\": \\"{V}\\"}}"',
    '{{\\\\\\"{N}\\\\\\":\\\\\\"{V}\\\\\\"}}',
    "  {N}: {V}\n  x: 1",
    "  {N}: '{V}'  # rotate",
    '[a]\n{N} = "{V}"',
    "[a]\n{N} = {V}\n",
    "const c = {{ {N}: '{V}' }};",
    "const {N} = `{V}`;",
    "private readonly {N}: string = '{V}';",
    '{N} := "{V}"',
    'let {N}: &str = "{V}";',
    'static final String {N} = "{V}";',
    "'{N}' => '{V}',",
    "define('{N}', '{V}');",
    '#define {N} "{V}"',
    '$env:{N} = "{V}"',
    "set {N}={V}\r\n",
    "ENV {N} {V}",
    "docker run -e {N}={V} img",
    '- name: {N}\n  value: "{V}"',
    '{{"value":"{V}","name":"{N}"}}',
    "$ tool --{N} {V} --x",
    "$ tool --{N}={V} --x",
    "https://a.example/c?x=1&{N}={V}&y=2",
    "<{N}>{V}</{N}>",
    '<add key="{N}" value="{V}"/>',
    "- **{N}**: {V}\n",
    "**{N}:** `{V}`",
    "| {N} | {V} |",
    "INFO starting {N}={V} port=80",
    'os.environ["{N}"] = "{V}"',
    'os.environ.setdefault("{N}", "{V}")',
    '["--{N}", "{V}"]',
    'if {N} == "{V}":',
    "-  {N}: old\n+  {N}: {V}\n",
    "Config(host='h', {N}='{V}')",
    "\x1b[36m{N}\x1b[0m=\x1b[33m{V}\x1b[0m",
    "    12\t{N}={V}\n",
    '{{"text":"line\\n{N}={V}\\nnext"}}',
    "{N}：{V}",
    "{N} → {V}",
    '{N} = (\n    "{V}"\n)',
    "{N}=\\\n{V}",
    'variable "{N}" {{\n  default = "{V}"\n}}',
    'gh secret set {N} --body "{V}"',
    "heroku config:set {N}={V}",
    "body=%7B%22{N}%22%3A%22{V}%22%7D",
    "&quot;{N}&quot;:&quot;{V}&quot;",
]


def values(seed: str) -> list[str]:
    """Draw one value of each kind that people and machines make."""
    rng = random.Random(seed)
    return [
        f"Falcon{rng.randrange(1000, 9999)}!",
        f"copper-{rng.choice(('meadow', 'tiger'))}{rng.randrange(10, 999)}",
        "".join(rng.choices(ALNUM, k=32)),
        "".join(rng.choices("0123456789abcdef", k=40)),
    ]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_value_is_found_alone(notation: str) -> None:
    """The value is one span of its name's kind; nothing beside it is touched."""
    for family, names in NAMES.items():
        for name in names:
            for value in values(notation + name):
                before, after = notation.replace("{N}", name).split("{V}")
                before = before.replace("{{", "{").replace("}}", "}")
                text = before + value + after.replace("{{", "{").replace("}}", "}")
                found = [(text[s.start : s.end], s.kind) for s in find_secrets(text)]
                assert found == [(value, family)], text


PLACEHOLDERS = [
    "<your-key>", "YOUR_API_KEY", "xxxxxxxxxxxxxxxx", "changeme", "${VAR}", "$(cat f)",
    "{{ .Values.x }}", "%s", "{value}", "********", "...", "[REDACTED]", "TODO", "null",
    "none", "test", "example", "os.environ['X']", "process.env.X", "getenv('X')",
    "settings.API_KEY", "self._token", "Optional[str]", "string", "$DB_PASSWORD",
    "my-secret-token", "your-key-here", "a1", "config.get('x')", "user_token2",
    "/etc/app/key1.pem", "arn:aws:secret:prod1", "vault:secret/data/app1",
]  # fmt: skip


@pytest.mark.parametrize("value", PLACEHOLDERS)
@pytest.mark.parametrize("name", ["api_key", "token", "DB_PASSWORD"])
def test_placeholder_is_left(name: str, value: str) -> None:
    """What stands for a value, or computes it, is no secret."""
    for text in (f"{name}={value}\n", f"{name}: {value}\n", f"{name} = {value}"):
        assert find_secrets(text) == [], text


@pytest.mark.parametrize(
    "line",
    [
        "password: str = Field(..., min_length=12)",
        "token = request.headers.get('X-Token')",
        "const token = await getToken2();",
        "if password != confirm_password2:",
        "def reset(self, user_id: int, new_password: str) -> None:",
        "private_key = load_pem_private_key(data, password=None)",
        "interface Props { token: string; secret?: string }",
        "let api_key = config.api_key1.clone();",
        "secretKeyRef: {name: db-creds-v2, key: password}",
        "password_hash = '$2b$12$abcdefghijklmnopqrstuv'",
        "max_tokens=4096, total_tokens: 12345",
        '"next_page_token": "CAUQAA3kX9mQ2vR7tY5wZ1nC"',
        "'password' => 'required|string|min:8',",
        "['text', 'password', 'checkbox2']",
        "foo(password, encoding='utf-8')",
        '"cacheKey": "deps-v2-0a1b2c3d4e5f60718293a4b5c6d7e8f9"',
        "primary_key=True, foreign_key='users.id'",
        "password: yup.string().min(8).required(),",
        "csrf_token: '{{ csrf_token() }}'",
        "exports.STRICT_TOKEN = exports2.HEX",
        "{password:o}=new Je.URL(e)",
        '"password": "Passwort (mind. 8 Zeichen)"',
        "password?: string | null;",
        '"ARN": "arn:aws:secretsmanager:us-west-2:1234:secret:MyTestSecret-a1b2c3"',
        '"encryptionKey": "arn:aws:kms:us-west-2:1234:key/c9fe2447-0795-4fda-afbe"',
        "it('rejects an expired token', async () => {})",
        "| setting | type |\n|---|---|\n| `password` | string |",
        "token VARCHAR(255) NOT NULL,",
        'public_key: "MCowBQYDK2VwAyEA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6"',
    ],
)
def test_code_is_left(line: str) -> None:
    """Code that handles credentials holds none."""
    assert find_secrets(line) == []


def test_words_count_as_passwords_only_in_quotes() -> None:
    """A lower-case word is somebody's password where it is written as a literal."""
    word = "open" + "sesame"
    assert [s.kind for s in find_secrets(f'password = "{word}"')] == ["password"]
    assert [s.kind for s in find_secrets(f"DB_PASSWORD={word}")] == ["password"]
    assert find_secrets(f"password: {word}") == []
    assert find_secrets(f'token = "{word}"') == []


def test_list_of_passwords() -> None:
    """Each value of a list is found, not only the first."""
    one, two, three, _ = values("list")
    text = f'"passwords": ["{one}", "{two}", "x", "{three}"]'
    assert [text[s.start : s.end] for s in find_secrets(text)] == [one, two, three]


def test_passphrase_of_words() -> None:
    """Several plain words in quotes are a passphrase, unless they are a sentence."""
    words = "violet anchor ladder tunnel"
    assert [s.kind for s in find_secrets(f'passphrase = "{words}"')] == ["password"]
    assert find_secrets('password = "must be at least twelve characters"') == []


def test_long_value_is_found_whole() -> None:
    """A key of a thousand characters is one span to its end."""
    value = "".join(random.Random(4).choices(ALNUM + "+/", k=1400)) + "=="
    for text in (f"    client-key-data: {value}\n", f'"client-key-data": "{value}"'):
        (secret,) = find_secrets(text)
        assert text[secret.start : secret.end].rstrip("=") == value.rstrip("=")
