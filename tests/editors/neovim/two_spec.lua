--- Two Neovims at once on one project, each with its own real server on the same memory.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
local real = dofile(vim.fs.joinpath(t.here, 'real.lua'))
real.start(t)
t.load(vim.g.ibid)

local file = real.root .. '/src/upload.py'

--- What the other Neovim is told at its start: the same plugin on the same memory.
local SETUP = [[
  local plugin, ibid, home, file = ...
  vim.env.IBID_HOME, vim.g.ibid, vim.o.swapfile = home, ibid, false
  vim.opt.runtimepath:prepend(plugin)
  vim.cmd.runtime('plugin/ibid.lua')
  said = {}
  vim.notify = function(message) table.insert(said, message) end
  vim.cmd.edit(file)
]]

local other = {}

--- Runs Lua in the other Neovim; its last value comes back.
---@param code string
---@param ... any
function other.run(code, ...)
  return vim.rpcrequest(other.channel, 'nvim_exec_lua', code, { ... })
end

--- Waits until a list in the other Neovim contains a text.
---@param part string
function other.shows(part)
  local shown
  t.wait(function()
    return ('%q in the other:\n%s'):format(part, shown)
  end, function()
    shown = other.run("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')")
    return shown:find(part, 1, true)
  end)
end

--- Starts the other Neovim, once.
local function start_other()
  if other.channel then
    return
  end
  local command = { vim.v.progpath, '--clean', '--headless', '--embed' }
  other.channel = vim.fn.jobstart(command, { rpc = true })
  local plugin = vim.fs.normalize(vim.fs.joinpath(t.here, '../../../client-nvim'))
  other.run(SETUP, plugin, vim.g.ibid, real.home, file)
end

--- Opens the file here and there, and waits for both servers.
local function open()
  t.write(file, 'RETRIES = 3\n')
  vim.cmd.edit(file)
  start_other()
  t.wait('both servers', function()
    local client = vim.lsp.get_clients({ name = 'ibid', bufnr = 0 })[1]
    return client
      and client.initialized
      and other.run([[
        local client = vim.lsp.get_clients({ name = 'ibid' })[1]
        return client ~= nil and client.initialized == true
      ]])
  end)
end

t.test('what one editor notes, the other shows by itself', function()
  open()
  vim.cmd('Ibid notes')
  t.shows('No notes yet.')
  other.run("vim.cmd('Ibid notes')")
  other.shows('No notes yet.')
  other.run("vim.cmd('Ibid add Releases are cut on Tuesdays.')")
  t.shows('Releases are cut on Tuesdays.')
  other.shows('Releases are cut on Tuesdays.')
  vim.cmd('Ibid add Uploads are resumable.')
  other.shows('Uploads are resumable.')
end)

t.test('a session is imported once, whichever editor reads it', function()
  open()
  local path = real.transcript(t, 'sess-1', {
    { 'Never log request bodies in payments.', 'Noted.' },
    { 'Use pnpm, not npm.', 'Switched.' },
  })
  vim.cmd('Ibid import ' .. vim.fn.fnameescape(path))
  other.run("vim.cmd('Ibid import ' .. ...)", path)
  t.said('Ibid: read')
  vim.cmd('Ibid queue')
  t.shows('Use pnpm')
  other.run("vim.cmd('Ibid queue')")
  other.shows('Use pnpm')
  local rows = vim.tbl_filter(function(candidate)
    return candidate.text:find('Use pnpm', 1, true) ~= nil
  end, real.run('review', 'list'))
  t.eq(#rows, 1)
end)

t.test('a candidate accepted here is no longer asked about there', function()
  open()
  other.run("vim.cmd('Ibid queue')")
  other.shows('Never log')
  vim.cmd('Ibid queue')
  t.shows('Never log')
  t.go_to('Never log')
  t.press('a')
  t.said('now a note')
  t.wait('its end in the other', function()
    return other.run([[
      local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
      return not table.concat(lines, '\n'):find('Never log', 1, true)
    ]])
  end)
end)

t.test('of two wordings of one note the second is refused, and nothing is lost', function()
  open()
  vim.cmd('Ibid queue')
  t.shows('Use pnpm')
  t.go_to('Use pnpm')
  t.press('e')
  other.run([[
    vim.cmd('Ibid queue')
    local view = require('ibid.view').of()
    vim.wait(5000, function() return view.total == 1 end, 10)
    local row = view.rows[1]
    vim.cmd(('Ibid edit %s Use pnpm, never npm.'):format(row.id))
  ]])
  other.shows('Use pnpm, never npm.')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'Use yarn.' })
  vim.cmd.write()
  t.wait('a refusal', function()
    return vim.iter(t.messages):any(function(message)
      return message.level == vim.log.levels.ERROR
    end)
  end)
  t.shows('Use pnpm, never npm.')
end)

t.test('when one editor ends, the other goes on', function()
  open()
  vim.fn.jobstop(other.channel)
  t.wait('its end', function()
    return vim.fn.jobwait({ other.channel }, 0)[1] ~= -1
  end)
  vim.cmd('Ibid add The other one is gone.')
  t.said('noted')
  vim.cmd('Ibid notes')
  t.shows('The other one is gone.')
  t.eq(real.run('verify').ok, true)
end)

t.finish()
