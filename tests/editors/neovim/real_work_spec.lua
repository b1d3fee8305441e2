--- The real server at work: the archive, reads, lenses, stale notes, accounts, what is handed on.
---
--- The tests run in order: each stands on what came before.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
local real = dofile(vim.fs.joinpath(t.here, 'real.lua'))
real.start(t)
t.load(vim.g.ibid)

local file = real.root .. '/src/upload.py'

--- Opens the file and waits for the server.
local function open()
  real.open(t, file)
end

t.test('notes about code are there, and one was recalled', function()
  t.write(file, 'RETRIES = 3\n\n\ndef backoff(attempt):\n    return attempt\n')
  local about = { '--path', 'src/upload.py', '--symbol', 'backoff' }
  real.run('note', 'add', 'Backoff doubles up to 60 seconds.', unpack(about))
  real.run('note', 'add', 'Never log request bodies in payments.')
  real.run('recall', 'may I log request bodies in payments?', '--session', 'sess-2')
  open()
  vim.cmd('Ibid notes')
  t.shows('60 seconds')
  t.has(t.text(), 'Never log request bodies')
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

t.finish()
