--- `:Ibid`: one command with subcommands, each with its completion.
---
--- Where a subcommand takes an id and none is given, the row under the cursor counts, then the page
--- in the buffer, and then the person picks.
local text = require('ibid.text')

local M = {}

---@class ibid.Call
---@field root string the project
---@field args string everything after the subcommand, as typed
---@field words string[] the same, split at blanks
---@field bang boolean
---@field mods string such as `vertical`
---@field range? { [1]: integer, [2]: integer } lines, if a range was given

---@class ibid.Subcommand
---@field usage string its arguments
---@field says string what it does
---@field run fun(call: ibid.Call)
---@field files? boolean takes paths
---@field complete? fun(root: string, words: string[]): string[] words before the one typed now

---@type table<string, ibid.Subcommand>
M.subcommands = vim.tbl_extend(
  'error',
  require('ibid.commands.look'),
  require('ibid.commands.keep'),
  require('ibid.commands.hand'),
  require('ibid.commands.manage')
)

--- Every subcommand's name, in order.
---@return string[]
function M.names()
  local names = vim.tbl_keys(M.subcommands)
  table.sort(names)
  return names
end

--- Runs `:Ibid …`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.run(opts)
  local name, args = opts.args:match('^(%S*)%s*(.-)%s*$')
  if name == '' then
    M.menu(opts)
    return
  end
  local subcommand = M.subcommands[name]
  if not subcommand then
    local message = 'Ibid: there is no :Ibid %s. Type :Ibid and <Tab> to see what there is.'
    vim.notify(message:format(text.line(name)), vim.log.levels.ERROR)
    return
  end
  subcommand.run({
    root = require('ibid.project').current(),
    args = args,
    words = vim.split(args, '%s+', { trimempty = true }),
    bang = opts.bang,
    mods = opts.mods,
    range = opts.range > 0 and { opts.line1, opts.line2 } or nil,
  })
end

--- `:Ibid` alone: pick a subcommand.
---@param opts vim.api.keyset.create_user_command.command_args
function M.menu(opts)
  require('ibid.pick').among(M.names(), 'Ibid', function(name)
    return ('%-12s %s'):format(name, M.subcommands[name].says)
  end, function(name)
    M.run(vim.tbl_extend('force', opts, { args = name }))
  end)
end

--- Completes `:Ibid …`.
---@param lead string the word before the cursor
---@param line string
---@param position integer of the cursor
---@return string[]
function M.complete(lead, line, position)
  local typed = line:sub(1, position):match('Ibid!?%s+(.*)$') or ''
  local before = vim.split(typed:sub(1, #typed - #lead), '%s+', { trimempty = true })
  local name = table.remove(before, 1)
  local words
  if not name then
    words = M.names()
  end
  local subcommand = M.subcommands[name]
  if subcommand and subcommand.files then
    return vim.tbl_map(function(path)
      return (path:gsub(' ', '\\ '))
    end, vim.fn.getcompletion(lead:gsub('\\ ', ' '), 'file'))
  elseif subcommand and subcommand.complete then
    words = subcommand.complete(require('ibid.project').current(), before)
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words or {})
end

return M
