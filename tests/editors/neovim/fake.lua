--- A server inside Neovim, for what a healthy one never does: be slow, be hostile, die, be asked in
--- an exact order. Everything else is tested against the real server.
local fake = { calls = {}, answers = {} }

--- What the server says it can do.
fake.capabilities = {
  codeLensProvider = { resolveProvider = false },
  hoverProvider = true,
  experimental = { ibid = { protocol = 1 } },
}

fake.info = { name = 'ibid', version = '0.1.0' }

--- The server started last: its `die` and `notify` are what the test plays.
---@type { die: fun(code: integer, signal: integer), notify: fun(method: string, params: table) }
local last

--- `vim.lsp.Config.cmd`
function fake.cmd(dispatchers)
  local id, dead = 0, false
  local server = {}

  local function die(code, signal)
    if not dead then
      dead = true
      dispatchers.on_exit(code, signal)
    end
  end

  last = { die = die, notify = dispatchers.notification }

  function server.request(method, params, on_answer, on_reply)
    if dead then
      return false
    end
    id = id + 1
    local own = id
    table.insert(fake.calls, { method = method, params = params, id = own })
    local answer = fake.answers[method]
    local function reply(err, result)
      vim.schedule(function()
        if on_reply then
          on_reply(own)
        end
        on_answer(err, result)
      end)
    end
    if method == 'initialize' then
      fake.initialized_with = params
      reply(nil, { capabilities = fake.capabilities, serverInfo = fake.info })
    elseif method == 'shutdown' then
      reply(nil, vim.NIL)
    elseif answer == nil then
      reply({ code = -32601, message = 'no such method: ' .. method })
    elseif answer ~= fake.SILENCE then
      local result, err = answer(params)
      reply(err, result)
    end
    return true, own
  end

  function server.notify(method, params)
    table.insert(fake.calls, { method = method, params = params })
    if method == 'exit' then
      die(0, 0)
    end
    return not dead
  end

  function server.is_closing()
    return dead
  end

  function server.terminate()
    die(0, 15)
  end

  return server
end

--- An answer that never comes.
fake.SILENCE = {}

--- The process ends.
---@param code integer
---@param signal integer
function fake.die(code, signal)
  last.die(code, signal)
end

--- The server notifies.
---@param method string
---@param params table
function fake.notify(method, params)
  last.notify(method, params)
end

--- Every call of a method since the last `forget`.
---@param method string
---@return table[] params
function fake.asked(method)
  return vim
    .iter(fake.calls)
    :filter(function(call)
      return call.method == method
    end)
    :map(function(call)
      return call.params
    end)
    :totable()
end

--- Forgets what was asked and answers only the background questions.
function fake.reset()
  fake.calls = {}
  fake.answers = {
    ['ibid/status'] = function()
      return fake.status()
    end,
    ['ibid/note/list'] = function()
      return { notes = {}, total = 0, counts = {} }
    end,
    ['ibid/candidate/list'] = function()
      return { candidates = {}, total = 0, digest = { expired = 0 } }
    end,
    ['ibid/receipt/list'] = function()
      return { receipts = {}, total = 0 }
    end,
    ['ibid/session/list'] = function()
      return { sessions = {}, total = 0 }
    end,
    ['textDocument/codeLens'] = function()
      return {}
    end,
  }
end

---@param over? table
---@return ibid.Status
function fake.status(over)
  return vim.tbl_extend('force', {
    project = '/somewhere',
    name = 'somewhere',
    state = 'on',
    candidates = 2,
    notes = 1,
    receipts = 5,
    sessions = 3,
    importing = false,
  }, over or {})
end

---@param over? table
---@return ibid.Candidate
function fake.candidate(over)
  return vim.tbl_extend('force', {
    id = 'c-1aa',
    category = 'constraint',
    text = 'Never commit generated files.',
    signal = 'prohibition: never',
    source = {
      session = 'sess1',
      turn = 7,
      message = 'm1',
      title = 'tidy the build',
      agent = 'claude-code',
      at = require('ibid.text').now() - 300000,
    },
    at = require('ibid.text').now() - 300000,
    due = require('ibid.text').now() + 18 * 60000,
    left = 18 * 60000,
    state = 'pending',
    waits = 'settling',
    taint = false,
    version = 1,
  }, over or {})
end

---@param over? table
---@return ibid.Note
function fake.note(over)
  return vim.tbl_extend('force', {
    id = 'n-1aa',
    layer = 'L1',
    category = 'decision',
    text = 'The ledger is append-only.',
    confidence = 1,
    origin = 'manual',
    tags = {},
    pinned = false,
    active = true,
    state = 'active',
    taint = false,
    created = 0,
    updated = 0,
    uses = 0,
    sources = {},
    anchors = {},
    version = 3,
  }, over or {})
end

fake.reset()

return fake
