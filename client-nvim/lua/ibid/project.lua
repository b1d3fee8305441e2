--- Whose memory a buffer belongs to.
---
--- A project is the nearest folder above the file with one of `root_markers` (`.git`, `.ibid`). A
--- file outside any has no memory of its own, so no server is started for it; `:Ibid` typed there
--- means the working directory. The server has the last word: worktrees are their repository.
local M = {}

--- `vim.lsp.Config.root_dir`: calls `on_dir` only for a real file in a real project.
---@param bufnr integer
---@param on_dir fun(root: string)
function M.root_dir(bufnr, on_dir)
  local root = M.of_file(bufnr)
  if root and require('ibid.server').is_installed() then
    on_dir(root)
  end
end

--- The project of an ordinary file buffer; nil for unnamed, special and `scheme://` buffers.
---@param bufnr integer
---@return string?
function M.of_file(bufnr)
  local path = M.path(bufnr)
  if not path then
    return nil
  end
  for _, marker in ipairs(require('ibid.config').get().root_markers) do
    local root = vim.fs.root(path, marker)
    if root then
      return root
    end
  end
end

--- The file's path, if the buffer is a file.
---@param bufnr integer
---@return string?
function M.path(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  if name == '' or vim.bo[bufnr].buftype ~= '' or name:match('^%a[%w+.-]+://') then
    return nil
  end
  return vim.fs.normalize(name)
end

--- The project that `:Ibid` means now: of this buffer, of the one before it, of the only server
--- running, of the working directory; at last the working directory itself.
---@return string
function M.current()
  local here = vim.api.nvim_get_current_buf()
  local before = vim.fn.bufnr('#')
  local root = M.of_buffer(here) or (before > 0 and M.of_buffer(before)) or nil
  if root then
    return root
  end
  local clients = require('ibid.server').running()
  if #clients == 1 then
    return clients[1].root_dir
  end
  local cwd = vim.fs.normalize(vim.fn.getcwd())
  return vim.fs.root(cwd, require('ibid.config').get().root_markers) or cwd
end

--- The project of a file or of one of our own buffers.
---@param bufnr integer
---@return string?
function M.of_buffer(bufnr)
  return vim.b[bufnr].ibid_root or M.of_file(bufnr)
end

return M
