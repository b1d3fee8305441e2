--- The net: what memory cost and saved, by role and feature, and by day. (P2, P3)
---
--- An older server tells neither days nor why a feature was switched off; what is absent is not
--- shown.
local keys = require('ibid.keys')
local text = require('ibid.text')

local M = {}

--- Columns of the longest bar.
local BAR = 16

local MARKS = {
  on = { '● ', 'IbidGain' },
  measuring = { '◌ ', 'IbidAbout' },
  demoted = { '✕ ', 'IbidAttention' },
}

--- A bar for a figure beside others: full for the largest of them, dotted below zero.
---@param value number
---@param largest number
---@return ibid.Chunk
function M.bar(value, largest)
  local length = largest > 0 and math.floor(math.abs(value) / largest * BAR + 0.5) or 0
  length = value ~= 0 and math.max(1, length) or 0
  local drawn = (value < 0 and '░' or '█'):rep(length)
  return { drawn .. (' '):rep(BAR - length), value < 0 and 'IbidAttention' or 'IbidGain' }
end

--- `net +1,434`, or what is known where there is no measured saving.
---@param line ibid.NetLine|ibid.ReplayLine
---@return string
local function net(line)
  if line.unknown then
    return 'saving unknown'
  end
  return 'net ' .. text.signed(line.net)
end

---@param line ibid.NetLine|ibid.ReplayLine
---@return string
local function about(line)
  local parts = { ('cost %s'):format(text.number(line.cost)) }
  if not line.unknown then
    table.insert(parts, 1, ('gross %s'):format(text.number(line.gross)))
    table.insert(parts, 2, ('bounced %s'):format(text.signed(-line.bounced)))
  end
  table.insert(parts, ('n=%s'):format(text.number(line.samples)))
  if line.lower then
    table.insert(parts, ('at least %s a sample'):format(text.signed(line.lower)))
  end
  return table.concat(parts, ' · ')
end

--- The largest net of some lines, whatever its sign: what the bars are measured by.
---@param lines { net: number, unknown: boolean }[]
---@return number
function M.largest(lines)
  local largest = 0
  for _, line in ipairs(lines) do
    largest = math.max(largest, line.unknown and 0 or math.abs(line.net))
  end
  return largest
end

--- One line's figures, with its bar.
---@param line ibid.NetLine|ibid.ReplayLine
---@param largest number
---@return ibid.Chunk[]
function M.figures(line, largest)
  return {
    MARKS[line.state] or { '· ', 'IbidAbout' },
    { ('%-10s '):format(text.line(line.feature)), 'IbidCategory' },
    { ('%-15s '):format(net(line)) },
    M.bar(line.unknown and 0 or line.net, largest),
    { '  ' .. about(line), 'IbidAbout' },
  }
end

--- What sessions with and without a feature tell, with the bounds of 95 % confidence.
---@param estimate ibid.NetEstimate
---@return string
function M.compared(estimate)
  local words = 'by control group net %s a session, %s to %s (%d sessions with, %d without)'
  return words:format(
    text.signed(estimate.net),
    text.signed(estimate.low),
    text.signed(estimate.high),
    estimate.given,
    estimate.withheld
  )
end

---@param line ibid.NetLine
---@param shown ibid.View
---@return ibid.Chunk[][]
local function draw_line(line, shown)
  local lines = { M.figures(line, M.largest(shown.result.roles)) }
  local why = {}
  if line.state ~= 'on' then
    table.insert(why, text.line(line.state))
    table.insert(why, line.at and 'since ' .. text.ago(line.at) or nil)
  end
  table.insert(why, text.given(line.reason) and text.line(line.reason) or nil)
  if line.estimate then
    table.insert(why, M.compared(line.estimate))
  end
  table.insert(why, line.state == 'demoted' and 'e turns it on again' or nil)
  if #why > 0 then
    table.insert(lines, { { (' '):rep(13) .. table.concat(why, ' · '), 'IbidAbout' } })
  end
  return lines
end

--- The days' sums over all roles and features, the newest first.
---@param days { day: string, gross: number, bounced: number, cost: number }[]
---@return { day: string, saved: number, cost: number }[]
function M.days(days)
  local sums = {}
  for _, one in ipairs(days) do
    local sum = sums[one.day] or { day = one.day, saved = 0, cost = 0 }
    sum.saved = sum.saved + one.gross - one.bounced
    sum.cost = sum.cost + one.cost
    sums[one.day] = sum
  end
  local rows = vim.tbl_values(sums)
  table.sort(rows, function(left, right)
    return left.day > right.day
  end)
  return rows
end

---@param day { day: string, saved: number, cost: number }
---@param shown ibid.View
---@return ibid.Chunk[][]
local function draw_day(day, shown)
  local largest = 0
  for _, other in ipairs(shown.rows) do
    largest = math.max(largest, other.day and math.abs(other.saved - other.cost) or 0)
  end
  local sums = ('  saved %s · cost %s'):format(text.number(day.saved), text.number(day.cost))
  return {
    {
      { ('  %-10s '):format(text.line(day.day)), 'IbidTime' },
      { ('%-15s '):format('net ' .. text.signed(day.saved - day.cost)) },
      M.bar(day.saved - day.cost, largest),
      { sums, 'IbidAbout' },
    },
  }
end

--- Turns a demoted feature on again, for its role; an older server leaves it as it is.
---@param send ibid.Send
---@param line ibid.NetLine
function M.enable(send, line)
  local name = ('%s for %s'):format(text.line(line.feature), text.line(line.role))
  if line.state ~= 'demoted' then
    vim.notify('Ibid: only what was switched off by its figures can be turned on again.')
    return
  end
  local params = { enable = line.feature, role = line.role }
  send('ibid/report', params, function(result)
    local now = vim.iter(result.roles):find(function(other)
      return other.role == line.role and other.feature == line.feature
    end)
    if now and now.state == 'demoted' then
      vim.notify(
        ('Ibid: %s is still off; an older server cannot turn it on.'):format(name),
        vim.log.levels.WARN
      )
    else
      vim.notify(('Ibid: %s is on again.'):format(name))
    end
  end)
end

---@type ibid.view.Spec
M.spec = {
  title = 'Net',
  kinds = { 'receipts', 'turns' },
  whole = true,
  shift = 13,
  ask = function(shown)
    return 'ibid/report', { days = tonumber(shown.params.days) }
  end,
  rows = function(result)
    local rows = vim.list_extend(vim.list_slice(result.roles), M.days(result.days or {}))
    return rows, #rows
  end,
  id = function(row)
    return row.day or row.role .. ' ' .. row.feature
  end,
  draw = function(row, shown)
    return row.day and draw_day(row, shown) or draw_line(row, shown)
  end,
  heading = function(row)
    if row.day then
      return 'All roles, by day'
    end
    return text.given(row.role) and text.line(row.role) or 'agents without a name'
  end,
  subtitle = function(shown)
    local parts = { 'tokens, estimated by ' .. text.line(shown.result.estimator) }
    local control = shown.result.control or 0
    if control > 0 then
      table.insert(parts, ('control group %g %%'):format(control))
    end
    return table.concat(parts, ' · ')
  end,
  empty = function()
    return {
      'Nothing was given to an agent or withheld yet.',
      'Each text that Ibid adds is a cost; a saving counts only where it was measured.',
    }
  end,
  keys = {
    keys.act(
      { key = 'e', action = 'enable', label = 'turn on again', bar = true },
      function(send, row)
        if not row.day then
          M.enable(send, row)
        end
      end
    ),
  },
}

return M
