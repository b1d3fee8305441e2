--- Requests to the server: each is answered once, in time, and none blocks the editor.
local M = {}

---@class ibid.Error
---@field message string what, where, and what to do next
---@field code string the protocol's `data.code`; `timeout` and `stopped` are our own

---@class ibid.request.Options
---@field root? string the project; else the current one
---@field timeout? integer milliseconds; else the option `timeout`
---@field token? string progress on this token puts the end of the wait off

---@class ibid.Pending
---@field finish fun(err?: ibid.Error, result?: any)
---@field touch fun()
---@field token? string
---@field client_id integer

---@type table<ibid.Pending, true>
local pending = {}

--- Milliseconds between two looks at whether a new server has answered `initialize`.
local STARTING = 20

--- Milliseconds without any progress after which a long request is given up.
M.QUIET = 120000

local tokens = 0

--- A token for the progress of one long request.
---@param what string
---@return string
function M.new_token(what)
  tokens = tokens + 1
  return ('ibid-%s-%d'):format(what, tokens)
end

--- Sends a request and calls `on_answer` once, on the main loop: with an error or with the result.
---@param method string
---@param params table
---@param options? ibid.request.Options
---@param on_answer fun(err?: ibid.Error, result?: any)
function M.send(method, params, options, on_answer)
  options = options or {}
  local root = options.root or require('ibid.project').current()
  local client, problem = require('ibid.server').ensure(root)
  if not client then
    vim.schedule(function()
      on_answer({
        code = 'stopped',
        message = problem --[[@as string]],
      })
    end)
    return
  end
  local call = M.open(client, options, on_answer, method)
  -- A document's address carries its project itself.
  if method:match('^ibid/') then
    params = vim.tbl_extend('keep', params, { project = root })
  end
  M.when_ready(client, call, function()
    local sent, id = client:request(method, params, function(err, result)
      call.finish(err and M.error_of(err), result)
    end, 0)
    if not sent then
      call.finish({ code = 'stopped', message = 'Ibid: the server is gone. Try :Ibid restart.' })
    end
    call.request_id = id
  end)
end

--- Like `send`; an error becomes a message and `on_result` is not called.
---@param method string
---@param params table
---@param options? ibid.request.Options
---@param on_result fun(result: any)
function M.act(method, params, options, on_result)
  M.send(method, params, options, function(err, result)
    if err then
      M.report(err)
    else
      on_result(result)
    end
  end)
end

--- Shows an error to the person.
---@param err ibid.Error
function M.report(err)
  local text = require('ibid.text').line(err.message)
  if not text:match('^Ibid') then
    text = 'Ibid: ' .. text
  end
  vim.notify(text, vim.log.levels.ERROR)
end

--- Books a call, so that its time limit or the server's end can answer it.
---@param client vim.lsp.Client
---@param options ibid.request.Options
---@param on_answer fun(err?: ibid.Error, result?: any)
---@param method string
---@return ibid.Pending
function M.open(client, options, on_answer, method)
  local timeout = options.timeout or require('ibid.config').get().timeout
  local timer = assert(vim.uv.new_timer())
  local call = { client_id = client.id, token = options.token }
  function call.finish(err, result)
    if not pending[call] then
      return
    end
    pending[call] = nil
    timer:close()
    vim.schedule(function()
      on_answer(err, result)
    end)
  end
  local expire = vim.schedule_wrap(function()
    if pending[call] and call.request_id then
      client:cancel_request(call.request_id)
    end
    call.finish({
      code = 'timeout',
      message = ('Ibid: no answer to %s within %g s. Try again, or :Ibid restart.'):format(
        method,
        timeout / 1000
      ),
    })
  end)
  function call.touch()
    timer:start(timeout, 0, expire)
  end
  pending[call] = true
  call.touch()
  return call
end

--- Runs `send_now` as soon as the server has answered `initialize`; nothing may be sent before.
---@param client vim.lsp.Client
---@param call ibid.Pending
---@param send_now fun()
function M.when_ready(client, call, send_now)
  if client.initialized then
    send_now()
  elseif pending[call] then
    vim.defer_fn(function()
      M.when_ready(client, call, send_now)
    end, STARTING)
  end
end

--- Answers every open call of a client that ended.
---@param client_id integer
---@param message string
function M.fail_all(client_id, message)
  for _, call in ipairs(vim.tbl_keys(pending)) do
    if call.client_id == client_id then
      call.finish({ code = 'stopped', message = message })
    end
  end
end

--- Progress came: whoever waits for it waits on.
---@param token string|integer
function M.touch(token)
  for call in pairs(pending) do
    if call.token == token then
      call.touch()
    end
  end
end

--- Cancels the calls that carry this token.
---@param token string
---@return boolean cancelled whether there was one
function M.cancel(token)
  local found = false
  for _, call in ipairs(vim.tbl_keys(pending)) do
    local client = vim.lsp.get_client_by_id(call.client_id)
    if call.token == token and call.request_id and client then
      client:cancel_request(call.request_id)
      found = true
    end
  end
  return found
end

---@param err lsp.ResponseError
---@return ibid.Error
function M.error_of(err)
  local data = type(err.data) == 'table' and err.data or {}
  return { code = data.code or 'failed', message = err.message or 'the request failed' }
end

return M
