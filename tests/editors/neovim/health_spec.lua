--- `:checkhealth ibid`: what is right, what is wrong, and what to do about it.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
local fake = dofile(vim.fs.joinpath(t.here, 'fake.lua'))
t.load()

--- Runs the check and gives its report.
---@return string
local function report()
  vim.cmd('silent checkhealth ibid')
  return t.text()
end

--- A program that says a release when it is asked.
---@param release string
---@return string[]
local function program(release)
  local path = vim.fn.tempname()
  t.write(path, ('#!/bin/sh\necho "ibid, version %s"\n'):format(release))
  vim.fn.setfperm(path, 'rwx------')
  return { path, 'lsp' }
end

t.test('a missing server comes with the way to install it', function()
  vim.g.ibid = { cmd = { 'no-such-ibid', 'lsp' } }
  local found = report()
  t.has(found, 'ERROR `no-such-ibid` was not found')
  t.has(found, 'pip install ibid-memory')
  t.lacks(found, 'projects')
end)

t.test('a server of our release is fine', function()
  vim.g.ibid = { cmd = program(require('ibid').version) }
  local found = report()
  t.has(found, 'OK Neovim 0.11')
  t.has(found, 'OK Server and plugin are release ' .. require('ibid').version)
  t.has(found, 'OK No unknown or unfitting option')
  t.has(found, 'No server runs')
  t.lacks(found, 'ERROR')
end)

t.test('a server of another release, or a silent one, is a warning', function()
  vim.g.ibid = { cmd = program('7.0.0') }
  t.has(report(), 'WARNING Server 7.0.0 and plugin')
  vim.g.ibid = { cmd = { 'false', 'lsp' } }
  t.has(report(), 'WARNING The server did not tell its release')
end)

t.test('options without effect are named', function()
  vim.g.ibid = { cmd = program('0.1.0'), colour = 'red' }
  t.has(report(), 'WARNING Unknown option `colour`')
end)

t.test('switches in the environment are named', function()
  vim.env.IBID_NO_RECALL = '1'
  t.has(report(), 'WARNING Set in the environment: IBID_NO_RECALL')
  vim.env.IBID_NO_RECALL = nil
end)

t.test('a running server is asked for its state', function()
  vim.g.ibid = nil
  vim.lsp.config('ibid', { cmd = fake.cmd })
  vim.cmd.edit(t.project() .. '/a.txt')
  t.wait('a server', function()
    local client = vim.lsp.get_clients({ name = 'ibid' })[1]
    return client and client.initialized
  end)
  local found = report()
  t.has(found, 'OK /somewhere: 1 note, 2 to review')
  t.has(found, 'OK It learns and recalls')
end)

t.test('what the server finds in its store is told, with what to do', function()
  fake.answers['ibid/verify'] = function()
    return { ok = true, checked = {}, problems = {} }
  end
  vim.cmd.edit(t.project() .. '/a.txt')
  t.has(report(), 'OK The store is sound')
  fake.answers['ibid/verify'] = function()
    local problem = { what = 'digest differs', where = 'archive 12', next = 'ibid restore' }
    return { ok = false, checked = {}, problems = { problem } }
  end
  local found = report()
  t.has(found, 'ERROR archive 12: digest differs')
  t.has(found, 'ibid restore')
  t.lacks(found, 'sound')
end)

t.test('a refused memory says by what and what to do', function()
  vim.cmd.edit(t.project() .. '/a.txt')
  fake.answers['ibid/status'] = function()
    return fake.status({ state = 'refused', message = 'cavemem is active (hook in settings.json).' })
  end
  local found = report()
  t.has(found, 'WARNING It is refused: another memory layer is active')
  t.has(found, 'cavemem is active')
end)

t.test('a dead server is an error with its cure', function()
  local root = t.project()
  vim.cmd.edit(root .. '/a.txt')
  t.wait('a server', function()
    return #vim.lsp.get_clients({ name = 'ibid', bufnr = 0 }) == 1
  end)
  fake.die(3, 0)
  t.said('the server stopped')
  local found = report()
  t.has(found, ('ERROR %s: Ibid: the server stopped (exit status 3)'):format(root))
  t.has(found, 'Run :Ibid restart')
end)

t.finish()
