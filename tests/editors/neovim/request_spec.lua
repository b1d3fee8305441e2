--- Slow, dead and late servers: every request is answered, and nothing blocks.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
local fake = dofile(vim.fs.joinpath(t.here, 'fake.lua'))
t.load()
vim.lsp.config('ibid', { cmd = fake.cmd })
local request = require('ibid.request')
local server = require('ibid.server')

local root

--- A fresh project with a running server.
local function start()
  fake.reset()
  root = t.project()
  vim.cmd.edit(root .. '/a.txt')
  t.wait('a server', function()
    local client = vim.lsp.get_clients({ name = 'ibid', bufnr = 0 })[1]
    return client and client.initialized
  end)
end

--- Sends a request and gives what came.
---@param options? table
---@return table
local function send(options)
  local answers = {}
  request.send(
    'ibid/search',
    { query = 'x' },
    vim.tbl_extend('force', { root = root }, options or {}),
    function(err, result)
      table.insert(answers, { err = err, result = result })
    end
  )
  return answers
end

t.test('a request carries its project and is answered once', function()
  start()
  fake.answers['ibid/search'] = function(params)
    return { project = params.project }
  end
  local answers = send()
  t.eq(#answers, 0)
  t.wait('an answer', function()
    return #answers > 0
  end)
  t.eq(answers, { { result = { project = root } } })
end)

t.test('the protocol’s error name reaches the caller', function()
  start()
  fake.answers['ibid/search'] = function()
    return nil, { code = -33004, message = 'it went in May', data = { code = 'gone' } }
  end
  local answers = send()
  t.wait('an answer', function()
    return #answers > 0
  end)
  t.eq(answers[1].err, { code = 'gone', message = 'it went in May' })
end)

t.test('a silent server is given up in time, and told to stop', function()
  start()
  fake.answers['ibid/search'] = fake.SILENCE
  local answers = send({ timeout = 60 })
  t.wait('an answer', function()
    return #answers > 0
  end)
  t.eq(answers[1].err.code, 'timeout')
  t.has(answers[1].err.message, 'no answer to ibid/search within 0.06 s')
  t.eq(#fake.asked('$/cancelRequest'), 1)
end)

t.test('an answer that comes too late is not taken for another', function()
  start()
  local late
  fake.answers['ibid/search'] = function()
    vim.wait(100)
    late = true
    return {}
  end
  local answers = send({ timeout = 20 })
  t.wait('both', function()
    return late and #answers > 0
  end)
  vim.wait(30)
  t.eq(#answers, 1)
end)

t.test('progress puts the end of the wait off', function()
  start()
  fake.answers['ibid/search'] = fake.SILENCE
  local answers = send({ timeout = 1500, token = 'tok' })
  for _ = 1, 4 do
    vim.wait(500)
    fake.notify('$/progress', { token = 'tok', value = { kind = 'report', percentage = 1 } })
    vim.wait(10)
  end
  t.eq(#answers, 0)
  t.wait('the end', function()
    return #answers == 1
  end)
  t.eq(answers[1].err.code, 'timeout')
end)

t.test('requests wait until the server has answered initialize', function()
  fake.reset()
  root = t.project()
  fake.answers['ibid/search'] = function()
    return {}
  end
  local answers = send()
  t.wait('an answer', function()
    return #answers > 0
  end)
  local order = vim.tbl_map(function(call)
    return call.method
  end, fake.calls)
  t.eq({ order[1], order[2] }, { 'initialize', 'initialized' })
  t.eq(answers[1].err, nil)
end)

t.test('a server that dies says so and answers what was asked', function()
  start()
  fake.answers['ibid/search'] = fake.SILENCE
  local answers = send()
  fake.die(137, 9)
  t.wait('an answer', function()
    return #answers > 0
  end)
  t.eq(answers[1].err.code, 'stopped')
  local message = t.said('the server stopped (signal 9)').text
  t.has(message, ':Ibid restart')
  t.has(message, ':Ibid log')
  t.eq(require('ibid').statusline(), 'ibid: stopped')
end)

t.test('a dead server is not started again by asking', function()
  start()
  fake.die(1, 0)
  t.said('exit status 1')
  fake.calls = {}
  local answers = send()
  t.wait('an answer', function()
    return #answers > 0
  end)
  t.has(answers[1].err.message, ':Ibid restart')
  t.eq(fake.asked('initialize'), {})
  vim.cmd('Ibid queue')
  t.shows('the server stopped (exit status 1)')
end)

t.test(':Ibid restart brings a dead server back, with its buffers', function()
  start()
  local file = vim.api.nvim_get_current_buf()
  fake.die(1, 0)
  t.said('the server stopped')
  vim.cmd('Ibid restart')
  t.said('restarted')
  t.wait('the buffer attached', function()
    local client = vim.lsp.get_clients({ name = 'ibid', bufnr = file })[1]
    return client and client.initialized
  end)
  fake.answers['ibid/search'] = function()
    return {}
  end
  local answers = send()
  t.wait('an answer', function()
    return #answers > 0
  end)
  t.eq(answers[1].err, nil)
  t.wait('a live status line', function()
    return require('ibid').statusline(file) == 'ibid · 2 to review'
  end)
end)

t.test('a list on screen comes back with the server', function()
  start()
  fake.die(1, 0)
  t.said('the server stopped')
  vim.cmd('Ibid queue')
  t.shows('the server stopped')
  vim.cmd('Ibid restart')
  t.shows('Nothing waits for review.')
end)

t.test(':Ibid restart replaces a living server without crying wolf', function()
  start()
  local old = vim.lsp.get_clients({ name = 'ibid', bufnr = 0 })[1].id
  vim.cmd('Ibid restart')
  t.said('restarted')
  t.wait('another client', function()
    local client = vim.lsp.get_clients({ name = 'ibid', bufnr = 0 })[1]
    return client and client.id ~= old
  end)
  for _, message in ipairs(t.messages) do
    t.lacks(message.text, 'stopped')
  end
end)

t.test('a server that does not end when asked is killed by the restart', function()
  start()
  local client = vim.lsp.get_clients({ name = 'ibid', bufnr = 0 })[1]
  client.rpc.request = function()
    return true, 1
  end
  vim.cmd('Ibid restart')
  t.said('restarted')
  t.ok(client.rpc.is_closing(), 'the old one is gone')
end)

t.test('a stop that the person asked for is no failure', function()
  start()
  vim.lsp.get_clients({ name = 'ibid', bufnr = 0 })[1]:stop()
  t.wait('its end', function()
    return #vim.lsp.get_clients({ name = 'ibid', bufnr = 0 }) == 0
  end)
  vim.wait(50)
  t.eq(t.messages, {})
  t.eq(server.stopped[root], nil)
end)

t.test('hostile words in an error are inert', function()
  request.report({ code = 'failed', message = 'bad \27[2J\u{202e}name\nx' })
  t.eq(t.messages[1].text, 'Ibid: bad ␛[2J<202e>name ↵ x')
end)

t.finish()
