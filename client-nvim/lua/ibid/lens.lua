--- Code lenses: shown without set-up. What they open is in `ibid.offered`.
---
--- Neovim 0.12 keeps lenses fresh by itself once they are enabled for a buffer, with a provider
--- that serves all of the buffer's clients. On 0.11 we ask, for our own client only, when a buffer
--- is entered, written or left in insert mode, and when the memory changes.
local M = {}

local group = vim.api.nvim_create_augroup('ibid.lens', {})

---@param client vim.lsp.Client
---@param bufnr integer
function M.attach(client, bufnr)
  if not require('ibid.config').get().lenses or not M.provides(client) then
    return
  end
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = bufnr })
    return
  end
  vim.api.nvim_clear_autocmds({ group = group, buffer = bufnr })
  vim.api.nvim_create_autocmd({ 'BufEnter', 'BufWritePost', 'InsertLeave' }, {
    group = group,
    buffer = bufnr,
    desc = 'Ask for the lenses of the project memory',
    callback = function()
      M.refresh(client, bufnr)
    end,
  })
  M.refresh(client, bufnr)
end

---@param client vim.lsp.Client
---@return boolean
function M.provides(client)
  return client.server_capabilities.codeLensProvider ~= nil
end

--- Asks for the lenses of one buffer (Neovim 0.11).
---@param client vim.lsp.Client
---@param bufnr integer
function M.refresh(client, bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) or client:is_stopped() then
    return
  end
  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  local options = { root = client.root_dir }
  require('ibid.request').send('textDocument/codeLens', params, options, function(err, result)
    if not err and vim.api.nvim_buf_is_loaded(bufnr) then
      vim.lsp.codelens.on_codelens(nil, result, { bufnr = bufnr, client_id = client.id })
    end
  end)
end

--- The memory changed: lenses on screen are asked for again.
---@param client vim.lsp.Client
function M.changed(client)
  if not require('ibid.config').get().lenses or not M.provides(client) then
    return
  end
  if vim.lsp.codelens.enable then
    return -- The server asks by `workspace/codeLens/refresh`, which 0.12 serves.
  end
  for bufnr in pairs(client.attached_buffers) do
    if vim.fn.bufwinid(bufnr) ~= -1 then
      M.refresh(client, bufnr)
    end
  end
end

return M
