"""URLs, headers, cookies, commands, statements and tables (E3)."""

import base64
import random
import string

import pytest

from ibid.text.redact import find_secrets

ALNUM = string.ascii_letters + string.digits
#: Where a value stands that a person typed, and the kind of its span.
TYPED = [
    ("url-credential", "postgres://app:{}@db.example.com:5432/app"),
    ("url-credential", "DATABASE_URL=mysql+x://app:{}@10.0.0.5/app?ssl=1"),
    ("url-credential", "redis://:{}@cache:6379/0"),
    ("url-credential", '{{"url":"https:\\/\\/u:{}@h.example\\/x"}}'),
    ("password", "$ curl -u admin:{} https://api.example.com/"),
    ("password", "$ curl -sS \\\n  --user 'deploy:{}' -X POST https://h/x"),
    ("password", "$ mysql -uroot -p{} app"),
    ("password", "$ mysql -u root -p'{}' -e 'show tables'"),
    ("password", "$ sshpass -p '{}' ssh root@10.0.0.3"),
    ("password", "$ redis-cli -h cache -a {} ping"),
    ("password", "$ docker login -u me -p {} registry.example"),
    ("password", "$ openssl enc -aes-256-cbc -k {} -in f"),
    ("password", "$ ldapsearch -D cn=x -w {} -b dc=x"),
    ("password", "$ smbclient //nas/s -U me%{}"),
    ("password", "$ sqlcmd -S h -U sa -P {}"),
    ("password", "$ mongosh -u root -p {}"),
    ("password", "$ sqlplus app/{}@orcl"),
    ("password", "jdbc:oracle:thin:app/{}@//db:1521/x"),
    ("password", "$ echo '{}' | sudo -S apt install x"),
    ("password", '$ echo "deploy:{}" | chpasswd'),
    ("password", "$ printf '{}' | docker secret create db_pw -"),
    ("password", "$ net user deploy {} /add"),
    ("password", "machine h.example login me password {}"),
    ("password", "db.example.com:5432:app:appuser:{}"),
    ("password", "CREATE USER 'a'@'%' IDENTIFIED BY '{}';"),
    ("password", "ALTER ROLE app WITH PASSWORD '{}';"),
    ("password", "INSERT INTO users (email, password) VALUES ('a@b.example', '{}');"),
    ("password", "DriverManager.getConnection(url, \"app\", \"{}\");"),
    ("password", 'requests.get(u, auth=("admin", "{}"))'),
    ("password", 'client.basic_auth("admin", Some("{}"))'),
    ("password", "ConvertTo-SecureString '{}' -AsPlainText -Force"),
    ("password", "page.fill('#password', '{}')"),
    ("password", "getByLabel('Password').fill('{}')"),
    ("password", "user,password\nadmin,{}\n"),
    ("password", "| user | password |\n|---|---|\n| admin | {} |\n"),
    ("password", "<password><![CDATA[{}]]></password>"),
    ("password", "Server=h;User ID=app;Password={};Encrypt=True;"),
]  # fmt: skip
#: The same for values that a machine drew.
DRAWN = [
    ("token", "Authorization: Bearer {}"),
    ("token", "-H 'authorization: bearer {}'"),
    ("token", '"Authorization": "Token {}"'),
    ("token", "it sent Bearer {} again"),
    ("token", "Private-Token: {}"),
    ("key", "X-API-Key:{}"),
    ("key", "?api_key={}&v=2"),
    ("cookie", "Cookie: theme=dark; sessionid={}; lang=en"),
    ("cookie", "set-cookie: __Host-session={}; Secure"),
    ("signature", "https://b.example/k?X-Amz-Signature={}"),
    ("url-credential", "git clone https://{}@git.example/x/y"),
    ("basic-auth", '{{"auths":{{"https://r.example":{{"auth":"{}"}}}}}}'),
    ("token", "//registry.example/:_authToken={}"),
    ("password", "$ curl -b 'session={}' https://x.example"),
    ("password", "$ echo {} | gh auth login --with-token"),
    ("key", "<key>ApiKey</key>\n<string>{}</string>"),
    ("key", "APP_KEY=base64:{}"),
]


def only_value(place: str, value: str, kind: str) -> None:
    """Assert that `value` in `place` is the only span, and of `kind`."""
    before, after = place.replace("{{", "{").replace("}}", "}").split("{}")
    text = before + value + after
    found = [(text[s.start : s.end], s.kind) for s in find_secrets(text)]
    assert found == [(value, kind)], text


@pytest.mark.parametrize(("kind", "place"), TYPED)
def test_typed_value_is_found(kind: str, place: str) -> None:
    """A password that a person chose is found where its notation puts it."""
    rng = random.Random(place)
    for _ in range(10):
        value = rng.choice(("Falcon", "Meadow")) + str(rng.randrange(100, 9999))
        only_value(place, value, kind)


@pytest.mark.parametrize(("kind", "place"), DRAWN)
def test_drawn_value_is_found(kind: str, place: str) -> None:
    """A token that a machine drew is found where its notation puts it."""
    rng = random.Random(place)
    for _ in range(10):
        only_value(place, "".join(rng.choices(ALNUM, k=31)) + "7", kind)


def test_basic_auth_is_found() -> None:
    """The base64 of a user and a password is their password."""
    value = base64.b64encode(f"me:Falcon{random.Random(1).random()}".encode()).decode()
    only_value("Authorization: Basic {}", value, "basic-auth")
    only_value("npm config: _auth={}", value, "basic-auth")


def test_webhook_address_is_a_secret() -> None:
    """Whoever knows the address may post: the whole of it goes."""
    rng = random.Random(2)
    path = "T" + "0A1B2C3D4E/B" + "5F6G7H8I9J/" + "".join(rng.choices(ALNUM, k=24))
    only_value(
        "hook is {}, ok", "https://hooks.sl" + f"ack.com/services/{path}", "webhook-url"
    )
    path = "123456789012345678/" + "".join(rng.choices(ALNUM, k=68))
    only_value(
        "post to {}.", "https://disc" + f"ord.com/api/webhooks/{path}", "webhook-url"
    )


def test_private_members_of_a_web_key() -> None:
    """A JSON web key's private members go, its public ones stay."""
    drawn = ["".join(random.Random(i).choices(ALNUM, k=43)) for i in range(2)]
    text = f'{{"kty":"EC","x":"{drawn[0]}","d":"{drawn[1]}"}}'
    assert [text[s.start : s.end] for s in find_secrets(text)] == [drawn[1]]


def test_seed_phrase_is_found() -> None:
    """Twelve words behind their name restore a wallet."""
    words = " ".join(random.Random(3).choices(("ladder", "orbit", "velvet"), k=12))
    only_value("seed phrase: {}", words, "mnemonic")
    assert find_secrets("mnemonic: easy words to remember a rule by") == []


@pytest.mark.parametrize(
    "text",
    [
        "postgres://user:password@localhost/db",
        "postgres://postgres:postgres@localhost:5432/test1",
        "https://user:${PASS}@h.example",
        "https://<user>:<password>@h.example",
        "git@github.com:o/r1.git and https://me@h.example/x",
        "http://localhost:3000/@scope/pkg1",
        "Authorization: Bearer <token>",
        "Authorization: Bearer ${token}",
        "Authorization: Bearer {{token}}",
        "Authorization: Basic auth is disabled on port 8443",
        "headers['Authorization'] = type1msg",
        "Cookie: theme=dark; lang=en",
        "document.cookie.split('; ').map(c => c.split('='))",
        "$ curl -u $USER:$PASS https://h.example",
        "$ docker run -p 8080:80 nginx1",
        "$ mkdir -p build2 && ssh -p 2222 host",
        "$ mysql -u root -p app",
        "$ openssl req -new -keyout k1.pem -nodes",
        "$ kubectl create secret generic db --from-file=a1",
        'rows identified by "aOrderBy2"',
        "auth: 'basic'",
        '"auth": "oauth2"',
        "sort_key,partition_key\ncreated_at2,tenant42\n",
        "| setting | password |\n|---|---|\n| type | string2 |\n",
        "INSERT INTO t (a, password) VALUES ($1, $2)",
        "X-Request-Id: 0a1b2c3d4e5f60718293a4b5c6d7e8f9",
        'ETag: "0a1b2c3d4e5f60718293a4b5c6d7e8f9"',
        '"sessionId": "6f1d2c3b-4a5e-4f60-8b7c-9d0e1f2a3b4c"',
        '"signature": "ErUBCkYIBxgCIkBw0lK3n4O5p6Q7r8S9t0U1v2W3x4"',
    ],
)
def test_other_notations_are_left(text: str) -> None:
    """Defaults, variables, options and ids in the same notations are no secrets."""
    assert find_secrets(text) == []
