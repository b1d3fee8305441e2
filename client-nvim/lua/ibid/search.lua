--- Search by a person, and a look at what an agent would be given. (F4, G4)
local text = require('ibid.text')

local M = {}

--- How many hits are asked for.
local LIMIT = 100

--- The address of a hit.
---@param hit ibid.Hit
---@return string
function M.path(hit)
  local path = require('ibid.content').path
  if hit.layer == 'L0' and hit.source then
    return path('turn', hit.source.session, hit.source.turn)
  elseif hit.handle then
    return path('archive', hit.handle)
  end
  return path('note', hit.id)
end

---@param hit ibid.Hit
---@return string
function M.line(hit)
  local spelled = hit.matched == 'spelling' and ' (spelled differently)' or ''
  return ('%-3s %-11s %s%s'):format(
    text.line(hit.layer),
    text.line(hit.category),
    text.clip(hit.text, 120),
    spelled
  )
end

--- Searches; the hits come as a picker, or into the quickfix list.
---@param root string
---@param query string
---@param options { quickfix?: boolean, archive?: boolean }
function M.run(root, query, options)
  local params = { query = query, archive = options.archive, limit = LIMIT }
  require('ibid.request').act('ibid/search', params, { root = root }, function(result)
    if #result.hits == 0 then
      vim.notify('Ibid: ' .. text.line(result.reason or 'nothing found') .. '.')
    elseif options.quickfix then
      M.to_quickfix(root, query, result)
    else
      local found = result.total > #result.hits and ('%d of %d'):format(#result.hits, result.total)
        or tostring(result.total)
      local prompt = ('%s for “%s”'):format(found, text.clip(query, 40))
      require('ibid.pick').among(result.hits, prompt, M.line, function(hit)
        require('ibid.content').open(M.path(hit), { root = root })
      end)
    end
  end)
end

---@param root string
---@param query string
---@param result { hits: ibid.Hit[], total: integer }
function M.to_quickfix(root, query, result)
  local content = require('ibid.content')
  local items = vim.tbl_map(function(hit)
    local bufnr = vim.fn.bufadd(content.address(M.path(hit), { root = root }))
    vim.b[bufnr].ibid_root = root
    return { bufnr = bufnr, lnum = 1, text = M.line(hit) }
  end, result.hits)
  vim.fn.setqflist({}, ' ', { title = ':Ibid! search ' .. text.line(query), items = items })
  vim.cmd('botright copen')
end

--- Makes the page `ibid://recall/PROMPT` or `ibid://recall?prompt=…`: the block as an agent would
--- get it.
---@type ibid.content.Maker
function M.make_recall(rest, params, root, on_lines)
  local prompt = params.prompt or rest
  local options = { root = root }
  require('ibid.request').send('ibid/recall', { prompt = prompt }, options, function(err, result)
    on_lines(err, result and M.recall_lines(prompt, result))
  end)
end

---@param prompt string
---@param result ibid.Recall
---@return string[]
function M.recall_lines(prompt, result)
  local lines = { '# What an agent would be given', '', '> ' .. text.line(prompt), '' }
  if not result.block then
    table.insert(lines, ('Nothing: %s.'):format(text.line(result.reason or 'nothing fits')))
    return lines
  end
  table.insert(
    lines,
    ('%s, %s%s'):format(
      text.count(#result.items, 'item'),
      text.count(result.tokens, 'token'),
      result.receipt and M.receipt_link(result.receipt) or ''
    )
  )
  table.insert(lines, '')
  for _, item in ipairs(result.items) do
    table.insert(
      lines,
      ('- %s %s, score %.2f: %s'):format(
        text.line(item.layer),
        text.line(item.id),
        item.score,
        text.line(item.text)
      )
    )
  end
  local fence = M.fence(result.block)
  vim.list_extend(lines, { '', '## The block as sent', '', fence })
  vim.list_extend(lines, text.lines(result.block))
  table.insert(lines, fence)
  return lines
end

--- A fence longer than any in the text.
---@param block string
---@return string
function M.fence(block)
  local longest = 2
  for ticks in block:gmatch('`+') do
    longest = math.max(longest, #ticks)
  end
  return ('`'):rep(longest + 1)
end

---@param id string
---@return string
function M.receipt_link(id)
  return (' · [receipt](ibid://%s)'):format(require('ibid.content').path('receipt', id))
end

return M
