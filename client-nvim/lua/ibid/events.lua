--- What the server tells us unasked, passed on to whatever shows it.
local M = {}

--- A client of ours got a buffer.
---@param client vim.lsp.Client
---@param bufnr integer
function M.attached(client, bufnr)
  require('ibid.server').stopped[client.root_dir or ''] = nil
  vim.b[bufnr].ibid_attached = client.root_dir
  M.check_version(client)
  require('ibid.lens').attach(client, bufnr)
  require('ibid.status').warm(client.root_dir)
  require('ibid.ids').warm(client.root_dir)
end

--- Says once when server and plugin are not of the same release.
---@param client vim.lsp.Client
function M.check_version(client)
  local theirs = vim.tbl_get(client, 'server_info', 'version')
  local ours = require('ibid').version
  if theirs and theirs ~= ours then
    vim.notify_once(
      ('Ibid: server %s and plugin %s are of different releases; update the older one.'):format(
        require('ibid.text').line(theirs),
        ours
      ),
      vim.log.levels.WARN
    )
  end
end

--- `ibid/memoryChanged`: ask again for what is shown.
---@param params { project: string, kinds: string[] }
---@param ctx lsp.HandlerContext
function M.memory_changed(params, ctx)
  local client = vim.lsp.get_client_by_id(ctx.client_id)
  local root = client and client.root_dir
  if not root then
    return
  end
  local kinds = params.kinds or {}
  require('ibid.view').changed(root, kinds)
  require('ibid.content').changed(root)
  require('ibid.status').refresh(root)
  require('ibid.ids').changed(root)
  -- Lenses tell of notes, of when they were recalled, and of what agents read.
  local told = vim.iter({ 'notes', 'receipts', 'turns' }):any(function(kind)
    return vim.list_contains(kinds, kind)
  end)
  if told then
    require('ibid.lens').changed(client)
  end
end

--- Lets the user's own autocommands know.
---@param pattern string of the `User` event
---@param data table
function M.announce(pattern, data)
  vim.api.nvim_exec_autocmds('User', { pattern = pattern, modeline = false, data = data })
end

--- `$/progress`: whoever waits waits on, and the status line shows how far it is.
---@param client vim.lsp.Client
---@param params { token: string|integer, value: table }
function M.progressed(client, params)
  require('ibid.request').touch(params.token)
  require('ibid.status').progress(client.root_dir, params.token, params.value)
end

return M
