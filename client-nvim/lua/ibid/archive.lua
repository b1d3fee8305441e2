--- Search in the archive: what agents observed, word for word, found without its handle. (M2, F4)
local keys = require('ibid.keys')
local text = require('ibid.text')

local M = {}

--- Columns of the number before a hit.
local FIRST = 7

--- Columns that are shown of a text; the rest is a key away.
local WIDTH = 160

--- `<CR>` expands; a note or message that is listed here all the same opens as what it is.
---@param hit ibid.Hit
---@return string
local function path(hit)
  return require('ibid.search').path(hit)
end

---@param hit ibid.Hit
---@return ibid.Chunk[][]
local function draw(hit)
  local title, rest = hit.text:match('^([^\n]*)\n?(.*)$')
  local about = {}
  if hit.source then
    table.insert(about, text.said(hit.source))
  end
  if hit.matched == 'spelling' then
    table.insert(about, 'spelled differently')
  end
  table.insert(about, text.given(hit.handle) and text.line(hit.handle) or nil)
  local pad = (' '):rep(FIRST)
  local lines = {
    {
      { ('%-' .. FIRST .. 's'):format(text.line(hit.id)), 'IbidAbout' },
      { ('%-8s '):format(text.line(hit.category)), 'IbidCategory' },
      { text.clip(title, WIDTH) },
    },
  }
  if vim.trim(rest) ~= '' then
    table.insert(lines, { { pad .. text.clip(rest, WIDTH) } })
  end
  table.insert(lines, { { pad .. table.concat(about, ' · '), 'IbidAbout' } })
  return lines
end

---@type ibid.view.Spec
M.spec = {
  title = 'Archive',
  kinds = { 'turns' },
  shift = FIRST,
  ask = function(shown)
    -- No layer but the archive: `{}` is an empty list on the wire.
    local given = shown.params
    return 'ibid/search', { query = given.query or '', path = given.path, layers = {}, archive = true }
  end,
  rows = function(result)
    return result.hits, result.total
  end,
  id = function(hit)
    return hit.id
  end,
  draw = draw,
  subtitle = function(shown)
    local of, query = shown.params.name, shown.params.query or ''
    local words = query ~= '' and (' for “%s”'):format(text.clip(query, 60)) or ''
    return shown.total .. words .. (of and ' in ' .. text.clip(of, 60) or '')
  end,
  empty = function(shown)
    local reason = text.given(shown.result and shown.result.reason) or 'nothing was found'
    return { ('Nothing: %s.'):format(text.line(reason)), 's searches for something else.' }
  end,
  keys = {
    keys.open({ key = '<CR>', action = 'open', label = 'expand', bar = true }, path),
    keys.yank('yank handle', function(hit)
      return hit.handle
    end),
    keys.turn(function(hit)
      return hit.source
    end),
    keys.filter('search for …', 'Search the archive: '),
  },
}

return M
