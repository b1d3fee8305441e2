--- Search by a person. (F4)
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

return M
