--- Notes for a file that agents load: the change is shown, and only a person makes it. (C6)
local text = require('ibid.text')

local M = {}

--- The files that agents load by themselves.
M.FILES = { 'CLAUDE.md', 'AGENTS.md', 'GEMINI.md', '.github/copilot-instructions.md' }

--- Asks for the change and shows it; without a file the person picks one.
---@param root string
---@param notes string[] ids
---@param file? string below the project
function M.propose(root, notes, file)
  if not file then
    local prompt = 'Into which file? Agents load it whole into every session'
    require('ibid.pick').among(M.FILES, prompt, tostring, function(chosen)
      M.propose(root, notes, chosen)
    end)
    return
  end
  local params, options = { file = file, notes = notes }, { root = root }
  require('ibid.request').act('ibid/instructions/preview', params, options, function(preview)
    if preview.before == preview.after then
      vim.notify(('Ibid: %s says so already.'):format(text.line(preview.path)))
    else
      M.show(root, preview)
    end
  end)
end

--- Shows a change. `a` makes it, in the file's buffer; `q` leaves the file as it is.
---@param root string
---@param preview { path: string, before: string, after: string, diff: string }
function M.show(root, preview)
  vim.cmd('botright new')
  local bufnr = vim.api.nvim_get_current_buf()
  local options = vim.bo[bufnr]
  options.buftype, options.bufhidden, options.swapfile = 'nofile', 'wipe', false
  options.buflisted, options.modeline = false, false
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, text.lines(preview.diff))
  options.modifiable, options.filetype = false, 'diff'
  local keys = '%#IbidKey#a%* change the file  %#IbidKey#q%* leave it'
  vim.wo[0][0].winbar = ('%%#IbidTitle#Change of %s%%*%%=%s'):format(text.bar(preview.path), keys)
  local function map(lhs, desc, run)
    vim.keymap.set('n', lhs, run, { buffer = bufnr, nowait = true, desc = 'Ibid: ' .. desc })
  end
  map('a', 'change the file', function()
    if M.apply(root, preview) then
      vim.api.nvim_buf_delete(bufnr, { force = true })
    end
  end)
  map('q', 'leave the file', require('ibid.looks').close)
end

--- Makes the change in the file's buffer, which the person then writes; only where the buffer has
--- what the change was made for.
---
--- The words are set whole: an edit behind the last line would leave an empty one there.
---@param root string
---@param preview { path: string, before: string, after: string }
---@return boolean made
function M.apply(root, preview)
  local files = require('ibid.files')
  local bufnr = vim.fn.bufadd(files.absolute(root, preview.path))
  vim.fn.bufload(bufnr)
  local name = text.line(preview.path)
  local now = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  if not vim.deep_equal(now, M.lines(bufnr, preview.before)) then
    vim.notify(
      ('Ibid: %s is another now; save it and ask again.'):format(name),
      vim.log.levels.WARN
    )
    return false
  end
  vim.bo[bufnr].buflisted = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, M.lines(bufnr, preview.after))
  files.go_to_window(bufnr)
  vim.cmd.buffer(bufnr)
  vim.notify(('Ibid: changed %s; write it with :w, or undo.'):format(name))
  return true
end

--- A file's text as the lines of its buffer.
---@param bufnr integer
---@param whole string
---@return string[]
function M.lines(bufnr, whole)
  if vim.bo[bufnr].fileformat == 'dos' then
    whole = whole:gsub('\r\n', '\n')
  end
  return vim.split(whole:gsub('\n$', ''), '\n', { plain = true })
end

return M
