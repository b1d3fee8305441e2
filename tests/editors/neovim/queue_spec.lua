--- The review queue: what a row says, and that each key asks for exactly one thing.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
local fake = dofile(vim.fs.joinpath(t.here, 'fake.lua'))
t.load()
vim.lsp.config('ibid', { cmd = fake.cmd })

local root = t.project()
local rows

--- Opens the queue with these candidates.
---@param candidates ibid.Candidate[]
---@param digest? table
local function open(candidates, digest)
  fake.reset()
  rows = candidates
  fake.answers['ibid/candidate/list'] = function(params)
    -- The background question for completion has no offset.
    local first = (params.offset or 0) + 1
    local page = vim.list_slice(rows, first, first + params.limit - 1)
    return { candidates = page, total = #rows, digest = digest or { expired = 0 } }
  end
  vim.cmd.edit(root .. '/a.txt')
  vim.cmd('Ibid queue')
  t.shows(#candidates > 0 and candidates[1].category or 'Nothing')
end

--- The header line as it is drawn.
local function bar()
  return vim.api.nvim_eval_statusline(vim.wo.winbar, { use_winbar = true, maxwidth = 200 }).str
end

t.test('a row says the sentence, its time, its turn and why it was kept', function()
  open({ fake.candidate({ resembles = 'n-7k3q' }) })
  local shown = t.text()
  t.has(shown, '⏳ 18 min   constraint')
  t.has(shown, 'Never commit generated files.')
  t.has(shown, 'said in turn 7 of “tidy the build” · claude-code · 5 min ago')
  t.has(shown, 'prohibition: never')
  t.has(shown, 'resembles n-7k3q')
end)

t.test('what waits for a person says why instead of a time', function()
  local waits = { agent = 'proposed by an agent', review = 'waits for you', held = 'held' }
  local candidates = {}
  for name in vim.spairs(waits) do
    local candidate = fake.candidate({ id = 'c-' .. name, waits = name })
    candidate.due, candidate.left = nil, nil
    table.insert(candidates, candidate)
  end
  open(candidates)
  for _, words in pairs(waits) do
    t.has(t.text(), words)
  end
  t.lacks(t.text(), '⏳')
  t.has(t.text(), '● review')
end)

t.test('what comes from old sessions stands under its own heading', function()
  local function old(id)
    return fake.candidate({ id = id, waits = 'history', repeats = 3 })
  end
  open({ fake.candidate(), old('c-2'), old('c-3') })
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  t.eq(lines[4], 'From your history')
  t.eq(#lines, 10)
  t.has(lines[7], 'said 3 times')
end)

t.test('a tainted candidate says so', function()
  open({ fake.candidate({ taint = true }) })
  t.has(t.text(), 'repeats text from outside')
end)

t.test('the header line counts, and shows the mappings', function()
  open({ fake.candidate() }, { expired = 3 })
  local line = bar()
  t.has(line, 'Review queue · 1 waiting · 3 expired unseen')
  t.has(line, 'a accept')
  t.has(line, 'g? help')
end)

t.test('an empty queue says what would be in it', function()
  open({})
  t.shows('Nothing waits for review.')
end)

t.test('a accepts the row under the cursor, from any of its lines', function()
  open({ fake.candidate(), fake.candidate({ id = 'c-2bb', text = 'Use tabs.' }) })
  fake.answers['ibid/candidate/accept'] = function(params)
    rows = { rows[1] }
    return fake.note({ id = 'n-new', text = params.id })
  end
  t.go_to('Use tabs.')
  t.press('ja')
  t.has(t.said('now a note').text, 'n-new')
  t.eq(fake.asked('ibid/candidate/accept'), { { id = 'c-2bb', project = root } })
  t.wait('the row has gone', function()
    return not t.text():find('Use tabs.', 1, true)
  end)
end)

t.test('x rejects, u takes it back', function()
  local candidate = fake.candidate()
  open({ candidate })
  fake.answers['ibid/candidate/reject'] = function()
    rows = {}
    return vim.tbl_extend('force', candidate, { state = 'rejected' })
  end
  fake.answers['ibid/candidate/restore'] = function()
    rows = { candidate }
    return candidate
  end
  t.press('x')
  t.said('rejected “Never commit')
  t.shows('Nothing waits for review.')
  t.press('u')
  t.said('back in the queue')
  t.shows('Never commit generated files.')
  t.eq(fake.asked('ibid/candidate/restore'), { { id = 'c-1aa', project = root } })
  t.press('u')
  t.said('nothing was rejected here')
end)

t.test('z asks until when; closing the question changes nothing', function()
  open({ fake.candidate() })
  fake.answers['ibid/candidate/snooze'] = function()
    return fake.candidate({ state = 'snoozed', waits = 'snoozed' })
  end
  t.choose(false)
  t.press('z')
  t.eq(fake.asked('ibid/candidate/snooze'), {})
  t.choose('next session')
  t.press('z')
  t.said('snoozed')
  t.eq(fake.asked('ibid/candidate/snooze')[1]['until'], 'session')
end)

t.test('e opens the wording, :w sends it with the version it was read at', function()
  open({ fake.candidate({ version = 42 }) })
  fake.answers['ibid/candidate/edit'] = function(params)
    return fake.candidate({ text = params.text })
  end
  t.press('e')
  t.eq(t.text(), 'Never commit generated files.')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'Never commit anything generated.' })
  vim.cmd.write()
  t.said('reworded')
  t.eq(fake.asked('ibid/candidate/edit'), {
    { id = 'c-1aa', text = 'Never commit anything generated.', version = 42, project = root },
  })
  t.wait('the queue again', function()
    return vim.fn.bufname() == 'ibid://queue'
  end)
end)

t.test('an edit that was left or emptied is not sent', function()
  open({ fake.candidate() })
  t.press('e')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { ' ' })
  vim.cmd.write()
  t.said('an empty text is not saved')
  vim.cmd('quit!')
  local function is_back()
    return vim.fn.bufname() == 'ibid://queue'
  end
  t.wait('the queue again', is_back)
  t.press('e')
  vim.cmd('wq')
  t.wait('the queue again', is_back)
  t.eq(fake.asked('ibid/candidate/edit'), {})
end)

t.test('a conflict is said, and the list shows what is there now', function()
  open({ fake.candidate() })
  fake.answers['ibid/candidate/edit'] = function()
    rows = { fake.candidate({ text = 'Somebody else was faster.' }) }
    return nil, { code = -33003, message = 'c-1aa changed meanwhile', data = { code = 'conflict' } }
  end
  t.press('e')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'Mine.' })
  vim.cmd.write()
  t.said('c-1aa changed meanwhile')
  t.shows('Somebody else was faster.')
end)

t.test('t opens the turn it was said in, <CR> its page', function()
  open({ fake.candidate() })
  fake.answers['workspace/textDocumentContent'] = function(params)
    return { text = '# ' .. params.uri }
  end
  t.press('t')
  t.shows('ibid://turn/sess1/7')
  t.press('<C-o><CR>')
  t.shows('ibid://candidate/c-1aa')
end)

t.test('s narrows the list, pages turn, and both ask the server', function()
  vim.g.ibid = { page = 2 }
  local many = {}
  for number = 1, 5 do
    table.insert(many, fake.candidate({ id = 'c-' .. number, text = 'Rule ' .. number }))
  end
  open(many)
  t.has(bar(), '1–2 of 5')
  t.press(']]')
  t.shows('Rule 3')
  t.has(bar(), '3–4 of 5')
  t.press(']]]]]]')
  t.shows('Rule 5')
  t.has(bar(), '5–5 of 5')
  t.press('[[')
  t.shows('Rule 4')
  t.answer('needle')
  t.press('s')
  t.shows('Rule 1')
  t.has(bar(), 'matching “needle”')
  local asked = fake.asked('ibid/candidate/list')
  t.eq(asked[#asked], { query = 'needle', limit = 2, offset = 0, project = root })
  vim.g.ibid = nil
end)

t.test('a page that emptied falls back to the last one there is', function()
  vim.g.ibid = { page = 2 }
  open({
    fake.candidate({ id = 'c-1' }),
    fake.candidate({ id = 'c-2' }),
    fake.candidate({ id = 'c-3' }),
  })
  t.press(']]')
  t.wait('page two', function()
    return bar():find('3–3 of 3', 1, true)
  end)
  rows = { rows[1], rows[2] }
  t.press('R')
  t.wait('page one', function()
    return not bar():find('of 3', 1, true) and #vim.api.nvim_buf_get_lines(0, 0, -1, false) == 6
  end)
  vim.g.ibid = nil
end)

t.test('a change is shown at once where it is seen, with the cursor on its row', function()
  open({
    fake.candidate({ id = 'c-1', text = 'One.' }),
    fake.candidate({ id = 'c-2', text = 'Two.' }),
  })
  t.go_to('Two.')
  rows = { fake.candidate({ id = 'c-0', text = 'Zero.' }), rows[1], rows[2] }
  fake.notify('ibid/memoryChanged', { project = root, kinds = { 'candidates' } })
  t.shows('Zero.')
  t.has(vim.api.nvim_get_current_line(), 'Two.')
end)

t.test('a hidden list asks only when it is shown again', function()
  open({ fake.candidate() })
  vim.cmd.edit(root .. '/a.txt')
  local before = #fake.asked('ibid/candidate/list')
  fake.calls = {}
  fake.notify('ibid/memoryChanged', { project = root, kinds = { 'turns' } })
  rows = { fake.candidate({ text = 'New wording.' }) }
  fake.notify('ibid/memoryChanged', { project = root, kinds = { 'candidates' } })
  vim.wait(50)
  local limits = vim.tbl_map(function(params)
    return params.limit
  end, fake.asked('ibid/candidate/list'))
  t.eq(limits, {})
  t.ok(before > 0, 'it was asked when it opened')
  vim.cmd.buffer('ibid://queue')
  t.shows('New wording.')
end)

t.test('the time left runs without asking', function()
  open({ fake.candidate() })
  fake.calls = {}
  local now = require('ibid.text').now
  require('ibid.text').now = function()
    return now() + 8 * 60000
  end
  require('ibid.view').redraw_ticking()
  t.has(t.text(), '⏳ 10 min')
  require('ibid.text').now = now
  t.eq(fake.calls, {})
end)

t.test('keys can be moved and switched off; <Plug> maps stay', function()
  vim.g.ibid = { keys = { accept = 'A', reject = false } }
  open({ fake.candidate() })
  t.ok(vim.fn.maparg('A', 'n') ~= '' and vim.fn.maparg('a', 'n') == '', 'accept moved')
  t.eq(vim.fn.maparg('x', 'n'), '')
  t.ok(vim.fn.maparg('<Plug>(ibid-reject)', 'n') ~= '', 'reject still has its <Plug>')
  t.lacks(bar(), 'x reject')
  vim.g.ibid = nil
end)

t.test('nothing outside our own buffers is mapped', function()
  local mapped = vim.tbl_filter(function(map)
    return not map.lhs:find('^<Plug>') and (map.desc or map.rhs or ''):find('[Ii]bid')
  end, vim.list_extend(vim.api.nvim_get_keymap('n'), vim.api.nvim_get_keymap('x')))
  t.eq(mapped, {})
end)

t.test('g? lists every mapping', function()
  open({ fake.candidate() })
  t.press('g?')
  local float = t.wait('a float', function()
    return vim.iter(vim.api.nvim_list_wins()):find(function(win)
      return vim.api.nvim_win_get_config(win).relative ~= ''
    end)
  end)
  local help = t.text(vim.api.nvim_win_get_buf(float))
  for _, label in ipairs({ 'accept', 'snooze', 'undo reject', 'show only', 'next page', 'close' }) do
    t.has(help, label)
  end
end)

t.test('the window gets its own looks back when another buffer is in it', function()
  open({ fake.candidate() })
  t.ok(vim.wo.winbar ~= '', 'a header line')
  vim.cmd.edit(root .. '/other.txt')
  t.eq(vim.wo.winbar, '')
  t.eq(vim.wo.wrap, vim.go.wrap)
end)

t.finish()
