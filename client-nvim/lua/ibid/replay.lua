--- A replay: past sessions once more, with only what was known at each moment. (P5)
---
--- It says what memory would have cost and saved before anyone switches it on. Nothing is kept.
local keys = require('ibid.keys')
local report = require('ibid.report')
local text = require('ibid.text')

local M = {}

--- `used 4 of 12 items, 3 found otherwise`; nothing where no items are counted.
---@param items? { sent: integer, used: integer, found: integer }
---@return string?
local function used(items)
  if not items or (items.sent or 0) == 0 then
    return nil
  end
  local words = ('used %d of %s'):format(items.used, text.count(items.sent, 'item'))
  return items.found > 0 and ('%s, %d found without'):format(words, items.found) or words
end

---@param line ibid.ReplayLine
---@param shown ibid.View
---@return ibid.Chunk[][]
local function draw_line(line, shown)
  local lines = { report.figures(line, report.largest(shown.result.features)) }
  local about = {}
  if not line.unknown and line.interval then
    local low, high = text.signed(line.interval[1]), text.signed(line.interval[2])
    table.insert(about, ('with 95 %% confidence %s to %s'):format(low, high))
  end
  if not line.unknown and line.carried then
    table.insert(
      about,
      ('with each request that carries it %s'):format(text.signed(line.carried.net))
    )
  end
  table.insert(about, used(line.items))
  if #about > 0 then
    table.insert(lines, { { (' '):rep(13) .. table.concat(about, ' · '), 'IbidAbout' } })
  end
  return lines
end

---@param row ibid.ReplayRow
---@return ibid.Chunk[][]
local function draw_session(row)
  local net = 0
  for _, line in ipairs(row.features) do
    net = net + (line.unknown and -line.cost or line.net)
  end
  local about = {
    text.ago(row.at),
    text.count(row.prompts, 'prompt'),
    text.count(row.reads, 'read'),
    text.count(row.requests, 'request'),
    'net ' .. text.signed(net),
  }
  return {
    {
      { ('  %-12s '):format(text.line(row.agent)), 'IbidCategory' },
      { text.clip(row.session, 40) },
      { '  ' .. table.concat(about, ' · '), 'IbidAbout' },
    },
  }
end

---@param result table
---@return ibid.Chunk[][]
local function above(result)
  local sums = ('%s of %s, %s to %s, in %.1f s'):format(
    text.count(result.sessions, 'session'),
    text.count(result.projects, 'project'),
    text.date(result.from),
    text.date(result.to),
    result.seconds
  )
  local estimated = 'Tokens estimated by %s. What an injection saved is unknown, not zero.'
  local lines = {
    { { sums, 'IbidTitle' } },
    { { estimated:format(text.line(result.estimator)), 'IbidAbout' } },
  }
  for _, problem in ipairs(result.problems or {}) do
    table.insert(lines, { { text.line(problem), 'IbidAttention' } })
  end
  return lines
end

---@type ibid.view.Spec
M.spec = {
  title = 'Replay',
  kinds = {},
  whole = true,
  long = true,
  shift = 13,
  ask = function(shown)
    local paths = text.given(shown.params.paths)
    return 'ibid/replay', { paths = paths and vim.split(paths, '\n', { plain = true }) }
  end,
  rows = function(result)
    local rows = vim.list_slice(result.features)
    vim.list_extend(rows, result.roles)
    vim.list_extend(rows, result.rows)
    return rows, #rows
  end,
  id = function(row)
    return row.session or (row.role .. ' ' .. row.feature)
  end,
  draw = function(row, shown)
    return row.session and draw_session(row) or draw_line(row, shown)
  end,
  above = function(shown)
    return shown.result.sessions > 0 and above(shown.result) or {}
  end,
  heading = function(row)
    if row.session then
      return 'Sessions'
    end
    return row.role == '' and 'All roles' or text.line(row.role)
  end,
  empty = function()
    return { 'No past session was found.', ':Ibid replay PATH names transcripts, or their folder.' }
  end,
  keys = {
    keys.open({ key = '<CR>', action = 'open', label = 'first turn', bar = true }, function(row)
      return row.session and require('ibid.content').path('turn', row.session, 1) or nil
    end),
  },
}

--- Cancels the replays of a project that run.
---@param root string
function M.cancel(root)
  if not require('ibid.view').cancel('replay', root) then
    vim.notify('Ibid: no replay runs here.')
  end
end

return M
