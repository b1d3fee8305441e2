--- `:Ibid add`: a note from words, or from a selection with its file. (C5)
local text = require('ibid.text')

local M = {}

---@param call ibid.Call
function M.run(call)
  local bufnr = vim.api.nvim_get_current_buf()
  local where = call.range and M.place(bufnr, call.root) or {}
  local selected = call.range and M.selected(bufnr, call.range) or nil
  if call.args ~= '' then
    -- The words are the note; the selection only says what they are about.
    M.send(call.root, call.args, vim.tbl_extend('keep', where, { symbol = M.symbol(selected) }))
  elseif selected and vim.trim(selected) ~= '' then
    M.send(call.root, vim.trim(selected), where)
  else
    require('ibid.pick').text('Remember', nil, function(words)
      M.send(call.root, words, where)
    end)
  end
end

---@param root string
---@param words string
---@param where { path?: string, symbol?: string }
function M.send(root, words, where)
  local params = { text = words, path = where.path, symbol = where.path and where.symbol }
  require('ibid.request').act('ibid/note/add', params, { root = root }, function(note)
    local about = where.path and (' about ' .. text.line(where.path)) or ''
    vim.notify(('Ibid: noted%s, %s.'):format(about, text.line(note.id)))
  end)
end

--- The buffer's file, relative to the project.
---@param bufnr integer
---@param root string
---@return { path?: string }
function M.place(bufnr, root)
  local path = require('ibid.project').path(bufnr)
  return { path = path and require('ibid.files').relative(root, path) }
end

--- The selected text: the exact one when the range is the last visual selection.
---@param bufnr integer
---@param range { [1]: integer, [2]: integer }
---@return string
function M.selected(bufnr, range)
  local first, last = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  if first[2] == range[1] and last[2] == range[2] and vim.fn.visualmode() ~= 'V' then
    local lines = vim.fn.getregion(first, last, { type = vim.fn.visualmode() })
    return table.concat(lines, '\n')
  end
  local lines = vim.api.nvim_buf_get_lines(bufnr, range[1] - 1, range[2], false)
  return table.concat(lines, '\n')
end

--- A selection that is one identifier names a symbol.
---@param selected? string
---@return string?
function M.symbol(selected)
  return selected and vim.trim(selected):match('^[%a_][%w_.]*$')
end

return M
