--- The status line: what it says, and that it never asks while it is drawn.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
local fake = dofile(vim.fs.joinpath(t.here, 'fake.lua'))
t.load()
vim.lsp.config('ibid', { cmd = fake.cmd })
local ibid = require('ibid')

local root = t.project()
local status

local function start(over)
  fake.reset()
  status = fake.status(over)
  fake.answers['ibid/status'] = function()
    return status
  end
  vim.cmd.edit(root .. '/a.txt')
  if #vim.lsp.get_clients({ name = 'ibid' }) > 0 then
    fake.notify('ibid/memoryChanged', { project = root, kinds = { 'candidates' } })
  end
end

---@param words string
local function says(words)
  t.wait(function()
    return ('%q, not %q'):format(words, ibid.statusline())
  end, function()
    return ibid.statusline() == words
  end)
end

t.test('outside a project it says nothing', function()
  vim.cmd.enew()
  t.eq(ibid.statusline(), '')
end)

t.test('it says what waits, and follows the memory', function()
  start({ candidates = 3 })
  says('ibid · 3 to review')
  status.candidates = 0
  fake.notify('ibid/memoryChanged', { project = root, kinds = { 'candidates' } })
  says('ibid')
end)

t.test('it says each state in words', function()
  local words = {
    learning = 'ibid · learn only',
    recalling = 'ibid · recall only',
    off = 'ibid · off',
    readOnly = 'ibid · read only',
    refused = 'ibid · refused',
  }
  for state, expected in pairs(words) do
    start({ state = state, candidates = 0 })
    says(expected)
  end
end)

t.test('it shows how far the first import is', function()
  start({ candidates = 0, importing = true })
  says('ibid · importing')
  local function progress(value)
    fake.notify('$/progress', { token = 7, value = value })
  end
  progress({ kind = 'begin', title = 'First import', percentage = 3 })
  says('ibid · First import 3 %')
  progress({ kind = 'report', percentage = 61 })
  says('ibid · First import 61 %')
  status.importing = false
  progress({ kind = 'end' })
  says('ibid')
end)

t.test('drawing it asks for nothing', function()
  start({})
  says('ibid · 2 to review')
  fake.calls = {}
  for _ = 1, 1000 do
    ibid.statusline()
  end
  vim.wait(50)
  t.eq(fake.calls, {})
end)

t.test('many changes at once are few questions', function()
  start({})
  says('ibid · 2 to review')
  fake.calls = {}
  for _ = 1, 50 do
    fake.notify('ibid/memoryChanged', { project = root, kinds = { 'turns' } })
  end
  vim.wait(100)
  t.ok(#fake.asked('ibid/status') <= 3, #fake.asked('ibid/status') .. ' questions')
end)

t.test('the user’s own autocommands hear of it', function()
  start({})
  local heard = {}
  vim.api.nvim_create_autocmd('User', {
    pattern = { 'IbidStatus', 'IbidTurnRecalled', 'IbidCandidateSettled' },
    callback = function(event)
      heard[event.match] = event.data or true
    end,
  })
  fake.notify('ibid/turnRecalled', { receipt = 'r-1', tokens = 5 })
  fake.notify('ibid/candidateSettled', { candidate = 'c-1', note = 'n-1' })
  fake.notify('ibid/memoryChanged', { project = root, kinds = { 'notes' } })
  t.wait('all three', function()
    return heard.IbidStatus and heard.IbidTurnRecalled and heard.IbidCandidateSettled
  end)
  t.eq(heard.IbidTurnRecalled.receipt, 'r-1')
  t.eq(heard.IbidCandidateSettled.note, 'n-1')
end)

t.finish()
