--- `:checkhealth ibid`.
local M = {}

local health = vim.health

--- Milliseconds that one answer may take here.
local PATIENCE = 3000

--- Runs every check.
function M.check()
  M.check_editor()
  local found = M.check_server()
  M.check_options()
  M.check_environment()
  if found then
    M.check_projects()
  end
end

function M.check_editor()
  health.start('Ibid: editor')
  local version = tostring(vim.version())
  if vim.fn.has('nvim-0.11') == 1 then
    health.ok('Neovim ' .. version)
  else
    health.error('Neovim ' .. version .. ' is too old', 'Install Neovim 0.11 or newer.')
  end
  if vim.lsp.is_enabled and not vim.lsp.is_enabled('ibid') then
    health.warn('The server is not started for files', "Call vim.lsp.enable('ibid').")
  end
  local how = vim.lsp.codelens.enable and 'by Neovim' or 'by Ibid, on BufEnter and after changes'
  if require('ibid.config').get().lenses then
    health.ok('Lenses are kept fresh ' .. how)
  else
    health.info('Lenses are switched off')
  end
  if vim.fn.executable('git') == 0 then
    health.info('git was not found; projects are still recognised by their folders')
  end
end

--- The program, and whether its release is ours.
---@return boolean found
function M.check_server()
  health.start('Ibid: server')
  local server = require('ibid.server')
  local command = server.effective_command()
  if not command then
    health.info('The server is started by a function in vim.lsp.config')
    return true
  end
  local path = vim.fn.exepath(command[1])
  if path == '' then
    health.error(('`%s` was not found'):format(command[1]), {
      ('Install it: %s'):format(server.INSTALL),
      'Or say where it is: vim.g.ibid = { cmd = { "/path/to/ibid", "lsp" } }',
    })
    return false
  end
  health.ok(('%s: %s'):format(table.concat(command, ' '), path))
  M.check_release(command)
  return true
end

---@param command string[]
function M.check_release(command)
  local asked = vim.list_slice(command)
  if asked[#asked] ~= 'lsp' then
    return
  end
  asked[#asked] = '--version'
  local ok, process = pcall(vim.system, asked, { text = true, timeout = PATIENCE })
  local answer = ok and process:wait() or {}
  local theirs = (answer.stdout or ''):match('%d+%.%d+[%w.+-]*')
  local ours = require('ibid').version
  if answer.code ~= 0 or not theirs then
    health.warn(
      'The server did not tell its release',
      'Run it in a terminal: ' .. table.concat(asked, ' ')
    )
  elseif theirs ~= ours then
    health.warn(
      ('Server %s and plugin %s are of different releases'):format(theirs, ours),
      'Update the older one.'
    )
  else
    health.ok('Server and plugin are release ' .. ours)
  end
end

function M.check_options()
  health.start('Ibid: options')
  local problems = require('ibid.config').problems()
  for _, problem in ipairs(problems) do
    health.warn(problem, 'See :help ibid-options.')
  end
  if #problems == 0 then
    health.ok('No unknown or unfitting option')
  end
  local home = require('ibid.config').get().home or vim.env.IBID_HOME
  health.info('Data: ' .. (home or "the platform's folder for user data"))
end

--- Switches in the environment that silence Ibid.
function M.check_environment()
  local found = {}
  for _, name in ipairs({
    'IBID_DISABLE',
    'IBID_NO_CAPTURE',
    'IBID_NO_RECALL',
    'IBID_NO_STUBS',
    'IBID_MEASURE_ONLY',
  }) do
    if vim.env[name] then
      table.insert(found, name)
    end
  end
  if #found > 0 then
    health.warn(
      'Set in the environment: ' .. table.concat(found, ', '),
      'Unset what you did not mean.'
    )
  end
end

--- The running servers, each asked for its state.
function M.check_projects()
  health.start('Ibid: projects')
  local server = require('ibid.server')
  for root, stopped in pairs(server.stopped) do
    health.error(('%s: %s'):format(root, server.epitaph(stopped)), 'Run :Ibid restart.')
  end
  local clients = server.running()
  for _, client in ipairs(clients) do
    M.check_project(client)
  end
  if #clients == 0 and vim.tbl_isempty(server.stopped) then
    health.info('No server runs. Open a file of a project (a folder with .git or .ibid).')
  end
end

--- Asks and waits: the one place that does. A health check has nothing else to do, and it ends.
---@param root string
---@param method string
---@param params table
---@return ibid.Error? err
---@return any answer
local function ask(root, method, params)
  local err, answer
  local options = { root = root, timeout = PATIENCE }
  require('ibid.request').send(method, params, options, function(problem, result)
    err, answer = problem, result
  end)
  vim.wait(PATIENCE + 500, function()
    return err ~= nil or answer ~= nil
  end, 20)
  return err, answer
end

---@param client vim.lsp.Client
function M.check_project(client)
  local err, answer = ask(client.root_dir, 'ibid/status', {})
  local text = require('ibid.text')
  if not answer then
    local message = err and text.line(err.message) or 'no answer'
    health.error(('%s: %s'):format(client.root_dir, message), 'Run :Ibid restart.')
    return
  end
  local words = ('%s: %s, %d to review'):format(
    text.line(answer.project),
    text.count(answer.notes, 'note'),
    answer.candidates
  )
  health.ok(words)
  local said = require('ibid.status').explain(answer.state)
  if answer.state == 'on' then
    health.ok('It ' .. said)
  else
    health.warn(
      'It is ' .. said,
      answer.message and { text.line(answer.message) } or ':Ibid policy'
    )
  end
  M.check_store(client.root_dir)
end

--- What the server finds when it takes a quick look at its own store.
---@param root string
function M.check_store(root)
  local text = require('ibid.text')
  local err, answer = ask(root, 'ibid/verify', { quick = true })
  if err then
    local advice = 'Run `ibid verify` in a terminal.'
    health.info(('The store was not checked: %s %s'):format(text.line(err.message), advice))
  elseif answer.ok then
    health.ok('The store is sound')
  end
  for _, problem in ipairs(answer and answer.problems or {}) do
    local words = ('%s: %s'):format(text.line(problem.where), text.line(problem.what))
    health.error(words, text.line(problem.next))
  end
end

return M
