--- The options: defaults, what the user set, and what is wrong with it.
---
--- `vim.g.ibid` (a table, or a function that returns one) and `setup()` only override; both are
--- read when an option is needed, so that either works before and after the plugin is loaded.
local M = {}

---@class ibid.Config
---@field enable boolean start the server for the files of a project
---@field cmd? string[] how to start the server; else `ibid lsp` from the PATH
---@field home? string where the server keeps its data; else the server decides
---@field watch boolean let the server follow agents' transcripts
---@field lenses boolean show lenses
---@field hovers boolean answer hovers
---@field timeout integer milliseconds after which a request is given up
---@field page integer rows on one page of a list
---@field open 'split'|'vsplit'|'tab'|'edit' where lists and documents appear
---@field root_markers string[] what makes a folder a project, nearest first
---@field keys table<string, string|false> mappings of our own buffers, by action

---@type ibid.Config
M.defaults = {
  enable = true,
  cmd = nil,
  home = nil,
  watch = true,
  lenses = true,
  hovers = true,
  timeout = 10000,
  page = 50,
  open = 'split',
  root_markers = { '.git', '.ibid' },
  keys = {},
}

---@type table<string, fun(value: any): boolean>
local fits = {
  enable = function(value)
    return type(value) == 'boolean'
  end,
  cmd = function(value)
    return vim.islist(value) and #value > 0 and M.strings(value)
  end,
  home = function(value)
    return type(value) == 'string'
  end,
  timeout = function(value)
    return type(value) == 'number' and value > 0
  end,
  page = function(value)
    return type(value) == 'number' and value >= 1 and value % 1 == 0
  end,
  open = function(value)
    return vim.list_contains({ 'split', 'vsplit', 'tab', 'edit' }, value)
  end,
  root_markers = function(value)
    return vim.islist(value) and M.strings(value)
  end,
  keys = function(value)
    return type(value) == 'table' and (vim.tbl_isempty(value) or not vim.islist(value))
  end,
}
fits.watch, fits.lenses, fits.hovers = fits.enable, fits.enable, fits.enable

---@type table<string, any>
local from_setup = {}

--- The options in force. A value that does not fit is left out and reported by `problems`.
---@return ibid.Config
function M.get()
  local config = vim.deepcopy(M.defaults)
  for name, value in pairs(M.chosen()) do
    if fits[name] and fits[name](value) then
      config[name] = value
    end
  end
  return config
end

--- What the user chose, unchecked: `vim.g.ibid`, then `setup()` over it.
---@return table<string, any>
function M.chosen()
  local global = vim.g.ibid
  if type(global) == 'function' then
    local ok, result = pcall(global)
    global = ok and result or nil
  end
  return vim.tbl_extend('force', type(global) == 'table' and global or {}, from_setup)
end

---@param options? table<string, any>
function M.set(options)
  from_setup = options or {}
end

--- Everything in the user's options that has no effect, one sentence each.
---@return string[]
function M.problems()
  local problems = {}
  local global = vim.g.ibid
  if global ~= nil and type(global) ~= 'table' and type(global) ~= 'function' then
    table.insert(problems, 'vim.g.ibid must be a table, or a function that returns one.')
  end
  for name, value in vim.spairs(M.chosen()) do
    if not fits[name] then
      table.insert(problems, ('Unknown option `%s`.'):format(name))
    elseif not fits[name](value) then
      table.insert(
        problems,
        ('Option `%s` cannot be %s; the default is used.'):format(name, vim.inspect(value))
      )
    end
  end
  return problems
end

--- The client commands that the server may use; `ibid.offered` has them.
M.COMMANDS = {
  'ibid.openNotes',
  'ibid.openReads',
  'ibid.openRecall',
  'ibid.correctNote',
  'ibid.forgetNote',
}

--- The server's start-up options: ours, and over them what `vim.lsp.config` carries.
---@param over? table<string, any>
---@return table<string, any>
function M.init_options(over)
  local config = M.get()
  local ours = {
    home = config.home,
    watch = config.watch,
    lenses = config.lenses,
    hovers = config.hovers,
    commands = M.COMMANDS,
  }
  return vim.tbl_extend('force', ours, over or {})
end

---@param values any[]
---@return boolean
function M.strings(values)
  return vim.iter(values):all(function(value)
    return type(value) == 'string' and value ~= ''
  end)
end

return M
