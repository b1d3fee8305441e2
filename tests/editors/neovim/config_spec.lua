--- Options, and what the server is started with.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
local fake = dofile(vim.fs.joinpath(t.here, 'fake.lua'))
t.load()
vim.lsp.config('ibid', { cmd = fake.cmd })
local config = require('ibid.config')
local ibid = require('ibid')

local function forget_options()
  vim.g.ibid = nil
  config.set(nil)
end

t.test('without setup the plugin is enabled with its defaults', function()
  forget_options()
  t.ok(vim.lsp.is_enabled('ibid'), 'the server is enabled')
  t.eq(config.get(), config.defaults)
  t.eq(config.problems(), {})
end)

t.test('vim.g.ibid overrides the defaults, setup overrides both', function()
  vim.g.ibid = { page = 7, timeout = 500 }
  t.eq(config.get().page, 7)
  ibid.setup({ page = 9 })
  t.eq(config.get().page, 9)
  t.eq(config.get().timeout, 500)
  forget_options()
end)

t.test('vim.g.ibid may be a function', function()
  vim.g.ibid = function()
    return { open = 'tab' }
  end
  t.eq(config.get().open, 'tab')
  forget_options()
end)

t.test('an option that does not fit is left out and named', function()
  vim.g.ibid = { page = 'many', colour = 'red', open = 'float', cmd = {} }
  t.eq(config.get(), config.defaults)
  local problems = table.concat(config.problems(), '\n')
  t.has(problems, 'Unknown option `colour`')
  t.has(problems, '`page` cannot be "many"')
  t.has(problems, '`open` cannot be "float"')
  t.has(problems, '`cmd` cannot be {}')
  forget_options()
end)

t.test('every option has a check and a place in the help', function()
  local help = table.concat(vim.fn.readfile(t.here .. '/../../../client-nvim/doc/ibid.txt'), '\n')
  local options = { 'cmd', 'home' }
  vim.list_extend(options, vim.tbl_keys(config.defaults))
  for _, name in ipairs(options) do
    vim.g.ibid = { [name] = vim.empty_dict and function() end }
    t.has(table.concat(config.problems(), '\n'), ('`%s` cannot be'):format(name))
    t.has(help, ('*ibid-option-%s*'):format(name))
  end
  forget_options()
end)

t.test('setup switches the server off and on', function()
  ibid.setup({ enable = false })
  t.ok(not vim.lsp.is_enabled('ibid'), 'disabled')
  ibid.setup({})
  t.ok(vim.lsp.is_enabled('ibid'), 'enabled again')
end)

t.test('the server is started with the options and our client commands', function()
  vim.g.ibid = { home = '/data', watch = false, hovers = false }
  vim.lsp.config('ibid', { init_options = { lenses = false } })
  vim.cmd.edit(t.project() .. '/a.py')
  local params = t.wait('initialize', function()
    return fake.initialized_with
  end)
  t.eq(params.initializationOptions, {
    home = '/data',
    watch = false,
    hovers = false,
    lenses = false,
    commands = require('ibid.config').COMMANDS,
  })
  t.ok(params.capabilities.workspace.textDocumentContent, 'documents are announced')
  forget_options()
end)

t.test('the command is vim.g.ibid.cmd, else ibid on the PATH', function()
  local server = require('ibid.server')
  t.eq(server.command(), { 'ibid', 'lsp' })
  vim.g.ibid = { cmd = { 'python3', '-m', 'ibid', 'lsp' } }
  t.eq(server.command(), { 'python3', '-m', 'ibid', 'lsp' })
  forget_options()
end)

t.test('a missing server is told once, with the way to install it', function()
  vim.lsp.config('ibid', { cmd = { 'no-such-ibid', 'lsp' } })
  local root = t.project()
  -- A configured list is checked by Neovim itself, which only logs; our own function is not.
  vim.lsp.config('ibid', { cmd = require('ibid.server').spawn })
  vim.g.ibid = { cmd = { 'no-such-ibid', 'lsp' } }
  vim.cmd.edit(root .. '/a.py')
  vim.cmd.edit(root .. '/b.py')
  local message = t.said('`no-such-ibid` was not found')
  t.has(message.text, 'pip install ibid-memory')
  t.eq(#t.messages, 1)
  vim.cmd('Ibid queue')
  t.shows('pip install ibid-memory')
  forget_options()
  vim.lsp.config('ibid', { cmd = fake.cmd })
end)

t.test('a server of another release is told once', function()
  fake.info = { name = 'ibid', version = '9.9.9' }
  local root = t.project()
  vim.cmd.edit(root .. '/a.py')
  t.has(t.said('server 9.9.9').text, require('ibid').version)
  vim.cmd.edit(t.project() .. '/b.py')
  vim.wait(100)
  t.eq(#t.messages, 1)
  fake.info = { name = 'ibid', version = require('ibid').version }
end)

t.finish()
