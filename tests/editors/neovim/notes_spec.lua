--- The notes, and the lists beside them: receipts, sessions, switches.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
local fake = dofile(vim.fs.joinpath(t.here, 'fake.lua'))
t.load()
vim.lsp.config('ibid', { cmd = fake.cmd })

local root = t.project()

--- Opens a list whose method answers `result`.
---@param command string
---@param method string
---@param result table
local function open(command, method, result)
  fake.reset()
  fake.answers[method] = function()
    return result
  end
  fake.answers['workspace/textDocumentContent'] = function(params)
    return { text = '# ' .. params.uri }
  end
  vim.cmd.edit(root .. '/a.txt')
  vim.cmd(command)
  t.wait('an answer', function()
    return not t.text():find('Asking', 1, true)
  end)
end

---@param notes ibid.Note[]
---@param counts? table
local function open_notes(notes, counts)
  local result = { notes = notes, total = #notes, counts = counts or {} }
  open('Ibid notes', 'ibid/note/list', result)
end

---@param method string
---@param result? table
local function answer(method, result)
  fake.answers[method] = function(params)
    return result or fake.note(params)
  end
end

local function bar()
  return vim.api.nvim_eval_statusline(vim.wo.winbar, { use_winbar = true, maxwidth = 200 }).str
end

---@param method string
---@param params table
local function asked(method, params)
  t.eq(fake.asked(method), { vim.tbl_extend('force', { project = root }, params) })
end

t.test('a note says its state, its source, its use and its places', function()
  open_notes({
    fake.note({
      pinned = true,
      uses = 4,
      used = require('ibid.text').now() - 7200000,
      tags = { 'gotcha' },
      sources = {
        { session = 's', turn = 3, title = 'where is the ledger', agent = 'codex' },
        { session = 's', turn = 5 },
      },
      anchors = {
        { path = 'src/ledger.py', symbol = 'append', state = 'changed' },
        { path = 'README.md', state = 'fresh' },
      },
    }),
  })
  local shown = t.text()
  t.has(shown, '● decision   The ledger is append-only. #gotcha')
  t.has(shown, 'n-1aa · turn 3 of “where is the ledger” · codex · and 1 more')
  t.has(shown, 'used 4 times, last 2 h ago')
  t.has(shown, 'src/ledger.py:append (changed) · README.md')
end)

t.test('forgotten and quarantined notes are told apart', function()
  open_notes({
    fake.note({ id = 'n-f', active = false, state = 'forgotten' }),
    fake.note({ id = 'n-q', state = 'quarantined', conflicts = 'n-1', taint = true }),
  })
  t.has(t.text(), '✕ decision')
  t.has(t.text(), 'n-f · forgotten')
  t.has(t.text(), '! decision')
  t.has(t.text(), 'contradicts n-1 · repeats text from outside')
end)

t.test('without notes it says how one comes to be', function()
  open_notes({})
  t.has(t.text(), ':Ibid add TEXT')
end)

t.test('c corrects with the version it was read at', function()
  open_notes({ fake.note({ version = 8 }) })
  answer('ibid/note/correct', fake.note({ id = 'n-2bb', pinned = true }))
  t.press('c')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'The ledger may be compacted.' })
  vim.cmd.write()
  t.has(t.said('corrected').text, 'n-2bb')
  asked('ibid/note/correct', { id = 'n-1aa', text = 'The ledger may be compacted.', version = 8 })
end)

t.test('p pins what is not pinned and unpins what is', function()
  open_notes({ fake.note(), fake.note({ id = 'n-2bb', pinned = true }) })
  answer('ibid/note/pin')
  answer('ibid/note/unpin')
  t.press('p')
  t.said('Ibid: pinned')
  t.press('jjp')
  t.said('no longer pinned')
  asked('ibid/note/pin', { id = 'n-1aa' })
  asked('ibid/note/unpin', { id = 'n-2bb' })
end)

t.test('T says that a note is still true', function()
  open_notes({ fake.note({ anchors = { { path = 'a.py', state = 'changed' } } }) })
  answer('ibid/note/confirm', fake.note())
  t.press('T')
  t.said('still true: “The ledger is append-only.”')
  asked('ibid/note/confirm', { id = 'n-1aa' })
end)

t.test('f forgets and says the way back, u goes it', function()
  open_notes({ fake.note() })
  answer('ibid/note/forget', fake.note({ active = false, state = 'forgotten' }))
  answer('ibid/note/restore', fake.note())
  t.press('f')
  t.has(t.said('forgotten “The ledger').text, ':Ibid restore n-1aa')
  t.press('u')
  t.said('restored')
  asked('ibid/note/restore', { id = 'n-1aa' })
end)

t.test('u on a forgotten row restores that one', function()
  open_notes({ fake.note({ id = 'n-old', active = false, state = 'forgotten' }) })
  answer('ibid/note/restore', fake.note())
  t.press('u')
  t.said('restored')
  asked('ibid/note/restore', { id = 'n-old' })
end)

t.test('D asks first; to keep it, or to close the question, deletes nothing', function()
  open_notes({ fake.note() })
  for _, choice in ipairs({ 'Keep it', false }) do
    t.choose(choice)
    t.press('D')
  end
  t.has(t.pickers[1].prompt, 'Delete “The ledger is append-only.” for good?')
  t.eq(fake.asked('ibid/note/delete'), {})
end)

t.test('D can delete the note alone, or where it was said as well', function()
  open_notes({ fake.note() })
  answer('ibid/note/delete', { id = 'n-1aa' })
  t.choose('Delete the note')
  t.press('D')
  t.said('Ibid: deleted.')
  answer('ibid/note/delete', { id = 'n-1aa', job = 'j1' })
  t.choose('and where it was said')
  t.press('D')
  t.said('goes on in the background')
  local params = fake.asked('ibid/note/delete')
  t.eq({ params[1].said, params[2].said }, { false, true })
end)

t.test('D asks about the file that a note lives in', function()
  open_notes({ fake.note({ file = '.ibid/notes/n-1aa.md' }) })
  answer('ibid/note/delete', { id = 'n-1aa' })
  t.choose('Delete the note')
  t.choose(false)
  t.press('D')
  t.has(t.pickers[2].prompt, '.ibid/notes/n-1aa.md')
  t.eq(fake.asked('ibid/note/delete'), {})
  for _, label in ipairs({ 'too', 'Keep the file' }) do
    t.choose('Delete the note')
    t.choose(label)
    t.press('D')
    t.said('Ibid: deleted.')
  end
  local params = fake.asked('ibid/note/delete')
  t.eq({ params[1].file, params[2].file }, { true, false })
end)

t.test('v chooses a view by its count and asks for it', function()
  open_notes({ fake.note() }, { all = 9, pinned = 4, attention = 2 })
  t.has(bar(), '2 need attention')
  t.choose('pinned (4)')
  t.press('v')
  t.wait('the view', function()
    return bar():find('pinned: 1', 1, true)
  end)
  local params = fake.asked('ibid/note/list')
  t.eq(params[#params].view, 'pinned')
end)

t.test('E shows the evidence: what was said, and older wordings', function()
  open_notes({ fake.note() })
  answer('ibid/note/evidence', {
    sources = {
      {
        session = 's/1',
        turn = 2,
        agent = 'codex',
        title = 'a',
        text = 'It is.\nSo.',
        available = true,
      },
      { session = 's2', turn = 1, available = false },
    },
    history = { { text = 'The ledger is append only', at = 0, why = 'merged' } },
  })
  t.press('E')
  t.shows('# Evidence for n-1aa')
  t.has(t.text(), '> It is.\n> So.')
  t.has(t.text(), '(ibid://turn/s%2f1/2)')
  t.has(t.text(), 'The words are gone.')
  t.has(t.text(), '“The ledger is append only” (merged)')
end)

t.test('U lists the receipts that used the note', function()
  open_notes({ fake.note() })
  t.press('U')
  t.shows('This note was not used yet.')
  local params = fake.asked('ibid/receipt/list')
  t.eq(params[#params].note, 'n-1aa')
end)

t.test('a receipt says when, to whom and how much', function()
  local items = { { layer = 'L2' }, { layer = 'L1' }, { layer = 'L1' } }
  local receipt = {
    id = '#88',
    kind = 'block',
    session = '91be',
    turn = 4,
    agent = 'claude-code',
    at = require('ibid.text').now() - 720000,
    query = 'how do uploads retry',
    tokens = 212,
    items = items,
  }
  open('Ibid receipts', 'ibid/receipt/list', { receipts = { receipt }, total = 1 })
  t.has(t.text(), '#88    12 min ago   block    claude-code  3 items · 212 tokens')
  t.has(t.text(), 'L1 2 · L2 1 · session 91be turn 4 · “how do uploads retry”')
  t.press('<CR>')
  t.shows('ibid://receipt/%2388')
end)

t.test('what the control group withholds is told, by receipt and by session', function()
  local receipt = { id = '#9', kind = 'block', at = 0, tokens = 0, items = {} }
  local withheld = vim.tbl_extend('force', receipt, { control = 'withheld' })
  open('Ibid receipts', 'ibid/receipt/list', { receipts = { withheld, receipt }, total = 2 })
  t.has(t.text(), 'withheld for the control group: nothing was sent')
  t.eq(select(2, t.text():gsub('control group', '')), 1)
  local session = { session = 's-1', agent = 'codex', at = 0, turns = 2, control = { 'block' } }
  open('Ibid sessions', 'ibid/session/list', { sessions = { session }, total = 1 })
  t.has(t.text(), 'control group: without block')
end)

t.test('a session’s preset is chosen and what it means is said', function()
  local session = {
    session = 's-1',
    agent = 'codex',
    title = 'tidy up',
    at = 0,
    turns = 2,
    state = 'running',
    preset = 'default',
    kept = true,
  }
  open('Ibid sessions', 'ibid/session/list', { sessions = { session }, total = 1 })
  t.has(t.text(), 'tidy up')
  t.has(t.text(), '2 turns · running · preset default')
  answer('ibid/session/preset', {
    session = 's-1',
    preset = 'private',
    read = 'deny',
    write = 'deny',
  })
  t.choose('neither recall nor learn')
  t.press('p')
  t.has(t.said('is private now').text, 'read deny, write deny')
  asked('ibid/session/preset', { session = 's-1', preset = 'private' })
  t.choose('Keep it')
  t.press('D')
  t.eq(fake.asked('ibid/session/delete'), {})
end)

t.test('the switches show what holds and where it comes from', function()
  local policy = {
    global = { master = true, recall = true, budget = 1200 },
    project = { recall = false },
    effective = { master = true, recall = false, budget = 1200 },
  }
  open('Ibid policy', 'ibid/policy/get', policy)
  t.go_to('recall')
  t.has(vim.api.nvim_get_current_line(), 'off')
  t.has(vim.api.nvim_get_current_line(), 'all projects: on        this project: off')
  answer('ibid/policy/set', policy)
  t.choose('inherit')
  t.press('p')
  t.said('recall is off here')
  asked('ibid/policy/set', { scope = 'project', name = 'recall', value = vim.NIL })
  t.go_to('budget')
  t.answer('many')
  t.press('a')
  t.said('`many` is not a number')
  t.answer('800')
  t.press('a')
  t.said('budget is 1200 here')
  t.eq(fake.asked('ibid/policy/set')[2].value, 800)
  t.eq(fake.asked('ibid/policy/get')[1], { project = root })
end)

t.test('hostile text in any list is inert', function()
  local bad = '\27[31m\u{202e}x\u{200b}\ny'
  open_notes({
    fake.note({
      text = bad,
      category = bad,
      tags = { bad },
      reason = bad,
      sources = { { session = bad, turn = 1, title = bad, agent = bad } },
      anchors = { { path = bad, symbol = bad, state = 'fresh' } },
    }),
  })
  local shown = t.text()
  for _, char in ipairs({ '\27', '\u{202e}', '\u{200b}' }) do
    t.lacks(shown, char)
  end
  t.eq(#vim.api.nvim_buf_get_lines(0, 0, -1, false), 2)
  t.has(shown, '␛[31m<202e>x<200b> ↵ y')
end)

t.finish()
