--- The ids that completion offers, learned in the background so that <Tab> never waits.
local M = {}

---@alias ibid.ids.Kind 'notes'|'forgotten'|'candidates'|'rejected'|'receipts'|'sessions'

---@type table<ibid.ids.Kind, { method: string, params: table, field: string, id: string }>
local sources = {
  notes = { method = 'ibid/note/list', params = {}, field = 'notes', id = 'id' },
  forgotten = {
    method = 'ibid/note/list',
    params = { view = 'forgotten' },
    field = 'notes',
    id = 'id',
  },
  candidates = { method = 'ibid/candidate/list', params = {}, field = 'candidates', id = 'id' },
  rejected = {
    method = 'ibid/candidate/list',
    params = { state = 'rejected' },
    field = 'candidates',
    id = 'id',
  },
  receipts = { method = 'ibid/receipt/list', params = {}, field = 'receipts', id = 'id' },
  sessions = { method = 'ibid/session/list', params = {}, field = 'sessions', id = 'session' },
}

--- How many rows of each kind are offered: the newest.
local LIMIT = 100

---@type table<string, table<ibid.ids.Kind, table[]>>
local rows = {}

---@type table<string, boolean>
local stale = {}

--- What is known of one kind; when it may be old, newer rows are asked for, for the next <Tab>.
---@param root string
---@param kind ibid.ids.Kind
---@return string[]
function M.list(root, kind)
  M.warm(root)
  return vim.tbl_map(function(row)
    return row[sources[kind].id]
  end, (rows[root] or {})[kind] or {})
end

--- The row of an id or of its unique prefix, if it is known here.
---@param root string
---@param kind ibid.ids.Kind
---@param id string
---@return table?
function M.find(root, kind, id)
  local found = {}
  for _, row in ipairs((rows[root] or {})[kind] or {}) do
    local own = row[sources[kind].id]
    if own == id then
      return row
    elseif vim.startswith(own, id) then
      table.insert(found, row)
    end
  end
  return #found == 1 and found[1] or nil
end

--- Learns the ids of a project in the background, unless they are known.
---@param root? string
function M.warm(root)
  if not root or stale[root] == false then
    return
  end
  stale[root] = false
  rows[root] = rows[root] or {}
  for kind, source in pairs(sources) do
    local params = vim.tbl_extend('force', { limit = LIMIT }, source.params)
    require('ibid.request').send(source.method, params, { root = root }, function(err, result)
      if err then
        stale[root] = true
      else
        rows[root][kind] = result[source.field]
      end
    end)
  end
end

--- The memory changed: the next completion asks again.
---@param root string
function M.changed(root)
  stale[root] = true
end

return M
