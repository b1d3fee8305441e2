--- Notes whose code changed: the server's diagnostics, its code actions, and links in hovers.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
local fake = dofile(vim.fs.joinpath(t.here, 'fake.lua'))
t.load()
vim.lsp.config('ibid', { cmd = fake.cmd })
fake.capabilities.codeActionProvider = { codeActionKinds = { 'quickfix' } }
fake.capabilities.executeCommandProvider =
  { commands = { 'ibid.server.confirmNote', 'ibid.server.forgetNote' } }

local root = t.project()
local file = root .. '/src/upload.py'
local uri = vim.uri_from_fname(file)

local DATA = { project = root, id = 'n-1aa', path = 'src/upload.py', symbol = 'send_all' }

--- The diagnostic as the server publishes it: an Information where the code is gone, else a Hint.
local function diagnostic()
  return {
    range = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 12 } },
    message = 'This note names send_all, which is gone: The ledger is append-only.',
    severity = 3,
    source = 'ibid',
    code = 'note-gone',
    data = DATA,
  }
end

---@param title string
---@param command string
---@param over? table
local function action(title, command, over)
  local argument = vim.tbl_extend('force', { project = root, id = 'n-1aa' }, over or {})
  return {
    title = title,
    kind = 'quickfix',
    diagnostics = { diagnostic() },
    command = { title = title, command = command, arguments = { argument } },
  }
end

--- Opens the file, waits for the server and publishes the diagnostic.
local function start()
  fake.reset()
  fake.answers['workspace/textDocumentContent'] = function(params)
    return { text = '# ' .. params.uri }
  end
  fake.answers['ibid/note/list'] = function()
    return { notes = { fake.note() }, total = 1, counts = {} }
  end
  fake.answers['textDocument/codeAction'] = function()
    return {
      action('Update note', 'ibid.correctNote'),
      action('Still true', 'ibid.server.confirmNote', { path = 'src/upload.py' }),
      action('Forget', 'ibid.forgetNote'),
    }
  end
  fake.answers['workspace/executeCommand'] = function()
    return vim.NIL
  end
  t.write(file, 'def send_all():\n    pass\n')
  vim.cmd.edit(file)
  t.wait('a server', function()
    local client = vim.lsp.get_clients({ name = 'ibid', bufnr = 0 })[1]
    return client and client.initialized
  end)
  fake.notify('textDocument/publishDiagnostics', { uri = uri, diagnostics = { diagnostic() } })
  t.wait('the diagnostic', function()
    return #vim.diagnostic.get(0) == 1
  end)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
end

--- Picks a code action as `gra` does.
---@param label string
local function act(label)
  t.choose(label)
  vim.lsp.buf.code_action()
  t.wait('the choice', function()
    return #t.chosen == 0
  end)
end

t.test('a note whose code is gone is a quiet diagnostic', function()
  start()
  local shown = vim.diagnostic.get(0)[1]
  t.eq(shown.severity, vim.diagnostic.severity.INFO)
  t.eq({ shown.source, shown.code }, { 'ibid', 'note-gone' })
  t.has(shown.message, 'which is gone')
end)

t.test('the server is asked for actions with the diagnostic as it gave it', function()
  start()
  act('Still true')
  local context = fake.asked('textDocument/codeAction')[1].context
  t.eq(#context.diagnostics, 1)
  t.eq(context.diagnostics[1].data, DATA)
  t.eq({ context.diagnostics[1].source, context.diagnostics[1].code }, { 'ibid', 'note-gone' })
end)

t.test('*Still true* is the server’s command', function()
  start()
  act('Still true')
  t.wait('the command', function()
    return #fake.asked('workspace/executeCommand') == 1
  end)
  t.eq(fake.asked('workspace/executeCommand'), {
    {
      command = 'ibid.server.confirmNote',
      arguments = { { project = root, id = 'n-1aa', path = 'src/upload.py' } },
    },
  })
end)

t.test('*Update note* opens the wording, and :w corrects the note', function()
  start()
  fake.answers['ibid/note/correct'] = function(params)
    return fake.note({ id = 'n-2bb', text = params.text, pinned = true })
  end
  act('Update note')
  t.shows('The ledger is append-only.')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'Use send() instead.' })
  vim.cmd.write()
  t.said('n-2bb holds now')
  local asked = { id = 'n-1aa', text = 'Use send() instead.', version = 3, project = root }
  t.eq(fake.asked('ibid/note/correct'), { asked })
end)

t.test('*Forget* forgets, and says the way back', function()
  start()
  fake.answers['ibid/note/forget'] = function()
    return fake.note({ active = false, state = 'forgotten' })
  end
  act('Forget')
  t.has(t.said('forgotten').text, ':Ibid restore n-1aa')
  t.eq(fake.asked('ibid/note/forget'), { { id = 'n-1aa', project = root } })
end)

t.test('a note that is not listed is not opened empty', function()
  start()
  fake.answers['ibid/note/list'] = function()
    return { notes = {}, total = 0, counts = {} }
  end
  act('Update note')
  t.said('the words of n-1aa were not found')
  t.eq(vim.api.nvim_buf_get_name(0), file)
end)

t.test('when the code is right again the diagnostic goes', function()
  start()
  fake.notify('textDocument/publishDiagnostics', { uri = uri, diagnostics = {} })
  t.wait('none', function()
    return #vim.diagnostic.get(0) == 0
  end)
end)

--- Shows a hover and puts the cursor into it, as `K` twice does.
---@param value string
local function hover(value)
  start()
  fake.answers['textDocument/hover'] = function()
    return { contents = { kind = 'markdown', value = value } }
  end
  vim.lsp.buf.hover()
  t.wait('the hover', function()
    return vim.b.lsp_floating_preview and vim.api.nvim_win_is_valid(vim.b.lsp_floating_preview)
  end)
  vim.lsp.buf.hover()
  t.wait('the cursor in it', function()
    return vim.api.nvim_win_get_config(0).relative ~= ''
  end)
end

---@param command string
---@param argument table
local function link(command, argument)
  local given = vim.uri_encode(vim.json.encode({ argument }), 'rfc2396')
  return ('command:%s?%s'):format(command, given)
end

t.test('a document that a hover links opens from it', function()
  hover('**Decision**\n\n[Open evidence](ibid://note/n-1aa)')
  t.go_to('Open')
  t.press('<CR>')
  t.shows('# ibid://note/n-1aa')
  t.eq(vim.api.nvim_win_get_config(0).relative, '')
end)

t.test('a command that a hover links runs, and forgetting asks first', function()
  hover(('[Correct](%s)'):format(link('ibid.correctNote', { project = root, id = 'n-1aa' })))
  t.go_to('Correct')
  t.press('<CR>')
  t.shows('The ledger is append-only.')
  vim.cmd('quit!')
  local forget = ('[Forget](%s)'):format(link('ibid.forgetNote', { id = 'n-1aa' }))
  hover(forget)
  t.choose('Keep it')
  t.press('<CR>')
  t.eq(fake.asked('ibid/note/forget'), {})
  hover(forget)
  fake.answers['ibid/note/forget'] = function()
    return fake.note({ active = false })
  end
  t.choose('Forget it')
  t.press('gf')
  t.said('forgotten')
end)

t.test('what is no link of ours is none in a hover', function()
  local links = require('ibid.hover').links
  local forget = link('ibid.forgetNote', { id = 'n-1aa' })
  t.eq(#links(('[x](%s)'):format(forget)), 1)
  t.eq(links(('\\[x\\](%s)'):format(forget)), {})
  t.eq(links(('[x\\](%s)'):format(forget)), {})
  t.eq(links('[x](command:workbench.action.quit)'), {})
  hover('Nothing of ours: [x](https://example.invalid)')
  t.eq(vim.fn.maparg('<CR>', 'n'), '')
end)

t.test('a link with broken or unknown words runs nothing', function()
  local run = require('ibid.offered').run_uri
  for _, bad in ipairs({
    'command:ibid.openNotes?%7Bnot json',
    'command:ibid.deleteEverything?[]',
    'command:ibid.openNotes?7',
    'command:',
  }) do
    t.messages = {}
    run(bad)
    t.said('leads nowhere')
  end
end)

t.finish()
