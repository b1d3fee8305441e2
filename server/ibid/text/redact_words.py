"""The words by which names and values are read: data for the redaction rules (E2)."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """Return the words of `text` as a set."""
    return frozenset(text.split())


#: Words that fill a credential's place without being one, in examples and in code.
GENERIC = word_set(
    """
    a access account admin administrator alice an and any api apikey app
    application are arg args argument auth authentication authorization aws
    azure backup bad bar base basic baz bearer before bob bot by change changed
    changeme check claude client code config confirm confirmation cookie correct
    count create credential credentials csrf current custom data database db
    deadbeef default demo deploy description dev development disabled dummy
    email empty enable enabled encrypted enter env error example expired expires
    extra fake false field file first fixme foo for forgot form format from
    generate generated get github gitlab go good google guest has hash hello
    here hidden host id if image in incorrect info input insert int invalid is
    item itself key keys label last length level list local localhost long main
    manager masked max me message min missing mock model must my mysql name new
    nil no none not null object old omitted on openai option optional or our
    param params pass passphrase passwd password passwords path per placeholder
    please postgres prod production profile project prompt protected provider
    public put pwd query random redacted redis refresh remove removed replace
    request required reset response result role root sample sandbox save secret
    secrets secure see server service session set setting settings short should
    show sign signature signed simple some staging state status str string
    strong super system tbd temp test tested tester testing tests text that the
    them this time tmp to todo token tokens true type undefined unknown unset
    update url use user username users val valid value values var variable vault
    verify version very was weak web with world wrong x xxx y yes you your z
    """
)
#: Words by which an identifier speaks of a credential that stands elsewhere.
REFERRING = word_set(
    """
    api auth config cred credential credentials creds data env field form input
    key login new old param pass passphrase passwd password pwd secret session
    settings test token user username value var
    """
)
#: Words of sentences, which no passphrase holds.
SENTENCE = word_set(
    """
    a about after all also an and any are at be been before but can cannot
    characters chars contain contains did digits do does either else empty enter
    every expired fail failed fails for from had has have he her his how if in
    incorrect into invalid is its least less letters longer match matches may
    missing more most must my need needs never no not now of off on once only or
    other our out over own passphrase password please rather required same seem
    she shorter should since so still such than that the their them then there
    these they this those through to token too under until up us using was we
    were what when where which while who why will with without would wrong you
    your
    """
)
#: Words that make a key one that opens something.
OPENING = word_set(
    """
    access account admin aes api app auth authentication authorization bot
    client consumer cookie credential decrypt decryption deploy deployment dev
    dsa ec ecdsa ed25519 encrypt encryption functions hmac integration internal
    jwt licence license login machine management master merchant mfa oauth
    openai opensearch partner preshared privat private prod production rails
    recovery root rsa sas secret secure security server service session shared
    sign signature signing ssh ssl storage subscription sudo system tls totp
    user vault wallet webhook wg write x
    """
)
#: Words after which a name speaks about a credential instead of carrying one.
ABOUT = word_set(
    """
    action actions address age alg algo algorithm algorithms alias allowed
    amount api arg args argument arn array attempts attr attribute audience
    available backend bits blacklist block bucket budget button bytes cache
    callback change changed char chars check claim claims class cls cmd column
    component confirm confirmed context cost count counter counts created
    creation date default derivation description dialog dict dir directory
    disabled display dto duration embedding embeddings empty enable enabled
    encoder encoding endpoint enum env error errors event exchange exists exp
    expiration expire expired expires expiry exporter factory failed field
    fields file filename files filter flag flow folder forgot form format found
    func function generate generated generation generator getter grant group
    guard handler handlers hash hashed hasher hashes hashing header headers
    helper hint history icon id identifier ids idx image index info input inputs
    introspection invalid is issuer item kind label language last layout leak
    len length lengths level lifetime limit limiter limits link list listener
    loader location log logger manager map mapping mask match matches max
    message metadata method min missing modal mode model module mount msg name
    named names namespace need needed notice num number object offset option
    optional options owner page pairs param parameter params parse parser path
    paths pattern per permission permissions placeholder plugin policies policy
    pool position prefix price prompt property props provider providers question
    quota range rate ratio read reader recovery ref reference refresh regex
    region remaining renewal repo repository request required requirement
    requirements reset resolver response result ring rotate rotated rotation
    route rule rules safe scanner scanning schema scheme scope scopes screen
    section selector sent service set setter settings setup show size sizes
    source spec splitter start state stats status storage store str strategy
    stream strength strict style submit suffix support switch tab table tag
    target temp template term test tests text time timeout timestamp title
    toggle tracker ttl type types ui update updated uri url urls usage use used
    user users valid validate validation validator validators value valuefrom
    var variable verification verified verify version view visibility visible
    vocab warning window with wrapper
    """
)
#: Words that change nothing about what a name carries.
NEUTRAL = word_set(
    """
    admin again alice app auth aws azure b64 backup base base64 bob client
    confirmation current data db dev development enc encoded encrypted external
    final first for gcp hex internal key live local main master my new old one
    original pk plain plaintext primary prod production raw real repeat root
    second secondary sha staging stg string svc two v v1 v2 v3 value
    """
)
#: Words that make a token a cursor, a count or a piece of a language.
CURSORS = word_set(
    """
    audio bos budget cache cached cancel cancellation cls comment completion
    context continuation current delta design end eos estimated first
    idempotency idempotent identifier image input keyword last lex lexer lock
    mask max mention min next num operator output pad page pagination paging
    parse per prev previous prompt public punctuation reasoning remaining resume
    scroll sep sequence special start stop sync syntax text thinking tool total
    unk used whitespace word
    """
)
#: Words of functions that take something else than the credential they name.
READING = word_set(
    """
    build count create decode delete describe encode estimate expect fetch find
    generate get has is it load log lookup make new parse print read refresh
    remove require resolve revoke split t test translate use validate verify
    """
)
#: Words that make a key one that opens nothing.
CLOSED = word_set(
    """
    anon arrow block bucket cache category child column composite config data
    dedup dedupe dict edge entry event feature field file flag foreign group
    hash hot i18n idempotency index item json known layer locale lookup map
    measurement menu message metric natural node object order parent partition
    path pk primary prop pub public publishable query range react redis registry
    route routing row schema search section shortcut site socket sort sorting
    state storage store style surrogate tab theme translation unique view
    """
)
#: Vendors whose bare name beside a drawn value announces a credential.
VENDORS = word_set(
    """
    adafruit airtable algolia alibaba aliyun amplitude anthropic artifactory
    asana auth0 beamer bitbucket bittrex cloudflare codecov cohere coinbase
    confluent contentful datadog dataiku deepgram discord droneci dropbox
    elevenlabs etsy fastly finicity finnhub flickr freshbooks gitter gocardless
    grafana heroku honeycomb hubspot intercom jfrog kraken kucoin launchdarkly
    linear linkedin mailchimp mailgun mapbox mattermost meraki messagebird
    mistral mixpanel netlify newrelic nytimes okta openai openweather pagerduty
    pinecone plaid postmark pusher rapidapi segment sendbird sendgrid sentry
    shopify sidekiq snyk sonar squarespace stripe sumologic tencent travis
    travisci trello twilio twitch twitter typeform vonage yandex zendesk zoom
    """
)
#: Pieces of a value that ask for it to be filled in, or say that it was taken out.
ASKING = (
    "example", "changeme", "change-me", "change_me", "placeholder", "redacted", "dummy",
    "replace", "insert", "****", "...", "\u2026",
)  # fmt: skip
#: How the names of files and hosts end.
ENDINGS = (
    ".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".env", ".txt", ".md",
    ".py", ".pyi", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".go", ".rs", ".rb",
    ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".cs", ".php", ".sh", ".bash", ".zsh",
    ".sql", ".html", ".css", ".xml", ".csv", ".log", ".lock", ".pem", ".crt", ".cer",
    ".key", ".pub", ".p12", ".pfx", ".jks", ".gpg", ".asc", ".kdbx", ".db", ".sqlite",
    ".tf", ".tfvars", ".vue", ".svelte", ".swift", ".com", ".org", ".net", ".io",
    ".dev",
)  # fmt: skip
#: The letters that often follow each letter in English and in identifiers.
FOLLOWS = {
    "a": "bcdfgiklmnprstuvxy", "b": "aceilorsu", "c": "acehiklorstu",
    "d": "adeilorstu", "e": "abcdefgilmnopqrstvwxy", "f": "aefilorstu",
    "g": "aehilnorsu", "h": "aeiort", "i": "abcdefglmnoprstvxz", "j": "aeou",
    "k": "aeis", "l": "adeilopstuy", "m": "abeilmopsu", "n": "acdefgiklnostuv",
    "o": "abcdfgiklmnoprstuvw", "p": "aehiloprstuy", "q": "u",
    "r": "acdefgiklmnoprstuvy", "s": "acehiklmopstuy", "t": "acdefhilmoprstuwy",
    "u": "abcdefgilmnprst", "v": "aeio", "w": "aehior", "x": "aceipt", "y": "epst",
    "z": "aeo",
}  # fmt: skip
