--- The switches: for all projects, for this one, and what follows. (A5, H2)
local keys = require('ibid.keys')
local text = require('ibid.text')

local M = {}

---@class ibid.policy.Switch
---@field name string
---@field says string
---@field values any[]; vim.NIL inherits

---@type ibid.policy.Switch[]
M.SWITCHES = {
  { name = 'master', says = 'everything', values = { true, false } },
  { name = 'learn', says = 'learn from sessions', values = { true, false } },
  { name = 'recall', says = 'give memory to agents', values = { true, false } },
  { name = 'external', says = 'learn from outside text', values = { 'on', 'own', 'off' } },
  { name = 'promotion', says = 'candidates become notes', values = { 'auto', 'review' } },
  { name = 'history', says = 'candidates from old sessions', values = { 'wait', 'auto' } },
  { name = 'hint', says = 'tell agents what was read before', values = { 'on', 'session', 'off' } },
  { name = 'files', says = 'keep notes as files in .ibid', values = { true, false } },
  { name = 'editor', says = 'note what you open and save', values = { true, false } },
  { name = 'settling', says = 'minutes a candidate settles', values = {} },
  { name = 'budget', says = 'tokens of a recalled block', values = {} },
  { name = 'control', says = 'percent of sessions that go without, to compare', values = {} },
}

M.SCOPES = { 'global', 'project' }

---@param value any
---@return string
function M.word(value)
  if value == nil or value == vim.NIL then
    return 'inherit'
  elseif type(value) == 'boolean' then
    return value and 'on' or 'off'
  end
  return text.line(value)
end

---@param name string
---@return ibid.policy.Switch?
function M.switch(name)
  return vim.iter(M.SWITCHES):find(function(switch)
    return switch.name == name
  end)
end

--- The words that a switch takes on the command line.
---@param name string
---@return string[]
function M.words(name)
  local switch = M.switch(name)
  local words = vim.tbl_map(M.word, switch and switch.values or {})
  table.insert(words, 'inherit')
  return words
end

--- Reads a word as the switch's value.
---@param name string
---@param word string
---@return any value
---@return boolean fits
function M.value(name, word)
  local switch = M.switch(name)
  if not switch then
    return nil, false
  elseif word == 'inherit' then
    return vim.NIL, true
  elseif #switch.values == 0 then
    local number = tonumber(word)
    return number, number ~= nil and number >= 0 and number % 1 == 0
  end
  for _, value in ipairs(switch.values) do
    if M.word(value) == word then
      return value, true
    end
  end
  return nil, false
end

--- Sets a switch, and says what holds now.
---@param send ibid.Send
---@param change { scope: string, name: string, value: any }
function M.set(send, change)
  send('ibid/policy/set', change, function(result)
    vim.notify(('Ibid: %s is %s here.'):format(change.name, M.word(result.effective[change.name])))
  end)
end

--- Asks for a switch's value.
---@param name string
---@param scope string
---@param on_value fun(value: any)
function M.ask(name, scope, on_value)
  local pick = require('ibid.pick')
  local switch = assert(M.switch(name))
  local prompt = ('%s, %s'):format(switch.says, scope == 'global' and 'all projects' or 'this one')
  if #switch.values > 0 then
    pick.among(M.words(name), prompt, tostring, function(word)
      on_value((M.value(name, word)))
    end)
    return
  end
  pick.text(prompt .. ' (a number, or inherit)', nil, function(word)
    local value, fits = M.value(name, word)
    if fits then
      on_value(value)
    else
      vim.notify(('Ibid: `%s` is not a number.'):format(word), vim.log.levels.WARN)
    end
  end)
end

--- A key that asks for a switch's value in a scope, and sets it.
---@param key table
---@param scope string
---@return ibid.view.Key
local function change(key, scope)
  return keys.act(key, function(send, switch)
    M.ask(switch.name, scope, function(value)
      M.set(send, { scope = scope, name = switch.name, value = value })
    end)
  end)
end

---@type ibid.view.Spec
M.spec = {
  title = 'Switches',
  kinds = { 'policy' },
  whole = true,
  ask = function()
    return 'ibid/policy/get', {}
  end,
  rows = function()
    return M.SWITCHES, #M.SWITCHES
  end,
  id = function(switch)
    return switch.name
  end,
  draw = function(switch, shown)
    local result = shown.result --[[@as table]]
    return {
      {
        { ('%-10s '):format(switch.name), 'IbidCategory' },
        { ('%-8s '):format(M.word(result.effective[switch.name])), 'IbidPinned' },
        { ('%-30s '):format(switch.says) },
        {
          ('all projects: %-8s  this project: %s'):format(
            M.word(result.global[switch.name]),
            M.word(result.project[switch.name])
          ),
          'IbidAbout',
        },
      },
    }
  end,
  empty = function()
    return {}
  end,
  keys = {
    change({ key = 'p', action = 'set-project', label = 'set here', bar = true }, 'project'),
    change(
      { key = 'a', action = 'set-global', label = 'set for all projects', bar = true },
      'global'
    ),
  },
}

return M
