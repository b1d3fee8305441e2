--- The server's process: found, started, watched, started again.
local M = {}

M.INSTALL = 'pip install ibid-memory'

--- How each project's last server ended, while no new one runs.
---@type table<string, { code: integer, signal: integer }>
M.stopped = {}

--- Clients whose end we asked for.
---@type table<integer, boolean>
local expected = {}

--- The command that starts a server.
---@return string[]
function M.command()
  return require('ibid.config').get().cmd or { 'ibid', 'lsp' }
end

--- The command that will be run, also when `vim.lsp.config` set it; nil when that is a function
--- of the user's, of which nothing can be known.
---@return string[]?
function M.effective_command()
  local cmd = (vim.lsp.config.ibid or {}).cmd
  if cmd == M.spawn then
    return M.command()
  end
  return type(cmd) == 'table' and cmd or nil
end

--- The program that is to be run but is not there.
---@return string?
function M.missing_program()
  local command = M.effective_command()
  if command and vim.fn.executable(command[1]) == 0 then
    return command[1]
  end
end

--- Whether the server can be started. Says once what to do when it cannot.
---@return boolean
function M.is_installed()
  local program = M.missing_program()
  if program then
    vim.notify_once(M.missing(program), vim.log.levels.WARN)
  end
  return program == nil
end

---@param program string
---@return string
function M.missing(program)
  local message =
    'Ibid: its server `%s` was not found. Install it with `%s`, or set `vim.g.ibid.cmd`.'
  return message:format(program, M.INSTALL)
end

--- `vim.lsp.Config.cmd`: starts the process.
---@param dispatchers vim.lsp.rpc.Dispatchers
---@param config vim.lsp.ClientConfig
---@return vim.lsp.rpc.PublicClient
function M.spawn(dispatchers, config)
  local root = config.root_dir --[[@as string?]]
  return vim.lsp.rpc.start(M.command(), dispatchers, {
    cwd = config.cmd_cwd or root,
    env = config.cmd_env,
    detached = config.detached,
  })
end

--- Our clients that run or are about to.
---@return vim.lsp.Client[]
function M.running()
  return vim.tbl_filter(function(client)
    return not client:is_stopped() and client.root_dir ~= nil
  end, vim.lsp.get_clients({ name = 'ibid', _uninitialized = true }))
end

--- The client that serves `root`, started when there is none. A server that died stays dead until
--- someone restarts it: a crash must not become a loop.
---@param root string
---@return vim.lsp.Client? client
---@return string? problem why there is none
function M.ensure(root)
  for _, client in ipairs(M.running()) do
    if client.root_dir == root then
      return client
    end
  end
  local stopped = M.stopped[root]
  if stopped then
    return nil, M.epitaph(stopped)
  end
  return M.start(root)
end

--- Starts a server for `root`, without a buffer.
---@param root string
---@return vim.lsp.Client? client
---@return string? problem
function M.start(root)
  local resolved = vim.lsp.config.ibid
  if not resolved then
    return nil, "Ibid: Neovim does not find `lsp/ibid.lua`; is the plugin on the 'runtimepath'?"
  end
  local program = M.missing_program()
  if program then
    return nil, M.missing(program)
  end
  local config = vim.deepcopy(resolved)
  config.root_dir = root
  local ok, id = pcall(vim.lsp.start, config, { attach = false, silent = true })
  local client = ok and id and vim.lsp.get_client_by_id(id) or nil
  if not client then
    return nil, 'Ibid: the server did not start. :Ibid log shows why.'
  end
  M.stopped[root] = nil
  return client
end

--- `vim.lsp.Config.on_exit`: answers what is still asked, and says when nobody wanted this end.
---@param code integer
---@param signal integer
---@param client_id integer
function M.exited(code, signal, client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  local root = client and client.root_dir
  local wanted = expected[client_id] or (client and client._is_stopping)
  expected[client_id] = nil
  vim.schedule(function()
    if vim.v.exiting ~= vim.NIL then
      return
    end
    if root and not wanted then
      M.stopped[root] = { code = code, signal = signal }
      vim.notify(M.epitaph(M.stopped[root]), vim.log.levels.WARN)
    end
    require('ibid.request').fail_all(client_id, M.epitaph({ code = code, signal = signal }))
    require('ibid.status').forget(root)
  end)
end

---@param stopped { code: integer, signal: integer }
---@return string
function M.epitaph(stopped)
  local how = stopped.signal ~= 0 and ('signal %d'):format(stopped.signal)
    or ('exit status %d'):format(stopped.code)
  local message =
    'Ibid: the server stopped (%s). :Ibid restart starts it again, :Ibid log shows why.'
  return message:format(how)
end

--- Ends every server of ours and starts one for each project again, with its buffers.
---@param here string the project that gets a server even if it had none
---@param on_done fun(roots: string[])
function M.restart(here, on_done)
  local roots = { [here] = {} } ---@type table<string, integer[]>
  for root in pairs(M.stopped) do
    roots[root] = {}
  end
  local old = M.running()
  for _, client in ipairs(old) do
    roots[client.root_dir] = {}
    expected[client.id] = true
    client:stop()
  end
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local root = vim.api.nvim_buf_is_loaded(bufnr) and require('ibid.project').of_file(bufnr)
    if root then
      roots[root] = roots[root] or {}
      table.insert(roots[root], bufnr)
    end
  end
  M.stopped = {}
  M.when_gone(old, function()
    for root, buffers in pairs(roots) do
      M.revive(root, buffers)
    end
    on_done(vim.tbl_keys(roots))
  end)
end

--- Starts the server of one project and attaches its buffers.
---@param root string
---@param buffers integer[]
function M.revive(root, buffers)
  local client, problem = M.ensure(root)
  if not client then
    vim.notify(problem --[[@as string]], vim.log.levels.ERROR)
    return
  end
  for _, bufnr in ipairs(buffers) do
    vim.lsp.buf_attach_client(bufnr, client.id)
  end
end

--- Waits, without blocking, until the clients have ended; after a second they are killed.
---@param clients vim.lsp.Client[]
---@param on_gone fun()
---@param waited? integer milliseconds
function M.when_gone(clients, on_gone, waited)
  waited = waited or 0
  local alive = vim.tbl_filter(function(client)
    return not client.rpc.is_closing()
  end, clients)
  if #alive == 0 or waited >= 2000 then
    on_gone()
    return
  end
  if waited == 1000 then
    for _, client in ipairs(alive) do
      client:stop(true)
      client.rpc.terminate()
    end
  end
  vim.defer_fn(function()
    M.when_gone(alive, on_gone, waited + 50)
  end, 50)
end

return M
