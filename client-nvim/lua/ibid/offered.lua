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
  local content = require('ibid.content')
  content.open(content.path('recall', argument.query or ''), { root = root })
end

commands['ibid.correctNote'] = function(argument, root)
  -- The file narrows the search for the note's words.
  local path = argument.path or require('ibid.project').path(0)
  local note = { id = argument.id, path = path }
  require('ibid.notes').reword(require('ibid.keys').sender(root), note)
end

commands['ibid.forgetNote'] = function(argument, root)
  require('ibid.notes').forget(require('ibid.keys').sender(root), { id = argument.id })
end

--- Runs a command that the server named.
---@param command { command: string, arguments?: table[] }
---@param context? { client_id?: integer }
function M.run(command, context)
  local client = vim.lsp.get_client_by_id(context and context.client_id or -1)
  local root = client and client.root_dir or require('ibid.project').current()
  commands[command.command]((command.arguments or {})[1] or {}, root)
end

--- Runs the command behind a link of a hover: `command:NAME?ARGUMENTS`, percent-encoded JSON. The
--- text around it may be anybody's, so that only the commands here are run, and only what opens
--- something is run without asking.
---@param uri string
function M.run_uri(uri)
  local name, given = uri:match('^command:([%w.]+)%??(.*)$')
  local ok, arguments = pcall(vim.json.decode, vim.uri_decode(given or ''))
  if not commands[name] or not ok or type(arguments) ~= 'table' then
    vim.notify('Ibid: this link leads nowhere here.', vim.log.levels.WARN)
    return
  end
  local command = { command = name, arguments = arguments }
  if name ~= 'ibid.forgetNote' then
    M.run(command)
    return
  end
  local id = require('ibid.text').line(vim.tbl_get(arguments, 1, 'id'))
  require('ibid.pick').confirm(('Forget %s?'):format(id), {
    { label = 'Forget it; :Ibid restore undoes it', value = true },
  }, function()
    M.run(command)
  end)
end

---@param id string
---@param root string
function M.open_note(id, root)
  local content = require('ibid.content')
  content.open(content.path('note', id), { root = root })
end

return M
