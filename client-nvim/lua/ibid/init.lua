--- Ibid, a project memory beside the editor: the plugin's public functions.
---
--- Nothing here needs to be called: the plugin works as soon as it is on the 'runtimepath'.
local M = {}

--- The release; the server's is the same.
M.version = '0.1.0'

--- Overrides options. Everything has a default; see |ibid-options|.
---@param options? table<string, any> see `ibid.Config`
function M.setup(options)
  local config = require('ibid.config')
  config.set(options)
  local enable = config.get().enable
  if vim.lsp.is_enabled and enable ~= vim.lsp.is_enabled('ibid') then
    vim.lsp.enable('ibid', enable)
  end
end

--- The state of this buffer's memory in a few words, for 'statusline'. It never waits.
---@param bufnr? integer else the current buffer
---@return string
function M.statusline(bufnr)
  return require('ibid.status').line(bufnr)
end

--- Shows a list or a document, such as `queue`, `note/n-7k3q` or `turn/SESSION/3`.
---@param path string an address without `ibid://`
---@param where? ibid.content.Where
function M.open(path, where)
  require('ibid.content').open(path, where)
end

--- Sends a request of the protocol; `on_answer` is called once, with an error or the result.
---@param method string such as `ibid/search`
---@param params table
---@param on_answer fun(err?: ibid.Error, result?: any)
function M.request(method, params, on_answer)
  require('ibid.request').send(method, params, nil, on_answer)
end

return M
