--- Links in hovers: with the cursor in the float, after a second |K|, they can be followed.
---
--- Neovim draws a hover's Markdown, but follows no link of it.
local content = require('ibid.content')

local M = {}

--- The links of a line of a hover: documents, and commands of ours, `[words](command:ibid.…)`.
--- Escaped brackets are words of somebody, and no link.
---@param line string
---@return ibid.Link[]
function M.links(line)
  local links = content.links(line)
  for first, words, uri, last in line:gmatch('()%[([^%[%]]*)%]%((command:ibid%.[^%s%)]+)%)()') do
    if line:sub(first - 1, first - 1) ~= '\\' and words:sub(-1) ~= '\\' then
      table.insert(links, { first = first, last = last - 1, uri = uri })
    end
  end
  return links
end

--- A float was entered: where it has links of ours, <CR> and `gf` follow them.
---@param bufnr integer
function M.entered(bufnr)
  if vim.bo[bufnr].buftype ~= 'nofile' then
    return
  end
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local has_links = vim.iter(lines):any(function(line)
    return #M.links(line) > 0
  end)
  for _, lhs in ipairs(has_links and { '<CR>', 'gf' } or {}) do
    local options = { buffer = bufnr, nowait = true, desc = 'Ibid: follow the link' }
    vim.keymap.set('n', lhs, M.follow, options)
  end
end

--- Follows the link from the window that the hover is about.
function M.follow()
  local link = content.link_at_cursor(M.links(vim.api.nvim_get_current_line()))
  if not link then
    vim.notify('Ibid: no link here.')
    return
  end
  vim.cmd.close()
  if vim.startswith(link.uri, 'command:') then
    require('ibid.offered').run_uri(link.uri)
  else
    content.open_uri(link.uri)
  end
end

return M
