--- A small buffer to reword a text in: `:w` saves and closes, `:q!` leaves it as it was.
local text = require('ibid.text')

local M = {}

--- Opens the text for editing. `on_save` gets the new wording, if there is one.
---@param title string what is edited, for the header line
---@param wording string
---@param on_save fun(wording: string)
function M.open(title, wording, on_save)
  local origin = vim.api.nvim_get_current_win()
  vim.cmd('botright 6new')
  local bufnr = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_name(bufnr, ('ibid-edit://%d/%s'):format(bufnr, text.line(title)))
  local options = vim.bo[bufnr]
  options.buftype, options.bufhidden, options.swapfile = 'acwrite', 'wipe', false
  options.buflisted, options.modeline, options.filetype = false, false, 'markdown'
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(wording, '\n', { plain = true }))
  options.modified = false
  local keys = '%#IbidKey#:w%* save  %#IbidKey#:q!%* leave it'
  vim.wo[0][0].winbar = ('%%#IbidTitle#%s%%*%%=%s'):format(text.bar(title), keys)
  vim.wo[0][0].wrap, vim.wo[0][0].linebreak = true, true
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = bufnr,
    desc = 'Go back to where the person came from',
    callback = function()
      vim.schedule(function()
        if vim.api.nvim_win_is_valid(origin) then
          vim.api.nvim_set_current_win(origin)
        end
      end)
    end,
  })
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = bufnr,
    desc = 'Save the wording',
    callback = function()
      M.save(bufnr, wording, on_save)
    end,
  })
end

---@param bufnr integer
---@param before string
---@param on_save fun(wording: string)
function M.save(bufnr, before, on_save)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local wording = vim.trim(table.concat(lines, '\n'))
  if wording == '' then
    vim.notify('Ibid: an empty text is not saved.', vim.log.levels.WARN)
    return
  end
  vim.bo[bufnr].modified = false
  -- Not inside the write itself: `:wq` closes the window after it.
  vim.schedule(function()
    if vim.api.nvim_buf_is_valid(bufnr) then
      vim.api.nvim_buf_delete(bufnr, { force = true })
    end
    if wording ~= before then
      on_save(wording)
    end
  end)
end

return M
