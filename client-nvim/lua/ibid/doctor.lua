--- The doctor: whether Ibid, its agents and what is beside it are well. (P4, Q1, R5)
local keys = require('ibid.keys')
local text = require('ibid.text')

local M = {}

--- Milliseconds: it starts each agent to ask for its version.
local PATIENCE = 60000

---@class ibid.doctor.Row
---@field section string
---@field id string
---@field mark ibid.Chunk
---@field name string
---@field says string
---@field next? string what to type in a shell
---@field rival? string that could be allowed

local OK, WARN = { '✓ ', 'IbidGain' }, { '! ', 'IbidAttention' }
local FAIL, NOTHING = { '✕ ', 'DiagnosticError' }, { '· ', 'IbidAbout' }

local MARKS = {
  ok = OK,
  warn = WARN,
  fail = FAIL,
  working = OK,
  silent = WARN,
  absent = NOTHING,
  active = FAIL,
  allowed = WARN,
  leftover = WARN,
}

---@param check table
---@return ibid.doctor.Row
local function check_row(check)
  return {
    section = 'Checks',
    mark = MARKS[check.state] or NOTHING,
    name = check.name,
    says = check.message,
    next = check.next,
  }
end

---@param agent table
---@return ibid.doctor.Row
local function agent_row(agent)
  local parts = { text.line(agent.state) }
  table.insert(parts, text.given(agent.version) and text.line(agent.version) or nil)
  table.insert(parts, agent.installed and 'set up' or agent.found and 'not set up' or 'not found')
  local last = 0
  for _, at in pairs(agent.events or {}) do
    last = type(at) == 'number' and math.max(last, at) or last
  end
  table.insert(parts, last > 0 and 'last heard ' .. text.ago(last) or nil)
  return {
    section = 'Agents',
    mark = MARKS[agent.state] or NOTHING,
    name = agent.agent,
    says = table.concat(parts, ' · '),
  }
end

---@param rival table
---@return ibid.doctor.Row
local function rival_row(rival)
  return {
    section = 'Other memories',
    mark = MARKS[rival.state] or NOTHING,
    name = rival.rival,
    says = ('%s: %s in %s'):format(
      text.line(rival.state),
      text.line(rival.what),
      text.line(rival.where)
    ),
    next = rival.next,
    rival = rival.state == 'active' and rival.rival or nil,
  }
end

---@param expiry table
---@return ibid.doctor.Row
local function expiry_row(expiry)
  local days = expiry.days and ('after %s'):format(text.count(expiry.days, 'day')) or 'never'
  return {
    section = 'Sessions that agents delete',
    mark = (expiry.soon or 0) > (expiry.kept or 0) and WARN or OK,
    name = expiry.agent,
    says = ('%s · %s, %d soon, %d kept here'):format(
      days,
      text.count(expiry.sessions, 'session'),
      expiry.soon or 0,
      expiry.kept or 0
    ),
  }
end

--- All that was found, section by section.
---@param result table
---@return ibid.doctor.Row[]
function M.rows(result)
  local rows = {}
  for _, part in ipairs({
    { result.checks, check_row },
    { result.agents, agent_row },
    { result.rivals, rival_row },
    { result.expiring, expiry_row },
  }) do
    vim.list_extend(rows, vim.tbl_map(part[2], part[1] or {}))
  end
  for index, row in ipairs(rows) do
    row.id = row.section .. index
  end
  return rows
end

---@param row ibid.doctor.Row
---@return ibid.Chunk[][]
local function draw(row)
  local lines = {
    {
      row.mark,
      { ('%-13s '):format(text.line(row.name)), 'IbidCategory' },
      { text.line(row.says) },
    },
  }
  if text.given(row.next) then
    table.insert(lines, { { (' '):rep(16) .. '→ ' .. text.line(row.next), 'IbidAbout' } })
  end
  return lines
end

--- Lets an active rival be, on the record, after asking.
---@param send ibid.Send
---@param row ibid.doctor.Row
local function allow(send, row)
  if not row.rival then
    vim.notify('Ibid: no active memory of others is on this line.')
    return
  end
  local name = text.line(row.rival)
  require('ibid.pick').confirm(('Let %s be beside Ibid, on the record?'):format(name), {
    { label = 'Allow it in this project; both memories may then feed each other', value = true },
  }, function()
    send('ibid/doctor', { allow = row.rival }, function()
      vim.notify(('Ibid: %s is allowed, on the record.'):format(name))
    end)
  end)
end

---@type ibid.view.Spec
M.spec = {
  title = 'Doctor',
  kinds = {},
  whole = true,
  timeout = PATIENCE,
  shift = 16,
  ask = function()
    return 'ibid/doctor', {}
  end,
  rows = function(result)
    local rows = M.rows(result)
    return rows, #rows
  end,
  id = function(row)
    return row.id
  end,
  draw = draw,
  heading = function(row)
    return row.section
  end,
  subtitle = function(shown)
    return shown.result.ok and 'all is well' or 'something needs you'
  end,
  above = function(shown)
    local parts = {}
    for name, version in vim.spairs(shown.result.versions or {}) do
      table.insert(parts, text.line(name) .. ' ' .. text.line(version))
    end
    return { { { table.concat(parts, ' · '), 'IbidAbout' } } }
  end,
  empty = function()
    return { 'The doctor found nothing to look at.' }
  end,
  keys = {
    keys.yank('yank what to do', function(row)
      return row.next
    end),
    keys.act({ key = 'a', action = 'allow', label = 'allow', bar = true }, allow),
  },
}

return M
