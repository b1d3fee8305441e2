--- Files of the project that a list names: how they are called, and how one gets to them.
local M = {}

--- The path below the project, else the path as it is.
---@param root string
---@param path string
---@return string
function M.relative(root, path)
  return vim.fs.relpath(root, path) or path
end

--- The file itself: a relative path counts from the project.
---@param root string
---@param path string
---@return string
function M.absolute(root, path)
  local is_absolute = path:find('^[/\\]') or path:find('^%a:[/\\]')
  return vim.fs.normalize(is_absolute and path or vim.fs.joinpath(root, path), {
    expand_env = false,
  })
end

--- Shows a file: in a window that has it, else in the window before ours, else in a new one. A
--- file that is gone is not made anew.
---@param root string
---@param path string
---@param line? integer from 1
function M.open(root, path, line)
  local file = M.absolute(root, path)
  if not vim.uv.fs_stat(file) then
    local message = ('Ibid: %s is gone.'):format(require('ibid.text').line(path))
    vim.notify(message, vim.log.levels.WARN)
    return
  end
  local bufnr = vim.fn.bufadd(file)
  vim.bo[bufnr].buflisted = true
  M.go_to_window(bufnr)
  vim.cmd.buffer(bufnr)
  if line and line > 0 then
    local last = vim.api.nvim_buf_line_count(bufnr)
    vim.api.nvim_win_set_cursor(0, { math.min(line, last), 0 })
  end
end

--- Never over one of our own lists: the person comes back to it.
---@param bufnr integer
function M.go_to_window(bufnr)
  local win = vim.fn.bufwinid(bufnr)
  if win == -1 then
    win = vim.fn.win_getid(vim.fn.winnr('#'))
  end
  local there = win ~= 0 and vim.api.nvim_win_get_buf(win)
  local is_ours = there and vim.api.nvim_buf_get_name(there):find('^ibid://')
  if not there or is_ours or vim.bo[there].buftype ~= '' then
    vim.cmd.split()
  else
    vim.api.nvim_set_current_win(win)
  end
end

return M
