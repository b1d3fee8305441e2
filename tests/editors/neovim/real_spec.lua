--- The client with the real server, from an empty memory to a dead process.
---
--- The tests run in order, as a person's first hour would: each stands on what came before.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
local real = dofile(vim.fs.joinpath(t.here, 'real.lua'))
real.start(t)
t.load(vim.g.ibid)

local file = real.root .. '/src/upload.py'

--- Opens the file and waits for the server.
local function open()
  vim.cmd.edit(file)
  t.wait('the server', function()
    local client = vim.lsp.get_clients({ name = 'ibid', bufnr = 0 })[1]
    return client and client.initialized
  end)
end

--- Waits until the current buffer no longer contains a text.
---@param part string
local function vanishes(part)
  t.wait(function()
    return ('no %q in\n%s'):format(part, t.text())
  end, function()
    return not t.text():find(part, 1, true)
  end)
end

---@return table<integer, string> line → lens
local function lenses()
  local found = {}
  for name, namespace in pairs(vim.api.nvim_get_namespaces()) do
    if name:find('codelens:', 1, true) then
      local marks = vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })
      for _, mark in ipairs(marks) do
        found[mark[2]] = mark[4].virt_text[1][1]
      end
    end
  end
  return found
end

t.test('a file of a project starts the server, which is of our release', function()
  t.write(file, 'RETRIES = 3\n\n\ndef backoff(attempt):\n    return attempt\n')
  open()
  t.wait('the status line', function()
    return require('ibid').statusline():find('^ibid')
  end)
  local client = vim.lsp.get_clients({ name = 'ibid', bufnr = 0 })[1]
  t.eq(client.server_info, { name = 'ibid', version = require('ibid').version })
  t.eq(t.messages, {})
end)

t.test('an empty memory says how it fills', function()
  open()
  vim.cmd('Ibid queue')
  t.shows('Nothing waits for review.')
  vim.cmd('Ibid notes')
  t.shows('No notes yet.')
  vim.cmd('Ibid receipts')
  t.shows('Nothing was recalled yet.')
  vim.cmd('Ibid sessions')
  t.shows('No agent has worked here yet.')
end)

t.test(':Ibid import reads a session and says what it found', function()
  open()
  local path = real.transcript(t, 'sess-1', {
    { 'Never log request bodies in payments.', 'Noted, nothing logs them now.' },
    { 'We decided that uploads are stored in S3.', 'They are.' },
    { 'Use pnpm, not npm.', 'Switched the scripts.' },
  })
  vim.cmd('Ibid import ' .. vim.fn.fnameescape(path))
  t.has(t.said('Ibid: read').text, 'read 1 session with 3 turns')
  t.wait('candidates in the status line', function()
    return require('ibid').statusline():find('3 to review', 1, true)
  end)
end)

t.test('the queue shows each sentence, its turn and why it was kept', function()
  open()
  vim.cmd('Ibid queue')
  t.shows('Never log request bodies in payments')
  t.has(t.text(), 'said in turn 1 of')
  t.has(t.text(), 'uploads are stored in S3')
  t.has(t.text(), 'said in turn 2 of')
  t.has(t.text(), 'Use pnpm, not npm')
end)

t.test('a rejected candidate goes, and comes back with u', function()
  open()
  vim.cmd('Ibid queue')
  t.shows('Use pnpm')
  t.go_to('Use pnpm')
  t.press('x')
  vanishes('Use pnpm')
  t.press('u')
  t.shows('Use pnpm')
end)

t.test('a candidate is reworded and then snoozed', function()
  open()
  vim.cmd('Ibid queue')
  t.shows('Use pnpm')
  t.go_to('Use pnpm')
  t.press('e')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'Use pnpm, not npm, in this repository.' })
  vim.cmd.write()
  t.said('reworded')
  t.shows('in this repository.')
  t.go_to('Use pnpm')
  t.choose('for a day')
  t.press('z')
  t.said('snoozed')
  t.shows('⏾ snoozed')
end)

t.test('an accepted candidate is a note at once', function()
  open()
  vim.cmd('Ibid queue')
  t.shows('Never log')
  t.go_to('Never log')
  t.press('a')
  t.said('now a note')
  vanishes('Never log')
  vim.cmd('Ibid notes')
  t.shows('Never log request bodies in payments')
end)

t.test('a stale wording is refused and nothing is lost', function()
  open()
  vim.cmd('Ibid queue')
  t.shows('stored in S3')
  t.go_to('stored in S3')
  t.press('e')
  local row = real.run('review', 'list')
  local id = vim.iter(row):find(function(candidate)
    return candidate.text:find('stored in S3', 1, true)
  end).id
  real.run('review', 'edit', id, 'We decided that uploads are stored in MinIO.')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'We decided that uploads are stored nowhere.' })
  vim.cmd.write()
  t.wait('a refusal', function()
    return t.messages[1] and t.messages[1].level == vim.log.levels.ERROR
  end)
  t.shows('stored in MinIO')
end)

t.test('a note about a selected name gets a lens, a hover and a page', function()
  open()
  t.go_to('backoff')
  t.press('viw<Esc>')
  vim.cmd("'<,'>Ibid add Backoff doubles up to 30 seconds.")
  t.has(t.said('noted').text, 'about src/upload.py')
  t.wait('a lens', function()
    return lenses()[3]
  end)
  t.has(lenses()[3], 'ibid: 1 note')
  t.go_to('backoff')
  t.press('K')
  local float = t.wait('a hover', function()
    return vim.iter(vim.api.nvim_list_wins()):find(function(win)
      return vim.api.nvim_win_get_config(win).relative ~= ''
    end)
  end)
  t.has(t.text(vim.api.nvim_win_get_buf(float)), 'Backoff doubles up to 30 seconds')
  vim.cmd('silent! fclose!')
  t.choose('ibid: 1 note')
  vim.lsp.codelens.run()
  t.shows('Backoff doubles up to 30 seconds')
  t.has(vim.api.nvim_buf_get_name(0), 'ibid://note/')
end)

t.test('the server opens a note by itself where a client lists no command', function()
  open()
  local note = real.run('note', 'list')[1]
  local client = vim.lsp.get_clients({ name = 'ibid', bufnr = 0 })[1]
  client:exec_cmd({
    title = 'a lens of the server',
    command = 'ibid.server.showNotes',
    arguments = { { project = real.root, ids = { note.id } } },
  })
  t.shows(note.text)
  t.has(vim.api.nvim_buf_get_name(0), 'ibid://note/')
end)

t.test('a note is pinned, corrected, forgotten and restored', function()
  open()
  vim.cmd('Ibid notes')
  t.shows('Backoff doubles')
  t.go_to('Backoff doubles')
  t.press('p')
  t.shows('● ')
  t.go_to('Backoff doubles')
  t.press('c')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'Backoff doubles up to 60 seconds.' })
  vim.cmd.write()
  t.said('corrected')
  t.shows('60 seconds')
  t.go_to('60 seconds')
  t.press('f')
  t.said('forgotten')
  t.wait('its end or its mark', function()
    local text = t.text()
    return not text:find('60 seconds', 1, true) or text:find('forgotten', 1, true)
  end)
  t.press('u')
  t.said('restored')
  t.shows('60 seconds')
end)

t.test('a note’s evidence leads to the turn where it was said', function()
  open()
  vim.cmd('Ibid notes')
  t.shows('Never log')
  t.go_to('Never log')
  t.press('E')
  t.shows('> Never log request bodies in payments')
  t.go_to('[the turn]')
  t.press('<CR>')
  t.shows('Noted, nothing logs them now.')
  t.has(vim.api.nvim_buf_get_name(0), 'ibid://turn/sess-1/1')
end)

t.test('a recall leaves a receipt, which the note’s usage lists', function()
  open()
  real.run('recall', 'may I log request bodies in payments?', '--session', 'sess-2')
  vim.cmd('Ibid receipts')
  t.shows('block')
  t.press('<CR>')
  t.shows('Never log request bodies in payments')
  t.has(vim.api.nvim_buf_get_name(0), 'ibid://receipt/')
  vim.cmd('Ibid notes')
  t.shows('Never log')
  t.go_to('Never log')
  t.press('U')
  t.shows('block')
end)

t.test(':Ibid recall shows what an agent would be given', function()
  open()
  vim.cmd('Ibid recall may I log request bodies in payments?')
  t.shows('Block as it would be sent')
  t.has(t.text(), 'untrusted recalled context')
  vim.cmd('Ibid recall ok')
  t.shows('Nothing:')
end)

t.test(':Ibid search finds notes and what was said', function()
  open()
  t.choose('Never log')
  vim.cmd('Ibid search request bodies payments')
  t.shows('Never log request bodies in payments')
  t.ok(#t.pickers[1].labels >= 2, 'note and prompt are found: ' .. vim.inspect(t.pickers[1].labels))
  vim.cmd('Ibid search zzzzqqq')
  t.wait('an answer', function()
    return #t.messages > 0
  end)
end)

t.test(':Ibid archive finds what a command printed, and expands it to the byte', function()
  local output = 'FAILED tests/test_upload.py::test_resume - AssertionError: 416 != 206\n'
  local lines = vim.fn.readfile(file)
  local path = real.transcript(t, 'sess-4', {
    {
      'why is the upload test red?',
      'The server answers 416.',
      did = {
        {
          type = 'tool',
          id = 'call-1',
          name = 'Bash',
          input = { command = 'pytest' },
          output = output:rep(30),
        },
        {
          type = 'read',
          id = 'call-2',
          path = file,
          first = 1,
          last = #lines,
          total = #lines,
          text = table.concat(lines, '\n') .. '\n',
        },
      },
    },
  })
  open()
  vim.cmd('Ibid import ' .. vim.fn.fnameescape(path))
  t.said('Ibid: read')
  vim.cmd('Ibid archive AssertionError test_resume')
  t.shows('AssertionError: 416 != 206')
  t.press('y')
  local handle = vim.fn.getreg(vim.v.register)
  t.ok(#handle == 24 and not handle:find('%X'), 'a handle: ' .. handle)
  t.press('<CR>')
  t.shows(vim.trim(output:rep(30)))
  t.has(vim.api.nvim_buf_get_name(0), 'ibid://archive/' .. handle)
end)

t.test(':Ibid reads tells who read a file, and that it changed since', function()
  open()
  vim.cmd('Ibid reads')
  t.shows('src/upload.py')
  t.press('<CR>')
  t.shows('1 session')
  t.has(t.text(), 'unchanged')
  t.has(t.text(), 'lines 1–5')
  t.has(t.text(), 'claude-code')
  t.go_to('lines 1')
  t.press('t')
  t.shows('The server answers 416.')
  vim.cmd('Ibid reads ' .. file)
  t.shows('lines 1–5')
  t.write(file, 'RETRIES = 3\n\n\ndef backoff(attempt):\n    return 2 * attempt\n')
  t.press('R')
  t.shows('backoff() changed')
  t.go_to('lines 1')
  t.press('o')
  t.eq(vim.api.nvim_buf_get_name(0), file)
end)

--- Runs one of the buffer's lenses.
---@param pattern string of its title
local function run_lens(pattern)
  local lens = t.wait('a lens ' .. pattern, function()
    return vim.iter(vim.lsp.codelens.get(0)):find(function(one)
      return one.command.title:find(pattern)
    end)
  end)
  local client = vim.lsp.get_clients({ name = 'ibid', bufnr = 0 })[1]
  client:exec_cmd(lens.command, { bufnr = 0 })
end

t.test('lenses lead to a file’s reads and to the recall for a symbol', function()
  open()
  run_lens('^ibid: Claude read this')
  t.shows('lines 1–5')
  t.has(vim.api.nvim_buf_get_name(0), 'ibid://history')
  open()
  run_lens('^recall$')
  t.shows('A preview: nothing was sent')
  t.has(t.text(), 'backoff')
end)

--- The diagnostics about notes in this buffer.
local function stale()
  return vim.tbl_filter(function(one)
    return one.source == 'ibid'
  end, vim.diagnostic.get(0))
end

--- Changes what `backoff` returns, on disk, as an agent would.
---@param what string
local function change(what)
  vim.cmd('silent edit!')
  vim.fn.setline(5, '    return ' .. what)
  vim.cmd('silent write')
end

t.test('a note whose code changed says so, and is still true when a person says it', function()
  open()
  change('min(60, 4 ** attempt)')
  t.wait('a diagnostic', function()
    return #stale() == 1 and stale()[1].code == 'note-changed'
  end)
  vim.api.nvim_win_set_cursor(0, { stale()[1].lnum + 1, 0 })
  t.choose('Still true')
  vim.lsp.buf.code_action()
  t.wait('its end', function()
    return #stale() == 0
  end)
  change('min(90, 8 ** attempt)')
  t.wait('another', function()
    return #stale() == 1
  end)
  vim.cmd('Ibid notes')
  t.shows('60 seconds')
  t.go_to('60 seconds')
  t.shows('(changed)')
  t.press('T')
  t.said('still true')
  open()
  t.wait('its end', function()
    return #stale() == 0
  end)
end)

t.test('a note that is no longer true is updated where it shows', function()
  open()
  change('7')
  t.wait('a diagnostic', function()
    return #stale() == 1 and stale()[1].code == 'note-changed'
  end)
  vim.api.nvim_win_set_cursor(0, { stale()[1].lnum + 1, 0 })
  t.choose('Update note')
  vim.lsp.buf.code_action()
  t.shows('60 seconds')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'Backoff is always 7 seconds.' })
  vim.cmd.write()
  t.said('corrected')
  open()
  t.wait('its end', function()
    return #stale() == 0
  end)
end)

t.test('a hover’s links lead to the note, from within the float', function()
  open()
  t.go_to('backoff')
  t.press('K')
  t.wait('the hover', function()
    return vim.b.lsp_floating_preview and vim.api.nvim_win_is_valid(vim.b.lsp_floating_preview)
  end)
  t.press('K')
  t.wait('the cursor in it', function()
    return vim.api.nvim_win_get_config(0).relative ~= ''
  end)
  t.go_to('[Open evidence]')
  t.press('<CR>')
  t.shows('Backoff is always 7 seconds.')
  t.has(vim.api.nvim_buf_get_name(0), 'ibid://note/')
end)

t.test('the net counts what was recalled, the doctor looks at this machine', function()
  open()
  vim.cmd('Ibid report')
  t.shows('block')
  t.go_to('block')
  t.has(vim.api.nvim_get_current_line(), 'saving unknown')
  t.has(t.text(), 'n=')
  vim.cmd('Ibid doctor')
  t.shows('Checks')
  t.has(t.text(), 'database')
  t.has(t.text(), 'Agents')
  t.has(t.text(), 'claude-code')
end)

t.test('a transcript is replayed, and nothing of it is kept', function()
  open()
  local before = real.run('session', 'list')
  local path = real.transcript(t, 'sess-replayed', {
    { 'Never deploy on Fridays.', 'Noted.' },
    { 'may I deploy on Friday?', 'No.' },
  })
  vim.cmd('Ibid replay ' .. vim.fn.fnameescape(path))
  t.shows('1 session of 1 project')
  t.has(t.text(), 'sess-replayed')
  t.eq(real.run('session', 'list'), before)
end)

t.test('a path is claimed for a session, listed and released', function()
  open()
  t.choose('sess-4')
  vim.cmd('Ibid claim %')
  t.said('claimed src/upload.py')
  vim.cmd('Ibid claim')
  t.shows('src/upload.py  claude-code · session sess-4')
  t.press('x')
  t.said('released src/upload.py')
  t.shows('No path is claimed.')
  vim.cmd('Ibid release ' .. file)
  t.said('nobody claims src/upload.py')
end)

t.test('a handoff is shown, and written when that is asked for', function()
  open()
  vim.cmd('Ibid handoff sess-4')
  t.shows('why is the upload test red?')
  vim.cmd('Ibid! handoff sess-4')
  local path = t.said('Ibid: wrote').text:match('wrote (%S+),')
  t.has(table.concat(vim.fn.readfile(real.root .. '/' .. path), '\n'), 'upload test red')
end)

t.test('a note goes into an instruction file only when the person says so', function()
  open()
  local note = vim.iter(real.run('note', 'list')):find(function(one)
    return one.text:find('Never log', 1, true)
  end)
  vim.cmd(('Ibid instructions %s AGENTS.md'):format(note.id))
  t.shows('Never log request bodies')
  t.eq(vim.uv.fs_stat(real.root .. '/AGENTS.md'), nil)
  t.press('a')
  t.said('changed AGENTS.md')
  t.has(t.text(), 'Never log request bodies')
  vim.cmd('silent write')
  vim.cmd(('Ibid instructions %s AGENTS.md'):format(note.id))
  t.said('AGENTS.md says so already')
end)

t.test('workspace symbols find notes by their text', function()
  open()
  vim.lsp.buf.workspace_symbol('request bodies')
  t.wait('the quickfix list', function()
    return #vim.fn.getqflist() > 0
  end)
  vim.cmd('cfirst')
  t.shows('Never log request bodies in payments')
end)

t.test('presets and switches hold', function()
  open()
  vim.cmd('Ibid preset private sess-1')
  t.has(t.said('this session is private now').text, 'write deny')
  vim.cmd('Ibid policy project recall off')
  t.said('recall is off here')
  t.wait('the status line', function()
    return require('ibid').statusline():find('learn only', 1, true)
  end)
  vim.cmd('Ibid policy')
  t.shows('recall')
  t.go_to('recall')
  t.has(vim.api.nvim_get_current_line(), 'this project: off')
  vim.cmd('Ibid policy project recall inherit')
  t.said('recall is on here')
end)

t.test('a change made elsewhere shows by itself', function()
  open()
  vim.cmd('Ibid notes')
  t.shows('Never log')
  real.run('note', 'add', 'Releases are cut on Tuesdays.')
  t.shows('Releases are cut on Tuesdays.')
end)

t.test('a deleted note is gone, for good', function()
  open()
  vim.cmd('Ibid notes')
  t.shows('Releases are cut')
  t.go_to('Releases are cut')
  local glob = real.root .. '/.ibid/notes/releases-are-cut*.md'
  t.eq(#vim.fn.glob(glob, true, true), 1)
  t.choose('Delete the note')
  t.choose('Delete the file too')
  t.press('D')
  t.said('deleted')
  vanishes('Releases are cut')
  t.eq(vim.fn.glob(glob, true, true), {})
end)

t.test('hostile words of a session are inert in the queue and on their page', function()
  open()
  local hostile = 'Never trust \27[31mred\27[0m text, \u{202e}reversed\u{202c} or hid\u{200b}den.'
  local path = real.transcript(t, 'sess-9', { { hostile, 'Done.' } })
  vim.cmd('Ibid import ' .. vim.fn.fnameescape(path))
  t.said('Ibid: read')
  vim.cmd('Ibid queue')
  t.shows('Never trust')
  local queue = t.text()
  t.go_to('Never trust')
  t.press('t')
  t.wait('the turn', function()
    return t.text():find('Never trust', 1, true)
  end)
  for _, char in ipairs({ '\27', '\u{202e}', '\u{202c}', '\u{200b}' }) do
    t.lacks(queue, char)
    t.lacks(t.text(), char)
  end
end)

t.test(':checkhealth finds the server, its release and its answer', function()
  open()
  vim.cmd('silent checkhealth ibid')
  local report = t.text()
  t.has(report, 'OK Server and plugin are release ' .. require('ibid').version)
  t.has(report, real.root)
  t.lacks(report, 'ERROR')
end)

t.test('an unknown id is answered with what to do', function()
  open()
  vim.cmd('Ibid pin n-nothere')
  t.wait('an error', function()
    return t.messages[1] and t.messages[1].level == vim.log.levels.ERROR
  end)
  vim.cmd.edit('ibid://note/n-nothere')
  t.shows('Press R to ask again.')
end)

t.test('a killed server says so, and :Ibid restart brings it back', function()
  open()
  local out = vim.fn.system({ 'pgrep', '-P', tostring(vim.uv.os_getpid()), '-f', 'ibid lsp' })
  local pid = assert(tonumber(vim.trim(out)), 'one server of this Neovim: ' .. out)
  vim.uv.kill(pid, 'sigkill')
  t.said('the server stopped (signal 9)')
  vim.cmd('Ibid queue')
  t.shows(':Ibid restart starts it again')
  vim.cmd('Ibid restart')
  t.said('restarted')
  t.shows('Never trust')
end)

t.finish()
