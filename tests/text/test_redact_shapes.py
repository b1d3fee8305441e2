"""Credentials known by their shape: every rule, hit and missed (E3)."""

import random
import string
import uuid

import pytest

from ibid.text.redact import find_secrets
from ibid.text.redact_shapes import LOOSE, TABLE, find_shapes

ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "L": string.ascii_letters,
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "w": string.ascii_letters + string.digits + "-_",
    "u": string.ascii_uppercase + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "d": string.digits,
    "b": string.ascii_letters + string.digits + "+/",
}

#: Kind, prefixes (each cut in two by ``~``), and how the rest is drawn: a letter of
#: ALPHABETS and a count, ``U`` for a UUID, or what stands in quotes.
SAMPLES = """
private-key      AGE-SEC~RET-KEY-1                     u58
anthropic-key    sk-~ant-                              'api03- w93
openai-key       sk-~proj- sk-~svcacct- sk-~admin- sk-~None-   w74
openai-key       sk~-                                  A48
openrouter-key   sk-~or-                               'v1- h64
langfuse-key     sk-~lf-                               U
stripe-key       sk~_live_ sk~_test_ rk~_live_ rk~_test_   A24
elevenlabs-key   sk~_                                  h48
webhook-secret   wh~sec_                               A32
github-token     gh~p_ gh~o_ gh~u_ gh~s_ gh~r_         A36
github-token     github~_pat_                          A22 '_ A59
gitlab-token     gl~pat- gl~dt- gl~rt- gl~rtr- gl~ptt- gl~soat- gl~agent-   w20
gitlab-token     gl~cbt- gl~ffct- gl~imt- gl~ft- gl~oas-   w20
gitlab-token     GR~1348941                            w20
atlassian-token  AT~ATT3 AT~CTT3                       w80
bitbucket-token  AT~BB                                 A32
asana-token      ATA~SANA-                             A32
aws-key-id       A~KIA A~SIA A~BIA A~CCA               u16
google-key       AI~za                                 w35
google-secret    GOC~SPX-                              A28
google-token     ya~29.                                w120
google-token     1/~/0                                 w40
facebook-token   EA~A                                  'C A120
square-token     EA~AA                                 w60
square-token     sq0~atp- sq0~csp- sq0~idp-            A43
slack-token      xo~xb- xo~xp- xo~xa- xo~xr- xo~xs- xo~xc- xo~xd- xo~xo-  d12 '- A24
slack-token      xo~xe-                                d12 '- A24
slack-token      xo~xe.                                'xox 'b- d12 '- A24
slack-token      x~app- x~wfp-                         '1-A u10 '- d13 '- h64
groq-key         gs~k_                                 A52
huggingface-token  h~f_ api~_org_                      A34
replicate-token  r~8_                                  A37
perplexity-key   pp~lx-                                A48
xai-key          x~ai-                                 A80
cerebras-key     c~sk-                                 l48
fireworks-key    f~w_                                  A24
together-key     tgp~_v1_                              A43
tavily-key       tv~ly-                                A32
firecrawl-key    f~c-                                  h32
pinecone-key     pc~sk_                                A60
jina-key         ji~na_                                A60
llamacloud-key   ll~x-                                 A48
nvidia-key       nv~api-                               A64
langsmith-key    ls~v2_                                'pt_ h32 '_ h10
e2b-key          e2~b_                                 h40
resend-key       r~e_                                  A8 '_ A24
posthog-key      ph~x_                                 A43
clerk-key        ak~_live_                             A30
supabase-token   sb~p_                                 h40
supabase-token   sb~_secret_                           A31
neon-key         na~pi_                                l60
render-key       rn~d_                                 A32
npm-token        np~m_                                 A36
pypi-token       pyp~i-                                'AgE A150
rubygems-key     ruby~gems_                            h48
crates-token     ci~o                                  A32
nuget-key        oy~2                                  l43
clojars-token    CLO~JARS_                             l60
docker-token     dckr~_pat_ dckr~_oat_                 A27
digitalocean-token  do~p_v1_ do~o_v1_ do~r_v1_         h64
netlify-token    nf~p_ nf~c_ nf~o_ nf~u_               A36
vercel-token     vc~p_ vc~k_ vc~i_ vc~a_ vc~r_         A40
heroku-key       HR~KU-                                A60
databricks-token  da~pi                                h32
shopify-token    shp~at_ shp~ca_ shp~pa_ shp~ss_       h32
paypal-key       access_token~$production$             l16 '$ h32
razorpay-key     rzp~_live_                            A14
flutterwave-key  FLW~SECK                              '- l32 '-X
shippo-token     shippo~_live_ shippo~_test_           h40
easypost-key     EZ~AK EZ~TK                           A54
duffel-token     duf~fel_                              'live_ A43
linear-key       lin~_api_ lin~_oauth_                 A40
notion-token     nt~n_                                 d11 A35
notion-token     sec~ret_                              A43
figma-token      fig~d_                                A40
airtable-token   p~at                                  A14 '. h64
hubspot-token    pat~-                                 'na1- U
typeform-token   tf~p_                                 A44
readme-key       rd~me_                                l64
postman-key      PM~AK-                                h24 '- h34
contentful-token  CF~PAT-                              A43
planetscale-token  pscale~_tkn_ pscale~_pw_ pscale~_oauth_   A43
tailscale-key    ts~key-                               'auth- A12 'CNTRL- A32
pulumi-token     pu~l-                                 h40
grafana-token    gl~sa_                                A32 '_ h8
grafana-token    gl~c_                                 A80
grafana-token    ey~JrIjoi                             A80
newrelic-key     NR~AK-                                u27
newrelic-key     NR~II- NR~JS-                         A32
sentry-token     snt~ryu_                              h64
sentry-token     snt~rys_                              A90
honeycomb-key    hc~aik_                               l58
dynatrace-token  dt~0c01. dt~0s01.                     u24 '. u64
sonar-token      sq~p_ sq~u_ sq~a_                     h40
sourcegraph-token  sg~p_                               h40
buildkite-token  bk~ua_                                h40
circleci-token   CC~IPAT_                              A22 '_ h40
prefect-key      pn~u_ pn~b_                           A36
octopus-key      AP~I-                                 u26
brevo-key        xkey~sib- xsm~tpsib-                  h64 '- A16
mailgun-key      ke~y-                                 h32
twilio-key       S~K                                   h32
adafruit-key     ai~o_                                 A28
alibaba-key-id   LT~AI                                 A20
tencent-key-id   AK~ID                                 A32
volcengine-key-id  AK~LT                               A44
yandex-key       AQ~VN                                 A36
yandex-token     t1~.                                  A60 '. A86
jfrog-key        AK~Cp                                 A69
jfrog-key        cm~Vmd                                A59
adobe-secret     p8~e-                                 l32
onepassword-key  A~3-                                  u6 '- u11 '- u5 '- u5 '- u5
aws-bedrock-key  bedrock-~api-key-                     A80
clickhouse-key   4b~1d                                 A38
dnkey            dn~key-                               u26 '- u52
frameio-token    fi~o-u-                               A64
intra42-secret   s-~s4t2ud- s-~s4t2af-                 h64
lob-key          ~live_ ~test_                         h35
scalingo-token   tk~-us-                               A48
settlemint-token  sm~_aat_ sm~_pat_ sm~_sat_           A16
twitter-token    AAAAAAAAAA~AAAAAAAAAAAA               A30 '%2B A50
yandex-key       Y~C                                   A38
flyio-token      fm~1r_ fm~1a_                         A80
onepassword-token  op~s_                               'eyJ A200
openshift-token  sha256~~                              w43
infracost-key    ic~o-                                 A32
launchdarkly-key  sd~k- mo~b-                          U
plaid-token      access-~sandbox- access-~development- access-~production-   U
amazon-mws       amzn~.mws.                            U
jwt              ey~J                                  A30 '.ey A40 '. A43
mapbox-token     sk~.ey                                'J A40 '. A22
sendgrid-key     S~G.                                  A22 '. A43
vault-token      hv~s. hv~b. hv~r.                     A90
doppler-token    dp~.pt. dp~.st. dp~.ct. dp~.sa. dp~.scim. dp~.audit.   A43
dropbox-token    sl~.                                  A130
harness-token    pat~. sat~.                           A22 '. h24 '. A20
cloudflare-key   v1~.0-                                h24 '- h146
flyio-token      fo~1_                                 A43
flyio-token      fm~2_                                 b120
azure-secret     ~                                     A3 '8Q '~ A34
aws-bedrock-key  ABS~K                                 b100
azure-key        Account~Key=                          b86 '==
terraform-token  ~                                     A14 '.atlas 'v1. A67
telegram-token   ~                                     d10 ':A 'A A33
firebase-key     ~                                     A11 ':APA 91b A134
mailchimp-key    ~                                     h32 '-u 's12
discord-token    ~                                     'M A24 '. A6 '. A38
api-key          acme~_live_ pk_sec~ret_ foo~_api_key_   A32
"""


def draw(rng: random.Random, spec: str) -> str:
    """Draw the random part of a token from its description."""
    out = ""
    for piece in spec.split():
        if piece.startswith("'"):
            out += piece[1:]
        elif piece == "U":
            out += str(uuid.UUID(int=rng.getrandbits(128), version=4))
        elif piece[0] in ALPHABETS and piece[1:].isdigit():
            out += "".join(rng.choices(ALPHABETS[piece[0]], k=int(piece[1:])))
        else:
            out += piece
    return out


def rows() -> list[tuple[str, str, str]]:
    """Return kind, prefix and description of every sample."""
    found = []
    for line in SAMPLES.strip().splitlines():
        kind, rest = line.split(None, 1)
        pieces = rest.split()
        heads = [p for p in pieces if "~" in p and not p.startswith("'")]
        heads = heads if heads != ["sha256~~"] else ["sha256\0"]
        spec = " ".join(pieces[len(heads) :])
        for head in heads:
            found.append((kind, head.replace("~", "").replace("\0", "~"), spec))
    return found


ROWS = rows()
IDS = [f"{kind}-{i}" for i, (kind, *_) in enumerate(ROWS)]
PLACES = (
    "the old one was {}, rotate it",
    "KEY='{}'",
    '{{"stdout":"ok\\n{}\\nDone"}}',
    "请用{}调用接口。",
    "GET https://api.example.com/v1?limit=5&x={}&page=2",
    "\x1b[32m{}\x1b[0m created",
    "| name | {} |",
    "x={};y=2",
)


@pytest.mark.parametrize(("kind", "prefix", "spec"), ROWS, ids=IDS)
def test_token_is_found_whole(kind: str, prefix: str, spec: str) -> None:
    """A token of each rule is one span of its kind, in every surrounding."""
    rng = random.Random(prefix + spec)
    for place in PLACES:
        token = prefix + draw(rng, spec)
        before, after = place.replace("{{", "{").replace("}}", "}").split("{}", 1)
        text = before + token + after
        secrets = find_secrets(text)
        assert len(secrets) == 1, (place, secrets)
        assert text[secrets[0].start : secrets[0].end].rstrip("=") == token.rstrip("=")
        assert secrets[0].kind == kind


@pytest.mark.parametrize("prefix", sorted({row[1] for row in ROWS} - {""}))
def test_placeholder_is_left(prefix: str) -> None:
    """What only begins like a token, in documentation or cut short, is no secret."""
    for body in (
        "x" * 40,
        "...",
        "<your-token>",
        "your_key_here_please_now",
        "a1b2",
        "",
    ):
        assert find_secrets(f"Set it to {prefix}{body} first.") == []


def test_every_rule_has_a_sample() -> None:
    """No prefix of the table and no loose shape goes untested."""
    prefixes = {prefix for _, prefix, _ in ROWS}
    wanted = {begin + rest for _, begin, rests, _ in TABLE for rest in rests.split(" ")}
    kinds = {kind for kind, *_ in ROWS}
    assert wanted - prefixes == set()
    assert {kind for _, kind, *_ in LOOSE} - kinds == set()


@pytest.mark.parametrize(
    "text",
    [
        "toolu_01{A22}",
        "msg_01{A22} call_{A24} req_011{A21} chatcmpl-{A29} resp_{h48}",
        "commit {h40}",
        "sha256:{h64}",
        "{U}",
        "task-runner-configuration-file-2024",
        "risk-adjusted-return-calculation-v2-final",
        "sk-learn is not scikit-learn 1.5.2",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ{b200}",
        "sk-ssh-ed25519-cert-v01@openssh.com",
        "data:image/png;base64,iVBORw0KGgo{b400}",
        '"integrity": "sha512-{b86}=="',
        "arn:aws:iam::{d12}:role/deploy",
        "pi_{A24} cus_{A14} price_{A24}",
        "ghp_ and github_pat_ open GitHub's tokens",
    ],
)
def test_identifiers_are_left(text: str) -> None:
    """Ids, hashes, pictures and names that resemble tokens are none."""
    rng = random.Random(text)
    for _ in range(8):
        drawn = text
        while "{" in drawn:
            begin, end = drawn.index("{"), drawn.index("}")
            drawn = drawn[:begin] + draw(rng, drawn[begin + 1 : end]) + drawn[end + 1 :]
        assert list(find_shapes(drawn)) == []
        assert find_secrets(drawn) == []


def test_vendor_beside_a_drawn_value() -> None:
    """A vendor's name alone announces a drawn value, but neither an id nor a hash."""
    rng = random.Random(11)
    for line in ("ALGOLIA={}", 'datadog: "{}"', "const sendbirdApp = '{}'"):
        value = draw(rng, "A31") + "7"
        found = find_secrets(line.format(value))
        assert [(s.kind, s.end - s.start) for s in found] == [("key", 32)]
        assert find_secrets(line.format(draw(rng, "h40"))) == []
        assert find_secrets(line.format("release-candidate-2024-final-build")) == []
    assert find_secrets(f"SENTRY_PROJECT_ID={draw(rng, 'A32')}") == []


def test_glued_prefix_is_found() -> None:
    """A token behind a percent escape, a joint or a path is still found."""
    token = "gh" + "p_" + draw(random.Random(7), "A36")
    assert find_secrets(f"sha256=qaN-{token}") == []
    for glue in (
        "x%3D",
        "my-project_",
        "MyProject_",
        "old-",
        "/repos/",
        "~",
        "u003d",
        ":",
    ):
        found = find_secrets(f"a {glue}{token} b")
        assert [s.kind for s in found] == ["github-token"]


@pytest.mark.parametrize(
    "glue", ["x", "token", "Token", "1", "令牌", "é", "a=", "u003d"]
)
def test_prefix_that_says_enough_is_known_behind_letters(glue: str) -> None:
    """A token written without a blank after a word is found, and it alone."""
    rng = random.Random(glue)
    for token in (
        "gh" + "p_" + draw(rng, "A36"),
        "gl" + "pat-" + draw(rng, "A20"),
        "sk" + "-ant-api03-" + draw(rng, "A80"),
        "xo" + f"xb-{rng.randrange(10**10, 10**11)}-" + draw(rng, "A24"),
    ):
        text = f"use {glue}{token}, then go"
        assert [text[s.start : s.end] for s in find_secrets(text)] == [token]


def test_words_that_hold_a_prefix_are_left() -> None:
    """Identifiers and prose in which a prefix happens to stand hold no token."""
    for text in (
        "risk-proj-plan-for-the-second-half-of-the-next-year-and-all-that-follows-it",
        "the graph" + "p_of_all_the_nodes_and_edges_that_we_draw_here",
        "disk" + "_live_migration_of_every_machine_in_the_rack",
        "a disk" + "-ant-farm-and-nothing-but-a-very-long-name-with-many-words",
    ):
        assert find_secrets(text) == [], text
