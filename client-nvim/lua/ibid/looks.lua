--- How our buffers look: header line, window options, the help with the mappings.
local text = require('ibid.text')

local M = {}

--- Options of a window while it shows one of our buffers, and only then.
---@param win integer
---@param bar string
function M.dress_window(win, bar)
  local options = vim.wo[win][0]
  options.winbar = bar
  options.wrap = true
  options.linebreak = true
  options.breakindent = true
  options.number = false
  options.relativenumber = false
  options.signcolumn = 'no'
  options.foldenable = false
  options.list = false
  options.spell = false
end

--- The header line: what is shown, and as many of the mappings as there is room for.
---@param view ibid.View
---@param width integer of the window
---@return string
function M.bar(view, width)
  local subtitle = view.spec.subtitle and view.result and view.spec.subtitle(view) or nil
  local parts = { view.spec.title, subtitle }
  if view.total > #view.rows then
    local first, last = view.offset + 1, view.offset + #view.rows
    table.insert(parts, ('%d–%d of %d'):format(first, last, view.total))
  end
  local heading = text.line(table.concat(parts, ' · '))
  local keys = {}
  local room = width - vim.api.nvim_strwidth(heading) - #'  g? help'
  for _, key in ipairs(view.spec.keys) do
    local lhs = key.bar and M.key_of(key)
    room = lhs and room - #lhs - #key.label - #'   ' or room
    if lhs and room >= 0 then
      table.insert(keys, ('%%#IbidKey#%s%%* %s'):format(text.bar(lhs), key.label))
    end
  end
  table.insert(keys, '%#IbidKey#g?%* help')
  return ('%%#IbidTitle#%s%%*%%=  %s'):format(text.bar(heading), table.concat(keys, '  '))
end

--- The key of an action, as the user wants it; nil when switched off.
---@param key ibid.view.Key
---@return string?
function M.key_of(key)
  local chosen = require('ibid.config').get().keys[key.action]
  if chosen == nil then
    return key.key
  end
  return chosen or nil
end

--- A floating window with the mappings.
---@param title string
---@param keys ibid.view.Key[]
function M.help(title, keys)
  local lines = vim.tbl_map(
    function(key)
      return ('%-6s %s'):format(M.key_of(key), key.label)
    end,
    vim.tbl_filter(function(key)
      return M.key_of(key) ~= nil
    end, keys)
  )
  vim.lsp.util.open_floating_preview(lines, '', {
    title = ' ' .. title .. ' ',
    border = 'rounded',
    focusable = false,
  })
end

--- Closes the window, or shows the buffer before where it is the last one.
function M.close()
  if #vim.api.nvim_tabpage_list_wins(0) > 1 or #vim.api.nvim_list_tabpages() > 1 then
    vim.cmd.close()
  elseif vim.fn.bufnr('#') > 0 then
    vim.cmd.buffer('#')
  else
    vim.cmd.enew()
  end
end

return M
