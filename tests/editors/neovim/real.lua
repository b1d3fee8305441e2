--- The real server, with a memory of its own in a temporary folder.
local real = {}

local python = vim.env.IBID_TEST_PYTHON or 'python3'

--- Points the plugin at the server of this checkout.
---@param t table the harness
function real.start(t)
  real.home = vim.fn.tempname()
  vim.env.IBID_HOME = real.home
  real.root = t.project()
  vim.g.ibid = { cmd = { python, '-m', 'ibid', 'lsp' } }
end

--- Opens a file of the project and waits for its server.
---@param t table the harness
---@param file string
function real.open(t, file)
  vim.cmd.edit(file)
  t.wait('the server', function()
    local client = vim.lsp.get_clients({ name = 'ibid', bufnr = 0 })[1]
    return client and client.initialized
  end)
end

--- Runs the command line on the project and gives what it prints as `--json`.
---@param ... string
---@return any
function real.run(...)
  local command = { python, '-m', 'ibid', ... }
  vim.list_extend(command, { '--project', real.root, '--json' })
  local done = vim.system(command, { text = true, cwd = real.root }):wait(60000)
  if done.code ~= 0 then
    error(table.concat(command, ' ') .. ':\n' .. done.stdout .. done.stderr, 2)
  end
  return vim.json.decode(done.stdout, { luanil = { object = true, array = true } })
end

--- Writes one session of neutral events and gives the file's path. Each turn is one prompt and one
--- answer, completed, with what the agent did in between; the last one ended a minute ago.
---@param t table the harness
---@param session string
---@param turns { [1]: string, [2]: string, did?: table[] }[]
---@return string
function real.transcript(t, session, turns)
  local lines = {}
  local at = os.time() - 60 * (#turns + 1)
  local function add(event)
    event.session = session
    event.at = os.date('!%Y-%m-%dT%H:%M:%SZ', at)
    table.insert(lines, vim.json.encode(event))
  end
  add({ type = 'session', agent = 'claude-code', cwd = real.root, kind = 'main' })
  for _, turn in ipairs(turns) do
    add({ type = 'prompt', text = turn[1] })
    at = at + 30
    for _, event in ipairs(turn.did or {}) do
      add(event)
    end
    add({ type = 'answer', text = turn[2] })
    add({ type = 'turn', status = 'completed' })
    at = at + 30
  end
  local path =
    vim.fs.joinpath(vim.fn.fnamemodify(vim.fn.tempname(), ':h'), session .. '.ibid.jsonl')
  t.write(path, table.concat(lines, '\n') .. '\n')
  return path
end

return real
