--- `:Ibid`: what each subcommand asks for, and what <Tab> offers.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
local fake = dofile(vim.fs.joinpath(t.here, 'fake.lua'))
t.load()
vim.lsp.config('ibid', { cmd = fake.cmd })
local commands = require('ibid.commands')

local root = t.project()

--- Opens a file of the project and answers what every test here needs.
local function start()
  fake.reset()
  fake.answers['ibid/note/list'] = function(params)
    if params.view == 'forgotten' then
      local gone = fake.note({ id = 'n-9zz', text = 'Gone.', active = false, state = 'forgotten' })
      return { notes = { gone }, total = 1, counts = {} }
    end
    return { notes = { fake.note(), fake.note({ id = 'n-1ab' }) }, total = 2, counts = {} }
  end
  fake.answers['ibid/candidate/list'] = function(params)
    if params.state == 'rejected' then
      return { candidates = { fake.candidate({ id = 'c-9zz', state = 'rejected' }) }, total = 1 }
    end
    return { candidates = { fake.candidate() }, total = 1, digest = { expired = 0 } }
  end
  fake.answers['ibid/session/list'] = function()
    return { sessions = { { session = 's-77' } }, total = 1 }
  end
  fake.answers['ibid/receipt/list'] = function()
    local receipt = { id = 'r-88', kind = 'block', at = 0, tokens = 5, items = {} }
    return { receipts = { receipt }, total = 1 }
  end
  fake.answers['workspace/textDocumentContent'] = function(params)
    return { text = params.uri }
  end
  vim.cmd.edit(root .. '/src/a.txt')
  t.wait('the ids', function()
    return #require('ibid.ids').list(root, 'rejected') > 0
  end)
end

---@param method string
---@param result table
local function answer(method, result)
  fake.answers[method] = function()
    return result
  end
end

---@param method string
---@param params table
local function asked(method, params)
  t.wait(method, function()
    return #fake.asked(method) > 0
  end)
  t.eq(fake.asked(method), { vim.tbl_extend('force', { project = root }, params) })
end

---@param line string
---@return string[]
local function completions(line)
  return vim.fn.getcompletion(line, 'cmdline')
end

t.test('<Tab> offers the subcommands, and only those that fit', function()
  start()
  t.eq(completions('Ibid '), commands.names())
  t.eq(completions('Ibid re'), {
    'reads',
    'recall',
    'receipt',
    'receipts',
    'reject',
    'release',
    'replay',
    'report',
    'restart',
    'restore',
  })
  t.eq(completions('Ibid! se'), { 'search', 'sessions' })
  t.eq(completions('Ibid xx'), {})
end)

t.test('every verb of the contract is a subcommand', function()
  local verbs = 'accept add archive claim confirm correct delete doctor edit evidence forget handoff'
    .. ' import include instructions log note notes pin policy preset queue reads recall receipt'
    .. ' receipts reject release replay report restart restore search sessions share snooze status unpin usage'
  t.eq(table.concat(commands.names(), ' '), verbs)
end)

t.test('<Tab> offers ids of the kind that the subcommand takes', function()
  start()
  t.eq(completions('Ibid forget '), { 'n-1aa', 'n-1ab' })
  t.eq(completions('Ibid forget n-1aa '), {})
  t.eq(completions('Ibid restore '), { 'n-9zz', 'c-9zz' })
  t.eq(completions('Ibid delete n-9'), { 'n-9zz' })
  t.eq(completions('Ibid accept '), { 'c-1aa' })
  t.eq(completions('Ibid snooze c-1aa '), { 'day', 'session' })
  t.eq(completions('Ibid receipt '), { 'r-88' })
  t.eq(completions('Ibid receipts '), { 's-77' })
  t.eq(completions('Ibid notes p'), { 'pinned' })
  t.eq(completions('Ibid preset private s'), { 's-77' })
  t.eq(completions('Ibid preset '), require('ibid.sessions').PRESETS)
  t.eq(completions('Ibid policy g'), { 'global' })
  t.eq(completions('Ibid policy project re'), { 'recall' })
  t.eq(completions('Ibid policy project recall '), { 'on', 'off', 'inherit' })
  t.eq(completions('Ibid policy project settling '), { 'inherit' })
  t.eq(completions('Ibid queue sn'), { 'snoozed' })
end)

t.test('<Tab> never waits: unknown ids are asked for behind it', function()
  start()
  fake.notify('ibid/memoryChanged', { project = root, kinds = { 'notes' } })
  fake.calls = {}
  t.eq(completions('Ibid forget '), { 'n-1aa', 'n-1ab' })
  t.ok(#fake.asked('ibid/note/list') > 0, 'asked again in the background')
end)

t.test('an unknown subcommand is named', function()
  start()
  vim.cmd('Ibid frobnicate')
  t.said('there is no :Ibid frobnicate')
end)

t.test('a subcommand about a note takes an id', function()
  local simple = {
    { 'pin', 'ibid/note/pin', 'pinned' },
    { 'confirm', 'ibid/note/confirm', 'still true' },
    { 'unpin', 'ibid/note/unpin', 'no longer pinned' },
    { 'forget', 'ibid/note/forget', ':Ibid restore n-1aa' },
    { 'restore', 'ibid/note/restore', 'restored' },
  }
  for _, case in ipairs(simple) do
    start()
    answer(case[2], fake.note())
    vim.cmd(('Ibid %s n-1aa'):format(case[1]))
    t.said(case[3])
    asked(case[2], { id = 'n-1aa' })
  end
end)

t.test('without an id the person picks, and may not', function()
  start()
  answer('ibid/note/pin', fake.note())
  t.choose(false)
  vim.cmd('Ibid pin')
  t.wait('a picker', function()
    return #t.pickers == 1
  end)
  t.eq(fake.asked('ibid/note/pin'), {})
  t.choose('append-only')
  vim.cmd('Ibid pin')
  t.said('pinned')
end)

t.test(':Ibid restore without an id offers the forgotten', function()
  start()
  answer('ibid/note/restore', fake.note())
  t.choose('Gone.')
  vim.cmd('Ibid restore')
  asked('ibid/note/restore', { id = 'n-9zz' })
end)

t.test(':Ibid restore brings a rejected candidate back, too', function()
  start()
  answer('ibid/candidate/restore', fake.candidate())
  vim.cmd('Ibid restore c-9zz')
  t.said('back in the queue')
  asked('ibid/candidate/restore', { id = 'c-9zz' })
end)

t.test('on a note’s page the note is meant', function()
  start()
  answer('ibid/note/pin', fake.note())
  vim.cmd('Ibid note n-1ab')
  t.shows('ibid://note/n-1ab')
  vim.cmd('Ibid pin')
  asked('ibid/note/pin', { id = 'n-1ab' })
end)

t.test('in a list the row under the cursor is meant', function()
  start()
  answer('ibid/candidate/accept', fake.note())
  vim.cmd('Ibid queue')
  t.shows('Never commit')
  vim.cmd('Ibid accept')
  asked('ibid/candidate/accept', { id = 'c-1aa' })
end)

t.test(':Ibid correct takes the new words, kept as they were typed', function()
  start()
  answer('ibid/note/correct', fake.note({ id = 'n-new' }))
  vim.cmd('Ibid correct n-1aa Use  two blanks | and a bar')
  t.said('n-new holds now')
  asked('ibid/note/correct', { id = 'n-1aa', text = 'Use  two blanks | and a bar', version = 3 })
end)

t.test(':Ibid correct without words opens the old ones', function()
  start()
  vim.cmd('Ibid correct n-1aa')
  t.eq(t.text(), 'The ledger is append-only.')
  vim.cmd('quit!')
end)

t.test(':Ibid edit, reject and snooze act on a candidate', function()
  start()
  answer('ibid/candidate/edit', fake.candidate())
  answer('ibid/candidate/reject', fake.candidate())
  answer('ibid/candidate/snooze', fake.candidate())
  vim.cmd('Ibid edit c-1aa Never commit anything generated.')
  t.said('reworded')
  vim.cmd('Ibid reject c-1aa')
  t.said(':Ibid restore c-1aa')
  vim.cmd('Ibid snooze c-1aa day')
  t.said('snoozed')
  local text = 'Never commit anything generated.'
  asked('ibid/candidate/edit', { id = 'c-1aa', text = text, version = 1 })
  asked('ibid/candidate/reject', { id = 'c-1aa' })
  asked('ibid/candidate/snooze', { id = 'c-1aa', ['until'] = 'day' })
end)

t.test(':Ibid delete asks before it deletes', function()
  start()
  t.choose('Keep it')
  vim.cmd('Ibid delete n-1aa')
  t.has(t.pickers[1].prompt, 'The ledger is append-only.')
  t.eq(fake.asked('ibid/note/delete'), {})
end)

t.test(':Ibid add remembers the words, without a place', function()
  start()
  answer('ibid/note/add', fake.note())
  vim.cmd('Ibid add Use pnpm, not "npm" | ever')
  t.said('noted, n-1aa')
  asked('ibid/note/add', { text = 'Use pnpm, not "npm" | ever' })
end)

t.test(':Ibid add without words asks for them', function()
  start()
  answer('ibid/note/add', fake.note())
  t.answer(false)
  vim.cmd('Ibid add')
  t.eq(fake.asked('ibid/note/add'), {})
  t.answer(' Asked for. ')
  vim.cmd('Ibid add')
  asked('ibid/note/add', { text = 'Asked for.' })
end)

t.test('a selection is remembered exactly, with its file', function()
  start()
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '-- Amounts are in cents, always.', 'x = 1' })
  answer('ibid/note/add', fake.note())
  t.press('gg0f ')
  t.press('lv$hh<Esc>')
  vim.cmd("'<,'>Ibid add")
  t.said('noted about src/a.txt')
  asked('ibid/note/add', { text = 'Amounts are in cents, always', path = 'src/a.txt' })
end)

t.test('selected lines are remembered whole', function()
  start()
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'one', 'two', 'three' })
  answer('ibid/note/add', fake.note())
  vim.cmd('1,2Ibid add')
  asked('ibid/note/add', { text = 'one\ntwo', path = 'src/a.txt' })
end)

t.test('words about a selected name carry the name', function()
  start()
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'def send_all(self):' })
  answer('ibid/note/add', fake.note())
  t.press('ggwviw<Esc>')
  vim.cmd("'<,'>Ibid add Retry limit is 3.")
  local expected = { text = 'Retry limit is 3.', path = 'src/a.txt', symbol = 'send_all' }
  asked('ibid/note/add', expected)
end)

t.test('the <Plug> map adds a visual selection', function()
  start()
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'Amounts are in cents.' })
  answer('ibid/note/add', fake.note())
  t.press('ggV<Plug>(ibid-add)')
  asked('ibid/note/add', { text = 'Amounts are in cents.', path = 'src/a.txt' })
end)

t.test(':Ibid search offers the hits and opens what they are', function()
  local source = { session = 's/1', turn = 3 }
  local hits = {
    { id = 'n-1aa', layer = 'L1', category = 'fact', text = 'A fact.', matched = 'all' },
    {
      id = 'm1',
      layer = 'L0',
      category = 'prompt',
      text = 'Said.',
      source = source,
      matched = 'some',
    },
    {
      id = 'x',
      layer = 'archive',
      category = 'tool',
      text = 'Seen.',
      handle = 'ab12',
      matched = 'spelling',
    },
  }
  local opens = {
    ['A fact.'] = 'ibid://note/n-1aa',
    ['Said.'] = 'ibid://turn/s%2f1/3',
    ['Seen. (spelled differently)'] = 'ibid://archive/ab12',
  }
  for label, uri in pairs(opens) do
    start()
    answer('ibid/search', { hits = hits, total = 30 })
    t.choose(label)
    vim.cmd('Ibid search c++ & c#')
    t.shows(uri)
    t.has(t.pickers[#t.pickers].prompt, '3 of 30 for “c++ & c#”')
    asked('ibid/search', { query = 'c++ & c#', limit = 100 })
  end
end)

t.test(':Ibid! search fills the quickfix list', function()
  start()
  local hit = { id = 'n-1aa', layer = 'L1', category = 'fact', text = 'A fact.', matched = 'all' }
  answer('ibid/search', { hits = { hit }, total = 1 })
  vim.cmd('Ibid! search fact')
  t.wait('the quickfix window', function()
    return vim.bo.buftype == 'quickfix'
  end)
  t.has(vim.fn.getqflist()[1].text, 'A fact.')
  vim.cmd.cfirst()
  t.shows('ibid://note/n-1aa')
end)

t.test('a search that finds nothing says why', function()
  start()
  answer('ibid/search', { hits = {}, total = 0, reason = 'only common words' })
  vim.cmd('Ibid search the')
  t.said('only common words')
end)

t.test(':Ibid preset sets a session’s, or an agent’s next', function()
  start()
  answer(
    'ibid/session/preset',
    { session = 's-77', preset = 'private', read = 'deny', write = 'deny' }
  )
  vim.cmd('Ibid preset private s-77')
  t.said('this session is private now')
  asked('ibid/session/preset', { session = 's-77', preset = 'private' })
  fake.calls = {}
  vim.cmd('Ibid preset private codex')
  t.said('the next codex session is private now')
  asked('ibid/session/preset', { agent = 'codex', preset = 'private' })
  vim.cmd('Ibid preset loud codex')
  t.said('there is no preset `loud`')
end)

t.test(':Ibid policy sets a switch, and refuses what does not fit', function()
  start()
  answer('ibid/policy/set', { global = {}, project = {}, effective = { external = 'own' } })
  vim.cmd('Ibid policy project external own')
  t.said('external is own here')
  asked('ibid/policy/set', { scope = 'project', name = 'external', value = 'own' })
  for _, wrong in ipairs({
    'here external own',
    'project colour on',
    'project learn maybe',
    'project budget x',
  }) do
    t.messages = {}
    vim.cmd('Ibid policy ' .. wrong)
    t.said('use :Ibid policy')
  end
  t.eq(#fake.asked('ibid/policy/set'), 1)
end)

t.test(':Ibid import shows its progress and its sums, and one runs at a time', function()
  start()
  fake.answers['ibid/import'] = fake.SILENCE
  vim.cmd('Ibid import ' .. root .. '/a.jsonl')
  local params = fake.asked('ibid/import')[1]
  t.eq(params.paths, { root .. '/a.jsonl' })
  vim.cmd('Ibid import')
  t.said('an import runs already')
  local function progress(value)
    fake.notify('$/progress', { token = params.workDoneToken, value = value })
  end
  progress({ kind = 'begin', title = 'Import', percentage = 0 })
  progress({ kind = 'report', percentage = 40 })
  t.wait('progress in the status line', function()
    return require('ibid').statusline():find('Import 40 %', 1, true)
  end)
  vim.cmd('Ibid! import')
  t.wait('a cancellation', function()
    return #fake.asked('$/cancelRequest') == 1
  end)
end)

t.test(':Ibid import says what it read', function()
  local sums = { sessions = 2, turns = 1, episodes = 1, candidates = 4, skippedLines = 3 }
  t.eq(
    require('ibid.import').words(sums),
    'Ibid: read 2 sessions with 1 turn; 1 episode, 4 to review. 3 lines could not be read.'
  )
end)

t.test(':Ibid alone offers everything there is', function()
  start()
  t.choose('status')
  vim.cmd('Ibid')
  t.said('learns and recalls')
  t.eq(#t.pickers[1].labels, #commands.names())
end)

t.test(':Ibid status says the project, the state and the counts', function()
  start()
  fake.answers['ibid/status'] = function()
    return fake.status({ state = 'readOnly', message = 'No space left; free 12 MB.' })
  end
  vim.cmd('Ibid status')
  local message = t.said('/somewhere').text
  t.has(message, 'read only')
  t.has(message, '2 to review · 1 note · 5 receipts · 3 sessions')
  t.has(message, 'No space left; free 12 MB.')
end)

t.test(':Ibid log opens the log of language servers', function()
  vim.cmd('Ibid log')
  t.eq(vim.api.nvim_buf_get_name(0), vim.fs.normalize(vim.lsp.log.get_filename()))
end)

t.test('modifiers say where a list opens', function()
  start()
  local before = #vim.api.nvim_list_tabpages()
  vim.cmd('tab Ibid queue')
  t.eq(#vim.api.nvim_list_tabpages(), before + 1)
  t.shows('Never commit')
end)

t.finish()
