--- The net, a replay and the doctor: what is told, and that each key asks for one thing.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
local fake = dofile(vim.fs.joinpath(t.here, 'fake.lua'))
t.load()
vim.lsp.config('ibid', { cmd = fake.cmd })

local root = t.project()

local BAD = '\27[31m\u{202e}x\u{200b}\ny'

local function start()
  fake.reset()
  fake.answers['workspace/textDocumentContent'] = function(params)
    return { text = '# ' .. params.uri }
  end
  t.write(root .. '/src/a.py', 'x\n')
  vim.cmd.edit(root .. '/src/a.py')
end

---@param method string
---@param result table
local function answer(method, result)
  fake.answers[method] = function()
    return result
  end
end

local function bar()
  return vim.api.nvim_eval_statusline(vim.wo.winbar, { use_winbar = true, maxwidth = 200 }).str
end

--- The line of the list that contains a text.
---@param part string
---@return string
local function line_with(part)
  t.shows(part)
  t.go_to(part)
  return vim.api.nvim_get_current_line()
end

---@param over? table
local function net(over)
  return vim.tbl_extend('force', {
    role = 'claude-code',
    feature = 'stub',
    gross = 1840,
    bounced = 310,
    cost = 96,
    net = 1434,
    unknown = false,
    samples = 41,
    state = 'on',
    reason = '',
  }, over or {})
end

local DEMOTED = {
  feature = 'delta',
  gross = 420,
  bounced = 380,
  cost = 510,
  net = -470,
  samples = 38,
  state = 'demoted',
  reason = 'with 95 % confidence below zero',
  lower = -21.5,
}

---@param over? table
local function report(over)
  local hint = { feature = 'hint', gross = 0, bounced = 0, cost = 2100, net = -2100 }
  local result = {
    roles = {
      net(),
      net(vim.tbl_extend('force', hint, { unknown = true, samples = 30 })),
      net(vim.tbl_extend('force', DEMOTED, { role = 'codex' })),
    },
    estimator = 'fitted-1',
  }
  return vim.tbl_extend('force', result, over or {})
end

---@param over? table
local function open_report(over)
  start()
  answer('ibid/report', report(over))
  vim.cmd('Ibid report')
  t.shows('claude-code')
end

t.test('the net says gross, bounced, cost and samples by role and feature', function()
  open_report()
  t.eq(vim.api.nvim_buf_get_lines(0, 0, 1, false), { 'claude-code' })
  local stub = line_with('stub')
  t.has(stub, '● stub       net +1,434')
  t.has(stub, 'gross 1,840 · bounced −310 · cost 96 · n=41')
  local hint = line_with('hint')
  t.has(hint, 'saving unknown')
  t.has(hint, 'cost 2,100 · n=30')
  t.lacks(hint, 'gross')
  t.has(bar(), 'Net · tokens, estimated by fitted-1')
end)

t.test('the bars compare what is known, and only that', function()
  open_report()
  local function length(part, char)
    return select(2, line_with(part):gsub(char, ''))
  end
  t.eq(length('stub', '█'), 16)
  t.eq(length('delta', '░'), 5)
  t.eq(length('hint', '█') + length('hint', '░'), 0)
end)

t.test('a figure near nothing still has a bar, nothing has none', function()
  local drawn = require('ibid.report').bar
  t.eq(vim.trim(drawn(1, 100000)[1]), '█')
  t.eq(vim.trim(drawn(0, 100)[1]), '')
  t.eq(vim.trim(drawn(0, 0)[1]), '')
  t.eq(vim.trim(drawn(-5, 100000)[1]), '░')
end)

t.test('what was switched off says why and since when, and e turns it on again', function()
  open_report()
  local at = require('ibid.text').now() - 7200000
  answer('ibid/report', report({ roles = { net(vim.tbl_extend('force', DEMOTED, { at = at })) } }))
  t.press('R')
  t.shows('since 2 h ago')
  t.has(line_with('✕ delta'), 'at least −22 a sample')
  t.has(
    line_with('demoted'),
    'demoted · since 2 h ago · with 95 % confidence below zero · e turns it on again'
  )
  fake.calls = {}
  fake.answers['ibid/report'] = function(params)
    local state = params.enable and 'on' or 'demoted'
    local changed = { state = state, reason = 'turned on by a person' }
    return report({ roles = { net(vim.tbl_extend('force', DEMOTED, changed)) } })
  end
  t.press('e')
  t.said('delta for claude-code is on again')
  local asked = { enable = 'delta', role = 'claude-code', project = root }
  t.eq(fake.asked('ibid/report')[1], asked)
end)

t.test('what the control group tells is said with its bounds', function()
  local compared = { given = 40, withheld = 12, saved = 400, net = 210, low = -30.4, high = 450 }
  open_report({ roles = { net({ estimate = compared }), net({ role = '', feature = 'hint' }) } })
  t.has(
    t.text(),
    'by control group net +210 a session, −30 to +450 (40 sessions with, 12 without)'
  )
  t.has(t.text(), 'agents without a name')
end)

t.test('e on what is on asks for nothing', function()
  open_report()
  t.go_to('stub')
  fake.calls = {}
  t.press('e')
  t.said('only what was switched off')
  t.eq(fake.asked('ibid/report'), {})
end)

t.test('an older server, which ignores the wish, is told from a newer one', function()
  open_report()
  t.go_to('delta')
  t.press('e')
  t.said('delta for codex is still off')
end)

t.test('days are summed over roles, the newest first', function()
  start()
  local day = { day = '2026-11-29', role = 'codex', feature = 'stub', gross = 900, bounced = 100 }
  answer(
    'ibid/report',
    report({
      control = 5,
      days = {
        vim.tbl_extend('force', day, { cost = 50 }),
        vim.tbl_extend('force', day, { role = 'claude-code', cost = 150 }),
        vim.tbl_extend('force', day, { day = '2026-11-30', gross = 0, bounced = 0, cost = 300 }),
      },
    })
  )
  vim.cmd('Ibid report 7')
  t.shows('All roles, by day')
  t.has(line_with('2026-11-29'), 'net +1,400')
  t.has(line_with('2026-11-29'), 'saved 1,600 · cost 200')
  t.has(line_with('2026-11-30'), 'net −300')
  t.ok(t.text():find('2026-11-30', 1, true) < t.text():find('2026-11-29', 1, true), 'order')
  t.has(bar(), 'control group 5 %')
  t.eq(fake.asked('ibid/report'), { { days = 7, project = root } })
  t.go_to('2026-11-29')
  t.press('e')
  t.eq(t.messages, {})
end)

t.test('a memory that did nothing yet says what counts', function()
  start()
  answer('ibid/report', { roles = {}, estimator = 'fitted-1' })
  vim.cmd('Ibid report')
  t.shows('Nothing was given to an agent or withheld yet.')
end)

t.test('numbers are grouped and signed', function()
  local text = require('ibid.text')
  t.eq(text.number(0), '0')
  t.eq(text.number(999), '999')
  t.eq(text.number(1234567), '1,234,567')
  t.eq(text.number(-123456), '−123,456')
  t.eq({ text.signed(5), text.signed(0), text.signed(-5) }, { '+5', '0', '−5' })
end)

---@param over? table
local function replay_line(over)
  return vim.tbl_extend('force', {
    role = '',
    feature = 'stub',
    samples = 41,
    sessions = 9,
    gross = 1840,
    bounced = 310,
    cost = 96,
    net = 1434,
    most = 0,
    unknown = false,
    interval = { 900, 1800 },
    carried = { gross = 18400, bounced = 3100, cost = 960, net = 14340, most = 0 },
    items = { sent = 0, used = 0, found = 0, unused = 0, untold = 0 },
  }, over or {})
end

---@param over? table
local function replayed(over)
  local block = replay_line({
    feature = 'block',
    gross = 0,
    bounced = 0,
    cost = 2100,
    net = -2100,
    unknown = true,
    interval = nil,
    items = { sent = 12, used = 4, found = 3, unused = 5, untold = 0 },
  })
  block.interval = nil
  return vim.tbl_extend('force', {
    files = 9,
    projects = 1,
    sessions = 9,
    from = 0,
    to = 86400000,
    features = { replay_line(), block },
    roles = { replay_line({ role = 'codex' }) },
    rows = {
      {
        session = 'sess-7',
        agent = 'codex',
        role = 'codex',
        project = root,
        at = require('ibid.text').now() - 300000,
        prompts = 3,
        reads = 20,
        requests = 31,
        features = { replay_line(), block },
      },
    },
    held = {},
    estimator = 'fitted-1',
    interval = '95 % bootstrap',
    bytes = 1000,
    seconds = 1.5,
    problems = { 'red.jsonl could not be read.' },
  }, over or {})
end

t.test(':Ibid replay says what memory would have cost and saved', function()
  start()
  answer('ibid/replay', replayed())
  vim.cmd('Ibid replay')
  t.shows('9 sessions of 1 project')
  t.has(t.text(), 'estimated by fitted-1')
  t.has(t.text(), 'red.jsonl could not be read.')
  t.has(t.text(), 'All roles')
  t.has(line_with('stub'), 'net +1,434')
  t.has(t.text(), 'with 95 % confidence +900 to +1,800')
  t.has(t.text(), 'with each request that carries it +14,340')
  t.has(line_with('block'), 'saving unknown')
  t.has(t.text(), 'used 4 of 12 items, 3 found without')
  t.has(line_with('sess-7'), '5 min ago · 3 prompts · 20 reads · 31 requests · net −666')
  t.press('<CR>')
  t.shows('# ibid://turn/sess-7/1')
end)

t.test('a replay of named transcripts shows its progress and can be cancelled', function()
  start()
  fake.answers['ibid/replay'] = fake.SILENCE
  vim.cmd('Ibid replay ' .. root .. '/a\\ b.jsonl ' .. root .. '/c')
  local params = t.wait('the request', function()
    return fake.asked('ibid/replay')[1]
  end)
  t.eq(params.paths, { root .. '/a b.jsonl', root .. '/c' })
  for _, value in ipairs({
    { kind = 'begin', title = 'Replay', percentage = 0 },
    { kind = 'report', percentage = 40 },
  }) do
    fake.notify('$/progress', { token = params.workDoneToken, value = value })
  end
  t.wait('progress in the status line', function()
    return require('ibid').statusline():find('Replay 40 %', 1, true)
  end)
  vim.cmd('Ibid! replay')
  t.wait('a cancellation', function()
    return #fake.asked('$/cancelRequest') == 1
  end)
end)

t.test('a replay that is asked for again, or whose buffer goes, is not left running', function()
  start()
  fake.answers['ibid/replay'] = fake.SILENCE
  vim.cmd('Ibid replay')
  t.press('R')
  t.wait('the first is cancelled', function()
    return #fake.asked('ibid/replay') == 2 and #fake.asked('$/cancelRequest') == 1
  end)
  vim.cmd('bwipeout!')
  t.wait('the second is cancelled', function()
    return #fake.asked('$/cancelRequest') == 2
  end)
end)

t.test('an older server, or no past session, says so', function()
  start()
  vim.cmd('Ibid replay')
  t.shows('no such method')
  answer('ibid/replay', replayed({ sessions = 0, features = {}, roles = {}, rows = {} }))
  t.press('R')
  t.shows('No past session was found.')
  fake.calls = {}
  vim.cmd('Ibid! replay')
  t.said('no replay runs here')
end)

local function diagnosis()
  return {
    ok = false,
    versions = { ibid = '0.1.0', sqlite = '3.53.4' },
    checks = {
      { name = 'database', state = 'ok', message = 'The store is sound.', next = '' },
      { name = 'agent', state = 'warn', message = 'codex: not set up.', next = 'ibid setup codex' },
    },
    agents = {
      {
        agent = 'claude-code',
        found = true,
        version = '2.1.0',
        installed = true,
        state = 'working',
        events = { Stop = require('ibid.text').now() - 300000 },
      },
      { agent = 'codex', found = false, installed = false, state = 'absent', events = {} },
    },
    rivals = {
      {
        rival = 'cavemem',
        state = 'active',
        what = 'hook UserPromptSubmit',
        where = '~/.claude/settings.json',
        next = 'remove the hook',
      },
    },
    expiring = { { agent = 'claude-code', days = 30, sessions = 12, soon = 3, kept = 1 } },
    footprint = 631,
  }
end

t.test('the doctor says what is well, what is not, and what to do', function()
  start()
  answer('ibid/doctor', diagnosis())
  vim.cmd('Ibid doctor')
  t.shows('Checks')
  t.has(bar(), 'Doctor · something needs you')
  t.has(t.text(), 'ibid 0.1.0 · sqlite 3.53.4')
  t.has(t.text(), '✓ database      The store is sound.')
  t.has(t.text(), '! agent         codex: not set up.')
  t.has(t.text(), '→ ibid setup codex')
  t.has(t.text(), '✓ claude-code   working · 2.1.0 · set up · last heard 5 min ago')
  t.has(t.text(), '· codex         absent · not found')
  t.has(t.text(), '✕ cavemem       active: hook UserPromptSubmit in ~/.claude/settings.json')
  t.has(t.text(), '! claude-code   after 30 days · 12 sessions, 3 soon, 1 kept here')
end)

t.test('what to do is yanked, a rival is allowed only after asking', function()
  start()
  answer('ibid/doctor', diagnosis())
  vim.cmd('Ibid doctor')
  t.shows('Checks')
  t.go_to('codex: not set up')
  t.press('"cy')
  t.eq(vim.fn.getreg('c'), 'ibid setup codex')
  t.press('a')
  t.said('no active memory of others is on this line')
  fake.calls = {}
  t.go_to('cavemem')
  t.choose('Keep it')
  t.press('a')
  t.eq(fake.asked('ibid/doctor'), {})
  t.choose('Allow it')
  t.press('a')
  t.said('cavemem is allowed, on the record')
  t.eq(fake.asked('ibid/doctor')[1], { allow = 'cavemem', project = root })
end)

t.test('the doctor may take longer than other requests', function()
  vim.g.ibid = { timeout = 30 }
  start()
  fake.answers['ibid/doctor'] = function()
    vim.wait(80)
    return diagnosis()
  end
  vim.cmd('Ibid doctor')
  t.shows('Checks')
  vim.g.ibid = nil
end)

t.test('hostile text in these lists is inert', function()
  start()
  local line = net({ role = BAD, feature = BAD, state = BAD, reason = BAD, at = 0 })
  local day = { day = BAD, role = BAD, feature = BAD, gross = 1, bounced = 0, cost = 0 }
  answer('ibid/report', { roles = { line }, estimator = BAD, days = { day } })
  answer('ibid/doctor', {
    ok = true,
    versions = { [BAD] = BAD },
    checks = { { name = BAD, state = BAD, message = BAD, next = BAD } },
    agents = { { agent = BAD, version = BAD, state = BAD, events = { [BAD] = BAD } } },
    rivals = { { rival = BAD, state = 'active', what = BAD, where = BAD, next = BAD } },
    expiring = { { agent = BAD, sessions = 1 } },
  })
  local bad = replay_line({ role = BAD, feature = BAD })
  answer('ibid/replay', replayed({ roles = { bad }, estimator = BAD, problems = { BAD } }))
  for _, command in ipairs({ 'report', 'doctor', 'replay' }) do
    vim.cmd('Ibid ' .. command)
    t.shows('␛[31m<202e>x<200b> ↵ y')
    for _, char in ipairs({ '\27', '\u{202e}', '\u{200b}' }) do
      t.lacks(t.text(), char)
      t.lacks(bar(), char)
    end
  end
end)

t.test('a slow server and a dead one are named in these lists', function()
  start()
  vim.g.ibid = { timeout = 50 }
  fake.answers['ibid/report'] = fake.SILENCE
  vim.cmd('Ibid report')
  t.shows('no answer to ibid/report')
  vim.g.ibid = nil
  fake.die(1, 0)
  t.said('the server stopped')
  for _, command in ipairs({ 'report', 'doctor', 'replay' }) do
    vim.cmd('Ibid ' .. command)
    t.press('R')
    t.shows(':Ibid restart starts it again')
  end
end)

t.finish()
