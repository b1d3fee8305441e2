-- The plugin's entry: one command, `<Plug>` maps and autocommands. Every `require` waits for its
-- first use, so that starting Neovim costs nothing.

if vim.g.loaded_ibid then
  return
end
vim.g.loaded_ibid = 1

if vim.fn.has('nvim-0.11') == 0 then
  vim.notify_once('Ibid needs Neovim 0.11 or newer.', vim.log.levels.WARN)
  return
end

vim.api.nvim_create_user_command('Ibid', function(opts)
  require('ibid.commands').run(opts)
end, {
  nargs = '*',
  range = true,
  bang = true,
  desc = 'Project memory: notes, review queue, receipts',
  complete = function(lead, line, position)
    return require('ibid.commands').complete(lead, line, position)
  end,
})

local group = vim.api.nvim_create_augroup('ibid', {})

vim.api.nvim_create_autocmd('BufReadCmd', {
  group = group,
  pattern = 'ibid://*',
  desc = 'Show a document or a list of the project memory',
  callback = function(event)
    require('ibid.content').read(event.buf, event.match)
  end,
})

vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  desc = 'Show lenses and learn the state of the project memory',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'ibid' then
      require('ibid.events').attached(client, event.buf)
    end
  end,
})

vim.api.nvim_create_autocmd('LspProgress', {
  group = group,
  desc = 'Follow the import of earlier sessions',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'ibid' then
      require('ibid.events').progressed(client, event.data.params)
    end
  end,
})

vim.api.nvim_create_autocmd('WinEnter', {
  group = group,
  desc = 'Let the links of a hover be followed',
  callback = function(event)
    -- Most windows are no floats: nothing is loaded for them.
    if vim.api.nvim_win_get_config(0).relative ~= '' then
      require('ibid.hover').entered(event.buf)
    end
  end,
})

-- What lenses and code actions of the server run here.
for _, name in ipairs(require('ibid.config').COMMANDS) do
  vim.lsp.commands[name] = function(command, context)
    require('ibid.offered').run(command, context)
  end
end

for _, name in ipairs({
  'queue',
  'notes',
  'receipts',
  'sessions',
  'search',
  'archive',
  'reads',
  'report',
  'status',
}) do
  vim.keymap.set('n', ('<Plug>(ibid-%s)'):format(name), ('<Cmd>Ibid %s<CR>'):format(name))
end
vim.keymap.set('n', '<Plug>(ibid-add)', '<Cmd>Ibid add<CR>')
vim.keymap.set('x', '<Plug>(ibid-add)', ":<C-U>'<,'>Ibid add<CR>")

-- Links that a colour scheme or the user can set otherwise.
for name, target in pairs({
  Title = 'Title',
  Key = 'Special',
  Category = 'Type',
  About = 'IbidAbout',
  Pinned = 'Special',
  Attention = 'DiagnosticWarn',
  Time = 'Number',
  Tag = 'Tag',
  Link = 'Underlined',
  Gain = 'DiagnosticOk',
}) do
  vim.api.nvim_set_hl(0, 'Ibid' .. name, { link = target, default = true })
end

if require('ibid.config').get().enable then
  vim.lsp.enable('ibid')
end
