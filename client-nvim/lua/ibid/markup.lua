--- Documents easy on the eye: the Markdown that keeps the words of others from acting is not seen.
---
--- Nothing in the buffer changes. Backslashes before punctuation and the targets of links are
--- concealed, and links look like links; code stays as it is.
local M = {}

local namespace = vim.api.nvim_create_namespace('ibid.markup')

--- Draws a whole document.
---@param bufnr integer
---@param lines string[]
function M.draw(bufnr, lines)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local fence ---@type string?
  for number, line in ipairs(lines) do
    local ticks = line:match('^ ? ? ?(```+)')
    if fence then
      fence = not (ticks and #ticks >= #fence) and fence or nil
    elseif ticks then
      fence = ticks
    else
      M.draw_line(bufnr, number - 1, line)
    end
  end
end

---@param bufnr integer
---@param row integer from 0
---@param line string
function M.draw_line(bufnr, row, line)
  for first in line:gmatch('()\\%p') do
    M.hide(bufnr, row, first, first)
  end
  for first, words, last in line:gmatch('()%[([^%[%]]*)%]%(ibid://[^%s%)]+%)()') do
    local closing = first + 1 + #words
    M.hide(bufnr, row, first, first)
    M.hide(bufnr, row, closing, last - 1)
    M.mark(bufnr, row, first + 1, closing - 1)
  end
  for first, last in line:gmatch('()<<ccr:%x+>>()') do
    M.mark(bufnr, row, first, last - 1)
  end
end

--- Makes bytes of a line, counted from 1, look like a link.
---@param bufnr integer
---@param row integer
---@param first integer
---@param last integer
function M.mark(bufnr, row, first, last)
  vim.api.nvim_buf_set_extmark(bufnr, namespace, row, first - 1, {
    end_col = last,
    hl_group = 'IbidLink',
  })
end

--- Conceals bytes of a line, counted from 1.
---@param bufnr integer
---@param row integer
---@param first integer
---@param last integer
function M.hide(bufnr, row, first, last)
  vim.api.nvim_buf_set_extmark(bufnr, namespace, row, first - 1, { end_col = last, conceal = '' })
end

return M
