--- What agents saw: the archive, the files they read, and what leads there from the code.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
local fake = dofile(vim.fs.joinpath(t.here, 'fake.lua'))
t.load()
vim.lsp.config('ibid', { cmd = fake.cmd })

local root = t.project()
local file = root .. '/src/upload.py'

local BAD = '\27[31m\u{202e}x\u{200b}\ny'

--- Text that acts on a terminal or an eye.
local ACTING = { '\27', '\u{202e}', '\u{200b}' }

---@param over? table
local function hit(over)
  return vim.tbl_extend('force', {
    id = '#3',
    layer = 'archive',
    category = 'exec',
    score = 0.7,
    text = 'make test\n2 failed, 40 passed\nsee the log',
    source = { session = 's/1', turn = 4, title = 'red again', agent = 'codex' },
    handle = '5a0f3c9e1b2d4f60718293a4',
    matched = 'all',
  }, over or {})
end

---@param over? table
local function read(over)
  return vim.tbl_extend('force', {
    kind = 'read',
    session = 's-1',
    agent = 'claude-code',
    role = 'claude-code',
    title = 'red again',
    scope = '',
    turn = 2,
    at = require('ibid.text').now() - 300000,
    first = 1,
    last = 80,
    total = 212,
    tokens = 900,
    number = '#412',
  }, over or {})
end

---@param over? table
local function history(over)
  return vim.tbl_extend('force', {
    path = file,
    sessions = 1,
    last = 0,
    line = '1 session, last 2026-03-31; since then backoff() changed',
    since = {
      state = 'changed',
      at = 0,
      lines = 12,
      symbols = {
        { name = 'backoff', callable = true, change = 'changed' },
        { name = 'RETRIES', callable = false, change = 'added' },
      },
    },
    reads = { read() },
  }, over or {})
end

--- Opens a file of the project and answers what the documents need.
local function start()
  fake.reset()
  fake.answers['workspace/textDocumentContent'] = function(params)
    return { text = '# ' .. params.uri }
  end
  t.write(file, ('x\n'):rep(100))
  vim.cmd.edit(file)
end

---@param hits table[]
---@param over? table
local function answer_search(hits, over)
  fake.answers['ibid/search'] = function()
    return vim.tbl_extend('force', { hits = hits, total = #hits }, over or {})
  end
end

---@param with_path table
---@param files? table[]
local function answer_reads(with_path, files)
  fake.answers['ibid/reads'] = function(params)
    return params.path and with_path or { files = files or {}, total = #(files or {}) }
  end
end

local function bar()
  return vim.api.nvim_eval_statusline(vim.wo.winbar, { use_winbar = true, maxwidth = 200 }).str
end

t.test(':Ibid archive asks the archive alone, a page at a time', function()
  vim.g.ibid = { page = 2 }
  start()
  answer_search({ hit(), hit({ id = '#4' }) }, { total = 5 })
  vim.cmd('Ibid archive c++ & failed?')
  t.shows('make test')
  t.has(t.text(), '#3     exec     make test')
  t.has(t.text(), '2 failed, 40 passed ↵ see the log')
  t.has(t.text(), 'turn 4 of “red again” · codex · 5a0f3c9e1b2d4f60718293a4')
  t.has(bar(), 'Archive · 5 for “c++ & failed?” · 1–2 of 5')
  t.press(']]')
  t.wait('the next page', function()
    return #fake.asked('ibid/search') == 2
  end)
  local asked = { query = 'c++ & failed?', layers = {}, archive = true, limit = 2, project = root }
  t.eq(fake.asked('ibid/search')[1], vim.tbl_extend('force', asked, { offset = 0 }))
  t.eq(fake.asked('ibid/search')[2], vim.tbl_extend('force', asked, { offset = 2 }))
  vim.g.ibid = nil
end)

t.test('no layer is an empty list on the wire, not an object', function()
  local _, params = require('ibid.archive').spec.ask({ params = { query = 'x' } })
  t.has(vim.json.encode(params), '"layers":[]')
end)

t.test(':Ibid archive without words asks for them', function()
  start()
  answer_search({ hit() })
  t.answer('failed')
  vim.cmd('Ibid archive')
  t.shows('make test')
  t.eq(fake.asked('ibid/search')[1].query, 'failed')
end)

t.test('a hit expands, leads to its turn, and gives its handle', function()
  start()
  answer_search({ hit() })
  vim.cmd('Ibid archive failed')
  t.shows('make test')
  t.press('"ay')
  t.said('yanked 5a0f3c9e1b2d4f60718293a4')
  t.eq(vim.fn.getreg('a'), '5a0f3c9e1b2d4f60718293a4')
  t.press('<CR>')
  t.shows('ibid://archive/5a0f3c9e1b2d4f60718293a4')
  t.press('<C-o>t')
  t.shows('ibid://turn/s%2f1/4')
end)

t.test('s searches for something else; nothing found says why', function()
  start()
  answer_search({ hit() })
  vim.cmd('Ibid archive failed')
  t.shows('make test')
  answer_search({}, { reason = 'only common words' })
  t.answer('the')
  t.press('s')
  t.shows('Nothing: only common words.')
  t.eq(fake.asked('ibid/search')[2].query, 'the')
end)

t.test(':Ibid reads lists the files that agents saw', function()
  start()
  local at = require('ibid.text').now() - 300000
  answer_reads(history(), {
    { path = file, at = at, sessions = 2, reads = 3, edits = 1 },
    { path = '/elsewhere/b.py', at = at, sessions = 1, reads = 0, edits = 0 },
  })
  vim.cmd('Ibid reads')
  t.shows('src/upload.py  5 min ago · 3 reads · 1 edit · 2 sessions')
  t.has(t.text(), '/elsewhere/b.py')
  t.press('<CR>')
  t.shows('lines 1–80')
  t.eq(fake.asked('ibid/reads')[2].path, file)
end)

t.test('a file’s history says who read which lines, when, and what changed since', function()
  start()
  answer_reads(history({
    reads = {
      read(),
      read({ scope = 'reviewer-subagent', first = 5, last = 9, total = 0, title = '' }),
      read({ kind = 'edited', first = 0, last = 0, tokens = 0 }),
      read({ kind = 'saved', agent = 'editor', scope = 'person', first = 0, last = 0 }),
    },
  }))
  vim.cmd('Ibid reads %')
  t.shows('1 session, last 2026-03-31; since then backoff() changed')
  local shown = t.text()
  t.has(shown, '12 lines changed since: backoff() changed, RETRIES added.')
  t.has(
    shown,
    'read    lines 1–80 of 212 · claude-code · 5 min ago · turn 2 of “red again” · 900 tokens · #412'
  )
  t.has(shown, 'lines 5–9 · claude-code, subagent reviewer-su')
  t.has(shown, 'edited  claude-code · 5 min ago')
  t.has(shown, 'saved   you · 5 min ago')
  t.has(bar(), 'Reads · src/upload.py')
  t.eq(fake.asked('ibid/reads'), { { path = file, project = root } })
end)

t.test('from a read one gets to the file, the turn, the text and the archive', function()
  start()
  answer_reads(history({ reads = { read({ first = 41 }) } }))
  answer_search({ hit() })
  vim.cmd('Ibid reads %')
  t.shows('lines 41')
  t.go_to('lines 41')
  t.press('<CR>')
  t.shows('ibid://archive/%23412')
  t.press('<C-o>')
  t.go_to('lines 41')
  t.press('t')
  t.shows('ibid://turn/s-1/2')
  t.press('<C-o>A')
  t.shows('make test')
  local asked = fake.asked('ibid/search')[1]
  t.eq(asked.query, '')
  t.has(asked.path, 'src/upload.py')
  t.press('<C-o>')
  t.go_to('lines 41')
  t.press('o')
  t.eq(vim.api.nvim_buf_get_name(0), file)
  t.eq(vim.api.nvim_win_get_cursor(0)[1], 41)
  t.eq(#vim.api.nvim_tabpage_list_wins(0), 2)
end)

t.test('a file that is gone is not made anew', function()
  start()
  answer_reads(history({ reads = { read() } }))
  vim.cmd('Ibid reads ' .. root .. '/src/gone.py')
  t.shows('lines 1')
  t.go_to('lines 1')
  t.press('o')
  t.said('src/gone.py is gone')
  t.has(vim.api.nvim_buf_get_name(0), 'ibid://history')
end)

t.test('a file opens beside a list that is alone in its window', function()
  start()
  answer_reads(history(), { { path = file, at = 0, sessions = 1, reads = 1, edits = 0 } })
  vim.cmd('Ibid reads')
  t.shows('src/upload.py')
  vim.cmd.only()
  t.press('o')
  t.eq(vim.api.nvim_buf_get_name(0), file)
  t.eq(#vim.api.nvim_tabpage_list_wins(0), 2)
end)

t.test('paths may have blanks, and % needs a file', function()
  start()
  answer_reads(history())
  vim.fn.mkdir(root .. '/my docs', 'p')
  t.write(root .. '/my docs/a b.md', 'x\n')
  local found = vim.fn.getcompletion('Ibid reads ' .. root .. '/my', 'cmdline')
  t.eq(found, { root .. '/my\\ docs/' })
  vim.cmd('Ibid reads ' .. root .. '/my\\ docs/a\\ b.md')
  t.shows('lines 1–80')
  t.eq(fake.asked('ibid/reads')[1].path, root .. '/my docs/a b.md')
  vim.cmd('Ibid reads %')
  t.eq(t.messages, {})
  vim.cmd('Ibid queue')
  vim.cmd('Ibid reads %')
  t.said('this buffer is no file')
  fake.answers['ibid/import'] = fake.SILENCE
  vim.cmd('Ibid import %')
  t.eq(fake.asked('ibid/import'), {})
end)

t.test('a file that nobody read says so', function()
  start()
  answer_reads(history({ reads = {}, line = vim.NIL, since = { state = 'unknown', symbols = {} } }))
  vim.cmd('Ibid reads %')
  t.shows('No agent has read or changed this file.')
  vim.cmd('Ibid reads')
  t.shows('No agent has read or changed a file here yet.')
end)

t.test('the server is told which commands the client has, and each is there', function()
  start()
  t.wait('a server', function()
    return fake.initialized_with
  end)
  local told = fake.initialized_with.initializationOptions.commands
  t.eq(told, require('ibid.config').COMMANDS)
  for _, name in ipairs(told) do
    t.ok(vim.lsp.commands[name], name)
  end
  for _, name in ipairs({ 'ibid.openNotes', 'ibid.openReads', 'ibid.openRecall' }) do
    t.ok(vim.list_contains(told, name), name)
  end
end)

--- Runs the command of a lens as `vim.lsp.codelens.run()` does.
---@param command string
---@param argument table
local function run(command, argument)
  local client = t.wait('a server', function()
    local found = vim.lsp.get_clients({ name = 'ibid', bufnr = 0 })[1]
    return found and found.initialized and found
  end)
  client:exec_cmd({ title = 'a lens', command = command, arguments = { argument } })
end

t.test('a lens above a file opens its reads', function()
  start()
  answer_reads(history())
  local uri = vim.uri_from_fname(file)
  run('ibid.openReads', { project = root, path = 'src/upload.py', uri = uri })
  t.shows('lines 1–80')
  t.eq(fake.asked('ibid/reads')[1].path, 'src/upload.py')
  t.go_to('lines 1')
  t.press('o')
  t.eq(vim.api.nvim_buf_get_name(0), file)
end)

t.test('a lens on a note’s symbol opens the recall for it', function()
  start()
  run('ibid.openRecall', { project = root, query = 'send in src/upload.py', uri = '' })
  t.shows('# ibid://recall/send%20in%20src%2fupload.py')
end)

t.test('the server’s own address of a file’s reads opens as well', function()
  start()
  vim.cmd.edit('ibid://reads/src/upload.py')
  t.shows('# ibid://reads/src/upload.py')
end)

t.test('hostile text in these lists is inert', function()
  start()
  local source = { session = BAD, turn = 1, title = BAD, agent = BAD }
  answer_search({ hit({ text = BAD .. BAD, category = BAD, handle = BAD, source = source }) })
  local bad = read({ agent = BAD, title = BAD, scope = BAD, kind = BAD, number = BAD })
  local symbol = { name = BAD, callable = true, change = BAD }
  local since = { state = 'changed', symbols = { symbol } }
  answer_reads(history({ line = BAD, since = since, reads = { bad } }), {
    { path = BAD, at = 0, sessions = 1, reads = 1, edits = 1 },
  })
  for _, command in ipairs({ 'archive x', 'reads', 'reads a' }) do
    vim.cmd('Ibid ' .. command)
    t.shows('␛[31m<202e>x<200b>')
    for _, char in ipairs(ACTING) do
      t.lacks(t.text(), char)
      t.lacks(bar(), char)
    end
  end
  vim.cmd('Ibid archive x')
  t.go_to('x')
  t.press('"by')
  t.said('yanked')
  t.lacks(vim.fn.getreg('b'), '\n')
  t.lacks(vim.fn.getreg('b'), '\27')
end)

t.test('a slow server is waited for without blocking, a dead one is named', function()
  start()
  vim.g.ibid = { timeout = 60 }
  fake.answers['ibid/search'] = fake.SILENCE
  vim.cmd('Ibid archive slow')
  t.shows('Asking the server')
  t.shows('no answer to ibid/search')
  vim.g.ibid = nil
  answer_search({ hit() })
  t.press('R')
  t.shows('make test')
  fake.die(1, 0)
  t.said('the server stopped')
  t.press('R')
  t.wait('the list stays', function()
    return t.text():find('make test', 1, true)
  end)
  vim.cmd('Ibid reads')
  t.shows(':Ibid restart')
  vim.cmd('Ibid restart')
  t.said('restarted')
end)

t.finish()
