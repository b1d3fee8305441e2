--- A note's evidence: where it was said, and how it read before. (A4, D1)
local text = require('ibid.text')

local M = {}

--- Makes the page `ibid://evidence/ID`.
---@type ibid.content.Maker
function M.make(id, _, root, on_lines)
  require('ibid.request').send(
    'ibid/note/evidence',
    { id = id },
    { root = root },
    function(err, result)
      on_lines(err, result and M.lines(id, result))
    end
  )
end

---@param id string
---@param result { sources: table[], history: table[] }
---@return string[]
function M.lines(id, result)
  local lines = {
    ('# Evidence for %s'):format(text.line(id)),
    '',
    ('[The note](ibid://%s)'):format(require('ibid.content').path('note', id)),
  }
  for _, source in ipairs(result.sources or {}) do
    vim.list_extend(lines, M.source(source))
  end
  if #(result.sources or {}) == 0 then
    vim.list_extend(lines, { '', 'It was written by hand; nothing else backs it.' })
  end
  if #(result.history or {}) > 0 then
    vim.list_extend(lines, { '', '## Earlier wordings', '' })
  end
  for _, older in ipairs(result.history or {}) do
    local when = older.at and text.date(older.at) or ''
    table.insert(
      lines,
      ('- %s: “%s” (%s)'):format(when, text.line(older.text), text.line(older.why))
    )
  end
  return lines
end

---@param source table
---@return string[]
function M.source(source)
  local title = text.clip(text.given(source.title) or source.session, 60)
  local lines = { '', ('## Turn %s of “%s”'):format(text.line(source.turn), title), '' }
  local about = { text.line(text.given(source.agent) or 'unknown agent') }
  if source.at then
    table.insert(about, text.date(source.at))
  end
  table.insert(lines, table.concat(about, ', ') .. ' · ' .. M.link(source))
  table.insert(lines, '')
  if source.available == false then
    table.insert(lines, 'The words are gone.')
  else
    for _, line in ipairs(text.lines(source.text or '')) do
      table.insert(lines, '> ' .. line)
    end
  end
  return lines
end

---@param source table
---@return string
function M.link(source)
  local path = require('ibid.content').path('turn', source.session, source.turn)
  return ('[the turn](ibid://%s)'):format(path)
end

return M
