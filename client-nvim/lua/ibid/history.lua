--- One file's history: who read or changed it, which lines, when, and what changed since. (N7, R4)
local files = require('ibid.files')
local keys = require('ibid.keys')
local text = require('ibid.text')

local M = {}

--- Columns of the verb.
local FIRST = 8

--- What the file's own line leaves open: which lines and symbols changed since an agent last read
--- it as a whole.
---@param since { state: string, lines?: integer, symbols?: ibid.SymbolChange[] }
---@return string?
function M.since(since)
  if since.state == 'unknown' then
    return 'Nobody read it as a whole, so what changed since is not known.'
  elseif since.state ~= 'changed' then
    return nil
  end
  local words = since.lines and text.count(since.lines, 'line') .. ' changed since'
    or 'It changed since'
  local symbols = vim.tbl_map(function(symbol)
    local call = symbol.callable and '()' or ''
    return ('%s%s %s'):format(text.line(symbol.name), call, text.line(symbol.change))
  end, since.symbols or {})
  return words .. (#symbols > 0 and ': ' .. table.concat(symbols, ', ') or '') .. '.'
end

--- The agent and its thread; what the editor saw is the person's.
---@param read ibid.FileTouch
---@return string
function M.who(read)
  if read.kind == 'opened' or read.kind == 'saved' then
    return 'you'
  elseif text.given(read.scope) then
    return ('%s, subagent %s'):format(text.line(read.agent), text.clip(read.scope, 12))
  end
  return text.line(read.agent)
end

--- `lines 1–80 of 212`; nothing for a change.
---@param read ibid.FileTouch
---@return string
function M.lines(read)
  if (read.last or 0) == 0 then
    return ''
  end
  local total = (read.total or 0) > 0 and (' of %d'):format(read.total) or ''
  return ('lines %d–%d%s'):format(read.first, read.last, total)
end

---@param read ibid.FileTouch
---@return ibid.Chunk[][]
local function draw(read)
  local about = { M.lines(read), M.who(read), text.ago(read.at) }
  if read.turn then
    table.insert(about, text.said({ session = read.session, turn = read.turn, title = read.title }))
  end
  if (read.tokens or 0) > 0 then
    table.insert(about, text.count(read.tokens, 'token'))
  end
  table.insert(about, text.line(read.number))
  return {
    {
      { ('%-' .. FIRST .. 's'):format(text.line(read.kind)), 'IbidCategory' },
      { table.concat(vim.tbl_filter(text.given, about), ' · ') },
    },
  }
end

---@type ibid.view.Spec
M.spec = {
  title = 'Reads',
  kinds = { 'turns' },
  whole = true,
  shift = FIRST,
  ask = function(shown)
    return 'ibid/reads', { path = shown.params.path or '' }
  end,
  rows = function(result)
    return result.reads, #result.reads
  end,
  id = function(read)
    return table.concat({ read.kind, read.session, read.scope or '', read.at, read.first }, ' ')
  end,
  draw = draw,
  above = function(shown)
    local line, since = text.given(shown.result.line), M.since(shown.result.since)
    if #shown.rows == 0 or not line then
      return {}
    end
    local lines = { { { text.line(line), 'IbidTitle' } } }
    if since then
      table.insert(lines, { { since, 'IbidAbout' } })
    end
    return lines
  end,
  subtitle = function(shown)
    return shown.result.name or files.relative(shown.root, shown.params.path or '')
  end,
  empty = function()
    return { 'No agent has read or changed this file.' }
  end,
  keys = {
    keys.file(function(read, shown)
      return shown.params.path, read.first
    end),
    keys.turn(function(read)
      return read
    end),
    keys.open({ key = '<CR>', action = 'open', label = 'what it saw', bar = true }, function(read)
      return read.number and require('ibid.content').path('archive', read.number) or nil
    end),
    {
      key = 'A',
      action = 'file-archive',
      label = 'archive search',
      bar = true,
      run = function(shown)
        local path = shown.params.path or ''
        local name = shown.result.name or files.relative(shown.root, path)
        local params = { query = '', path = path, name = name }
        require('ibid.content').open('archive', { root = shown.root, params = params })
      end,
    },
  },
}

return M
