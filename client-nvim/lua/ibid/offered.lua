--- What the server may put behind lenses, hovers and code actions: commands of the client's own.
---
--- `ibid.config` lists them to the server, `plugin/ibid.lua` puts them into `vim.lsp.commands`.
--- Each takes one object. (R1, R4)
local M = {}

---@class ibid.offered.Argument
---@field ids? string[] of `ibid.openNotes`
---@field id? string of `ibid.correctNote` and `ibid.forgetNote`
---@field path? string below the project
---@field query? string of `ibid.openRecall`
---@field uri? string the file

---@type table<string, fun(argument: ibid.offered.Argument, root: string)>
local commands = {}

--- One note opens at once, of several the person picks.
commands['ibid.openNotes'] = function(argument, root)
  local ids = argument.ids or {}
  if #ids == 0 then
    vim.notify('Ibid: this lens names no note.', vim.log.levels.WARN)
  elseif #ids == 1 then
    M.open_note(ids[1], root)
  else
    require('ibid.pick').of_ids(ids, { root = root, path = argument.uri }, function(note)
      M.open_note(note.id, root)
    end)
  end
end

commands['ibid.openReads'] = function(argument, root)
  local path = argument.path or (argument.uri and vim.uri_to_fname(argument.uri))
  require('ibid.content').open('history', { root = root, params = { path = path } })
end

commands['ibid.openRecall'] = function(argument, root)
  require('ibid.content').open('recall', { root = root, params = { prompt = argument.query } })
end

--- Runs a command that the server named.
---@param command lsp.Command
---@param context? { client_id?: integer }
function M.run(command, context)
  local client = vim.lsp.get_client_by_id(context and context.client_id or -1)
  local root = client and client.root_dir or require('ibid.project').current()
  commands[command.command]((command.arguments or {})[1] or {}, root)
end

---@param id string
---@param root string
function M.open_note(id, root)
  local content = require('ibid.content')
  content.open(content.path('note', id), { root = root })
end

return M
