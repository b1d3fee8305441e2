"""Credentials that say by their shape what they are (E3).

One pass finds the long runs of token characters; only a run that begins like a known
credential is looked at again.  Prefixes are written in two pieces so that no scanner
takes this table for a leak.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ibid.text.redact_labels import split_words
from ibid.text.redact_values import (
    compiled,
    is_placeholder,
    is_random,
    is_technical,
    rarity,
)
from ibid.text.redact_words import ABOUT, VENDORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Rule = tuple[str, str, str]
    Found = tuple[int, int, str]

_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
#: The signs that end a prefix before its run.
_SIGNS = "./~$:"
#: How the ids of agents' records begin, which fill their transcripts.
_IDS = ("toolu_", "msg_", "call_", "req_", "resp_", "chatcmpl-")
#: Shapes that begin before the sign that opens their run.
_BEHIND = (
    ("telegram-token", r"(?<!\d)\d{8,10}:AA[\w-]{32,}"),
    ("firebase-key", r"[\w-]{11}:APA91b[\w-]{100,}"),
    ("terraform-token", r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{55,}"),
)
#: Kind, how its prefixes begin, how each goes on, what follows the prefix.
TABLE: tuple[tuple[str, str, str, str], ...] = (
    ("private-key", "AGE-SEC", "RET-KEY-1", r"[A-Z0-9]{40,}"),
    ("anthropic-key", "sk-", "ant-", r"[\w-]{20,}"),
    ("openai-key", "sk-", "proj- svcacct- admin- None-", r"[\w-]{20,}"),
    ("openrouter-key", "sk-", "or-", r"[\w-]{20,}"),
    ("langfuse-key", "sk-", "lf-", r"[\w-]{20,}"),
    ("openai-key", "sk", "-", r"(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{18,}"),
    ("stripe-key", "sk", "_live_ _test_", r"\w{16,}"),
    ("stripe-key", "rk", "_live_ _test_", r"\w{16,}"),
    ("elevenlabs-key", "sk", "_", r"[0-9a-f]{40,}"),
    ("webhook-secret", "wh", "sec_", r"[\w+/-]{20,}={0,2}"),
    ("github-token", "gh", "p_ o_ u_ s_ r_", r"\w{30,}"),
    ("github-token", "github", "_pat_", r"\w{30,}"),
    (
        "gitlab-token",
        "gl",
        "pat- dt- rt- rtr- ptt- soat- agent- cbt- ffct- imt- ft- oas-",
        r"[\w-]{18,}(?:\.[\w-]{2,12}){0,3}",
    ),
    ("gitlab-token", "GR", "1348941", r"[\w-]{18,}"),
    ("atlassian-token", "AT", "ATT3 CTT3", r"[\w=-]{50,}"),
    ("bitbucket-token", "AT", "BB", r"[\w=-]{28,}"),
    ("asana-token", "ATA", "SANA-", r"[\w-]{20,}"),
    ("aws-key-id", "A", "KIA SIA BIA CCA", r"[A-Z0-9]{16}(?![A-Z0-9])"),
    ("google-key", "AI", "za", r"[\w-]{35}"),
    ("google-secret", "GOC", "SPX-", r"[\w-]{24,}"),
    ("google-token", "ya", "29.", r"[\w-]{20,}(?:\.[\w-]{10,})?"),
    ("flyio-token", "fo", "1_", r"[\w-]{43}"),
    ("google-token", "1/", "/0", r"[\w-]{30,}"),
    (
        "facebook-token",
        "EA",
        "A",
        r"(?<![/+]EAA)[A-Z](?=[A-Za-z]*\d)[A-Za-z0-9]{80,}(?![/+])",
    ),
    ("square-token", "EA", "AA", r"(?<![/+]EAAA)[\w-]{60}(?![\w/+-])"),
    ("slack-token", "xo", "xb- xp- xa- xr- xs- xc- xd- xo- xe-", r"[\w%-]{20,}"),
    ("slack-token", "xo", "xe.", r"xox[bp]-[\w-]{20,}"),
    ("slack-token", "x", "app- wfp-", r"\d-[\w-]{20,}"),
    ("groq-key", "gs", "k_", r"[A-Za-z0-9]{40,}"),
    ("huggingface-token", "h", "f_", r"[A-Za-z0-9]{30,}"),
    ("huggingface-token", "api", "_org_", r"[A-Za-z0-9]{30,}"),
    ("replicate-token", "r", "8_", r"[A-Za-z0-9]{30,}"),
    ("perplexity-key", "pp", "lx-", r"[A-Za-z0-9]{32,}"),
    ("xai-key", "x", "ai-", r"[A-Za-z0-9]{40,}"),
    ("cerebras-key", "c", "sk-", r"[a-z0-9]{32,}"),
    ("fireworks-key", "f", "w_", r"(?=[A-Za-z]*\d)[A-Za-z0-9]{22,}"),
    ("together-key", "tgp", "_v1_", r"[\w-]{30,}"),
    ("tavily-key", "tv", "ly-", r"[\w-]{24,}"),
    ("firecrawl-key", "f", "c-", r"[0-9a-f]{32}(?!\w)"),
    ("pinecone-key", "pc", "sk_", r"\w{40,}"),
    ("jina-key", "ji", "na_", r"\w{40,}"),
    ("llamacloud-key", "ll", "x-", r"[A-Za-z0-9]{40,}"),
    ("nvidia-key", "nv", "api-", r"[\w-]{50,}"),
    ("langsmith-key", "ls", "v2_", r"[a-z]{2}_[0-9a-f]{32}_[0-9a-f]{6,}"),
    ("e2b-key", "e2", "b_", r"[0-9a-f]{40}"),
    ("resend-key", "r", "e_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}"),
    ("posthog-key", "ph", "x_", r"[A-Za-z0-9]{32,}"),
    ("clerk-key", "ak", "_live_", r"\w{20,}"),
    ("supabase-token", "sb", "p_", r"[0-9a-z_]{32,}"),
    ("supabase-token", "sb", "_secret_", r"[\w-]{20,}"),
    ("neon-key", "na", "pi_", r"[a-z0-9]{40,}"),
    ("render-key", "rn", "d_", r"[A-Za-z0-9]{28,}"),
    ("npm-token", "np", "m_", r"[A-Za-z0-9]{30,}"),
    ("pypi-token", "pyp", "i-", r"AgE[\w-]{50,}"),
    ("rubygems-key", "ruby", "gems_", r"[0-9a-f]{40,}"),
    ("crates-token", "ci", "o", r"(?=[A-Za-z]*\d)[A-Za-z0-9]{32}(?!\w)"),
    ("nuget-key", "oy", "2", r"[a-z0-9]{43}(?!\w)"),
    ("clojars-token", "CLO", "JARS_", r"[a-z0-9]{60}"),
    ("docker-token", "dckr", "_pat_ _oat_", r"[\w-]{20,}"),
    ("digitalocean-token", "do", "p_v1_ o_v1_ r_v1_", r"[0-9a-f]{40,}"),
    ("netlify-token", "nf", "p_ c_ o_ u_", r"[A-Za-z0-9]{30,}"),
    ("vercel-token", "vc", "p_ k_ i_ a_ r_", r"[A-Za-z0-9]{24,}"),
    ("heroku-key", "HR", "KU-", r"[\w-]{30,}"),
    ("databricks-token", "da", "pi", r"[0-9a-f]{32}(?:-\d)?(?!\w)"),
    ("shopify-token", "shp", "at_ ca_ pa_ ss_", r"[0-9a-fA-F]{32}"),
    ("square-token", "sq0", "atp- csp- idp-", r"[\w-]{22,}"),
    ("paypal-key", "access_token", "$production$", r"[0-9a-z]{16}\$[0-9a-f]{32}"),
    ("razorpay-key", "rzp", "_live_", r"[A-Za-z0-9]{14,}"),
    ("flutterwave-key", "FLW", "SECK", r"(?:_TEST)?-[0-9a-zX-]{12,}"),
    ("shippo-token", "shippo", "_live_ _test_", r"[0-9a-fA-F]{40}"),
    ("easypost-key", "EZ", "AK TK", r"[A-Za-z0-9]{50,}"),
    ("duffel-token", "duf", "fel_", r"(?:test|live)_[\w-]{40,}"),
    ("linear-key", "lin", "_api_ _oauth_", r"[A-Za-z0-9]{32,}"),
    ("notion-token", "nt", "n_", r"[A-Za-z0-9]{40,}"),
    ("notion-token", "sec", "ret_", r"(?=[A-Za-z]*\d)[A-Za-z0-9]{43}(?!\w)"),
    ("figma-token", "fig", "d_", r"[\w-]{32,}"),
    ("airtable-token", "p", "at", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("hubspot-token", "pat", "-", r"(?:na|eu|ap)\d-" + _UUID),
    ("typeform-token", "tf", "p_", r"[\w=.-]{40,}"),
    ("readme-key", "rd", "me_", r"[a-z0-9]{60,}"),
    ("postman-key", "PM", "AK-", r"[0-9a-fA-F]{24}-[0-9a-fA-F]{30,}"),
    ("contentful-token", "CF", "PAT-", r"[\w-]{40,}"),
    ("planetscale-token", "pscale", "_tkn_ _pw_ _oauth_", r"[\w=.-]{30,}"),
    ("tailscale-key", "ts", "key-", r"[\w-]{20,}"),
    ("pulumi-token", "pu", "l-", r"[0-9a-f]{40}"),
    ("grafana-token", "gl", "sa_", r"[A-Za-z0-9]{32}_[0-9a-fA-F]{8}"),
    ("grafana-token", "gl", "c_", r"[\w+/]{32,}={0,2}"),
    ("newrelic-key", "NR", "AK-", r"[A-Z0-9]{24,}"),
    ("newrelic-key", "NR", "II- JS-", r"[\w-]{19,}"),
    ("sentry-token", "snt", "ryu_", r"[0-9a-f]{60,}"),
    ("sentry-token", "snt", "rys_", r"[\w=+/]{60,}"),
    ("honeycomb-key", "hc", "aik_", r"[a-z0-9]{50,}"),
    ("dynatrace-token", "dt", "0c01. 0s01.", r"[A-Z0-9]{24}\.[A-Z0-9]{60,}"),
    ("sonar-token", "sq", "p_ u_ a_", r"[0-9a-f]{40}"),
    ("sourcegraph-token", "sg", "p_", r"(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}"),
    ("buildkite-token", "bk", "ua_", r"[0-9a-f]{40}"),
    ("circleci-token", "CC", "IPAT_", r"\w{40,}"),
    ("prefect-key", "pn", "u_ b_", r"[A-Za-z0-9]{36}"),
    ("octopus-key", "AP", "I-", r"[A-Z0-9]{26}(?!\w)"),
    ("brevo-key", "xkey", "sib-", r"[0-9a-f]{60,}-[A-Za-z0-9]{16}"),
    ("brevo-key", "xsm", "tpsib-", r"[0-9a-f]{60,}-[A-Za-z0-9]{16}"),
    ("mailgun-key", "ke", "y-", r"[0-9a-f]{32}(?!\w)"),
    ("twilio-key", "S", "K", r"[0-9a-f]{32}(?!\w)"),
    ("adafruit-key", "ai", "o_", r"[A-Za-z0-9]{28}(?!\w)"),
    ("alibaba-key-id", "LT", "AI", r"[A-Za-z0-9]{12,26}(?!\w)"),
    ("tencent-key-id", "AK", "ID", r"(?=[A-Za-z]*\d)[A-Za-z0-9]{32}(?!\w)"),
    ("volcengine-key-id", "AK", "LT", r"[\w-]{40,}"),
    ("yandex-key", "AQ", "VN", r"[\w-]{35,}"),
    ("yandex-token", "t1", ".", r"[\w-]+={0,2}\.[\w-]{86}={0,2}"),
    ("jfrog-key", "AK", "Cp", r"[A-Za-z0-9]{60,}"),
    ("jfrog-key", "cm", "Vmd", r"[A-Za-z0-9]{50,}={0,2}"),
    ("adobe-secret", "p8", "e-", r"[A-Za-z0-9]{32}(?!\w)"),
    ("onepassword-key", "A", "3-", r"[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}"),
    ("aws-bedrock-key", "bedrock-", "api-key-", r"[\w+/=-]{40,}"),
    ("clickhouse-key", "4b", "1d", r"(?=[A-Za-z0-9]*[A-Z])[A-Za-z0-9]{38}(?!\w)"),
    ("dnkey", "dn", "key-", r"[\w=-]{60,}"),
    ("frameio-token", "fi", "o-u-", r"[\w=-]{60,}"),
    ("intra42-secret", "s-", "s4t2ud- s4t2af-", r"[0-9a-f]{64}"),
    ("lob-key", "", "live_ test_", r"(?:pub_)?[0-9a-f]{31,35}(?!\w)"),
    ("scalingo-token", "tk", "-us-", r"[\w-]{48}"),
    ("settlemint-token", "sm", "_aat_ _pat_ _sat_", r"[A-Za-z0-9]{16,}"),
    ("twitter-token", "A" * 10, "A" * 12, r"(?=[A-Za-z0-9]*%)[A-Za-z0-9%]{50,}"),
    ("yandex-key", "Y", "C", r"(?=[A-Za-z_-]*\d)[\w-]{38}(?![\w/+-])"),
    ("flyio-token", "fm", "1r_ 1a_", r"[A-Za-z0-9+/=_-]{60,}"),
    ("onepassword-token", "op", "s_", r"eyJ[\w-]{60,}={0,2}"),
    ("openshift-token", "sha256", "~", r"[\w-]{40,}"),
    ("infracost-key", "ic", "o-", r"[A-Za-z0-9]{32}"),
    ("launchdarkly-key", "sd", "k-", _UUID),
    ("launchdarkly-key", "mo", "b-", _UUID),
    ("plaid-token", "access-", "sandbox- development- production-", _UUID),
    ("amazon-mws", "amzn", ".mws.", _UUID),
    ("jwt", "ey", "J", r"[\w-]{10,}\.ey[\w-]{8,}(?:\.[\w-]{8,})?"),
    ("jwt", "ey", "J", r"[\w-]{13,}\.[\w-]{0,700}\.[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}"),
    ("grafana-token", "ey", "JrIjoi", r"[\w+/-]{60,}={0,2}"),
    ("mapbox-token", "sk", ".ey", r"J[\w-]{16,}\.[\w-]{16,}"),
    ("sendgrid-key", "S", "G.", r"[\w-]{16,}\.[\w-]{30,}"),
    ("vault-token", "hv", "s. b. r.", r"[\w-]{20,}"),
    ("doppler-token", "dp", ".pt. .st. .ct. .sa. .scim. .audit.", r"\w{36,}"),
    ("dropbox-token", "sl", ".", r"(?=[A-Za-z_-]*\d)(?:u\.)?[\w-]{60,}"),
    ("harness-token", "", "pat. sat.", r"[\w-]{20,24}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}"),
    ("cloudflare-key", "v1", ".0-", r"[0-9a-f]{24}-[0-9a-f]{146}"),
)
#: Shapes that no run holds whole: a piece, kind, columns before the piece, pattern.
LOOSE: tuple[tuple[str, str, int, str], ...] = (
    ("Q" + "~", "azure-secret", 4, r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}"),
    ("TT" + "3", "atlassian-token", 3, r"AT[AC]TT3[\w=-]{60,}"),
    (
        "fm" + "2_",
        "flyio-token",
        0,
        r"fm2_[A-Za-z0-9+/=_-]{60,}(?:,f[mo]\d_[A-Za-z0-9+/=_-]{20,}){0,4}",
    ),
    ("wh" + "sec_", "webhook-secret", 0, r"whsec_[\w+/-]{20,}={0,2}"),
    ("ABS" + "K", "aws-bedrock-key", 0, r"ABSK[A-Za-z0-9+/]{60,}={0,2}"),
    ("nt" + "Key=", "azure-key", 5, r"AccountKey=[A-Za-z0-9+/]{40,}={0,2}"),
    ("ss" + "Key=", "azure-key", 4, r"AccessKey=[A-Za-z0-9+/]{40,}={0,2}"),
)
#: Prefixes that say enough to be known behind a letter; joints are `_inside`'s.
GLUED: tuple[tuple[str, str, int, str], ...] = tuple(
    (prefix, kind, 0, rf"(?<![_-]){prefix}" + body)
    for kind, prefix, body in (
        *(("github-token", f"gh{one}_", r"[A-Za-z0-9]{36}") for one in "pousr"),
        ("github-token", "github" + "_pat_", r"\w{50,}"),
        ("gitlab-token", "gl" + "pat-", r"[\w-]{20,}(?:\.[\w-]{2,12}){0,3}"),
        ("anthropic-key", "sk" + "-ant-", r"[a-z]{2,8}\d\d-[\w-]{40,}"),
        ("openai-key", "sk" + "-proj-", r"[\w-]{60,}"),
        ("stripe-key", "sk" + "_live_", r"[A-Za-z0-9]{24,}"),
        ("slack-token", "xo" + "xb-", r"\d{9,}-[\w-]{20,}"),
        ("slack-token", "xo" + "xp-", r"\d{9,}-[\w-]{20,}"),
    )
)


def find_shapes(soft: str) -> Iterator[Found]:
    """Yield every self-identifying credential of the softened text."""
    heads, tails, digits = _heads(), tuple(_tails()), _digits().search
    for match in _runs().finditer(soft):
        run, start = match[0], match.start()
        before = soft[start - 1] if start else ""
        rules = heads.get(run[:2])
        found = None
        if before in _SIGNS and before:
            found = _after_tail(soft, start, tails)
        if rules and not found:
            found = _first(soft, start, rules)
        if not found and digits(run):
            found = _unlisted(soft, start, run)
        if not found and run[0] in "MNO" and soft.startswith(".", match.end()):
            found = _bot(soft, start)
        if found:
            yield found
    for piece, kind, back, pattern in (*LOOSE, *GLUED):
        at = soft.find(piece)
        while at >= 0:
            whole = compiled(pattern).match(soft, max(0, at - back))
            if whole and is_real(whole[0]):
                yield *whole.span(), kind
            at = soft.find(piece, at + len(piece))


def _first(soft: str, at: int, rules: tuple[Rule, ...]) -> Found | None:
    """Return what the first fitting rule finds at `at`."""
    for kind, prefix, pattern in rules:
        if soft.startswith(prefix, at):
            match = compiled(pattern).match(soft, at + len(prefix))
            if match and is_real(match[0]):
                return at, match.end(), kind
    return None


def _after_tail(soft: str, start: int, tails: tuple[str, ...]) -> Found | None:
    """Return the shape whose prefix ends in a sign just before the run."""
    before = soft[max(0, start - 26) : start]
    if before.endswith(tails):
        for tail, rules in _tails().items():
            at = start - len(tail)
            found = before.endswith(tail) and _first(soft, at, rules)
            if found and not (at and soft[at - 1].isascii() and soft[at - 1].isalnum()):
                return found
    if before.endswith((":", ".atlasv1.")):
        for kind, pattern in _BEHIND:
            match = compiled(pattern).search(soft, max(0, start - 26), start + 200)
            if match and match.start() < start < match.end():
                return *match.span(), kind
    return None


def _inside(soft: str, start: int, run: str) -> Found | None:
    """Return the shape behind what is glued to it: ``%3D``, ``my-project_``."""
    starts = [m.end() for m in _glue().finditer(soft, start, start + len(run))]
    if start and soft[start - 1] == "%":
        starts.append(start + 2)
    for at in starts:
        glue = soft[start:at]
        mixed = glue.lower() != glue != glue.upper()
        if mixed and (len(glue) < 6 or rarity(glue) > 0.4):
            continue  # The middle of something drawn, not a word that was joined on.
        found = _first(soft, at, _heads().get(soft[at : at + 2], ()))
        if found:
            return found
    return None


def _bot(soft: str, start: int) -> Found | None:
    match = compiled(r"[\w-]{23,28}\.[\w-]{6}\.[\w-]{26,}").match(soft, start)
    return (start, match.end(), "discord-token") if match else None


def _unlisted(soft: str, start: int, run: str) -> Found | None:
    """Return a shape behind glue, or of a vendor that nobody listed."""
    if run[8:9] == "-" == run[13:14] or run.startswith(_IDS):
        return None
    if "_" in run or "-" in run or soft[start - 1 : start] == "%":
        found = _inside(soft, start, run) or _of_unknown(start, run)
        if found:
            return found
    named = len(run) >= 20 and soft[max(0, start - 5) : start].rstrip("\"'` ")[-1:]
    return _of_vendor(soft, start, run) if named in (":", "=") else None


def _of_unknown(start: int, run: str) -> Found | None:
    """Return the ``sk_…`` and ``…_pat_…`` of vendors that nobody listed."""
    if run[32:35] == "-us" and compiled(r"[0-9a-f]{32}-us\d{1,2}").fullmatch(run):
        return start, start + len(run), "mailchimp-key"
    if len(run) < 23 or not _hint().search(run):
        return None
    match = _vendor().fullmatch(run)
    if match and is_random(match[1]) and not match[1].isdigit():
        return start, start + len(run), "api-key"
    return None


def _of_vendor(soft: str, start: int, run: str) -> Found | None:
    """Return the drawn value of a name that holds but a vendor's: ``ALGOLIA=…``."""
    match = _naming().search(soft, max(0, start - 48), start)
    words = split_words(match[1]) if match else []
    if not any(w in VENDORS for w in words) or any(w in ABOUT for w in words):
        return None
    if _hash().fullmatch(run) or not is_random(run):
        return None
    return start, start + len(run), "key"


def is_real(body: str) -> bool:
    """Whether what follows a prefix was drawn, not typed as an example."""
    if len(set(body)) < 6 or is_placeholder(body):
        return False
    if body.islower() and "-" in body and is_technical(body):
        return False
    if any(c.isdigit() for c in body):
        return True
    return body.lower() != body != body.upper() or rarity(body) > 0.25


@lru_cache(maxsize=1)
def _rules() -> tuple[Rule, ...]:
    return tuple(
        (kind, begin + rest, pattern)
        for kind, begin, rests, pattern in TABLE
        for rest in rests.split(" ")
    )


@lru_cache(maxsize=1)
def _heads() -> dict[str, tuple[Rule, ...]]:
    """Return the rules by the first two characters of the run they open."""
    heads: dict[str, tuple[Rule, ...]] = {}
    for rule in _rules():
        heads[rule[1][:2]] = (*heads.get(rule[1][:2], ()), rule)
    return heads


@lru_cache(maxsize=1)
def _tails() -> dict[str, tuple[Rule, ...]]:
    """Return the rules whose prefix ends outside the run that follows it."""
    tails: dict[str, tuple[Rule, ...]] = {}
    for rule in _rules():
        stem = rule[1].rstrip(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
        )
        if stem:
            tails[stem] = (*tails.get(stem, ()), rule)
    return tails


@lru_cache(maxsize=1)
def _vendor() -> re.Pattern[str]:
    return re.compile(
        r"(?:[a-z0-9]{2,12}[_-]){0,2}(?:sk|rk|pat|apikey|api[_-]key|secret|accesskey"
        r"|authtoken|access[_-]token|token|live|oat|sat)[_-](?:[a-z0-9]{2,8}[_-]){0,2}"
        r"([A-Za-z0-9]{20,})"
    )


@lru_cache(maxsize=1)
def _naming() -> re.Pattern[str]:
    """Return a name and the sign before its value."""
    return re.compile(
        r"([A-Za-z][\w.-]{1,40})[\"'`]?\s{0,3}(?::=|=>|[:=])\s{0,3}[\"'`]?$", re.ASCII
    )


def _hash() -> re.Pattern[str]:
    return compiled(r"[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{7,16}")


def _runs() -> re.Pattern[str]:
    return compiled(r"[A-Za-z0-9_-]{16,}")


def _digits() -> re.Pattern[str]:
    return compiled(r"\d")


@lru_cache(maxsize=1)
def _glue() -> re.Pattern[str]:
    """Return a joint before the beginning of a prefix, found without a loop."""
    return re.compile("[_-](?=" + "|".join(map(re.escape, _heads())) + ")")


def _hint() -> re.Pattern[str]:
    return compiled(r"(?:sk|rk|pat|key|secret|token|live|[os]at)[_-]")
