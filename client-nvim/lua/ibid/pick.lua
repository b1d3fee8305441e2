--- Pickers, all through `vim.ui.select` and `vim.ui.input`, which people replace with their own.
local text = require('ibid.text')

local M = {}

--- Columns of a row's text in a picker.
local WIDTH = 100

--- How many rows a picker asks for.
local LIMIT = 200

--- What can be picked: where its rows come from, and how one looks.
---@type table<string, { method: string, field: string, title: string, line: fun(row): string }>
local kinds = {
  note = {
    method = 'ibid/note/list',
    field = 'notes',
    title = 'Note',
    line = function(note)
      return M.note_line(note)
    end,
  },
  candidate = {
    method = 'ibid/candidate/list',
    field = 'candidates',
    title = 'Candidate',
    line = function(candidate)
      return M.note_line(candidate)
    end,
  },
  receipt = {
    method = 'ibid/receipt/list',
    field = 'receipts',
    title = 'Receipt',
    line = function(receipt)
      return require('ibid.receipts').line(receipt)
    end,
  },
  session = {
    method = 'ibid/session/list',
    field = 'sessions',
    title = 'Session',
    line = function(session)
      return require('ibid.sessions').line(session)
    end,
  },
}

---@class ibid.pick.Where
---@field root string
---@field prompt? string
---@field view? string of `ibid/note/list`
---@field path? string of `ibid/note/list`

--- Picks a row of a kind.
---@param name 'note'|'candidate'|'receipt'|'session'
---@param where ibid.pick.Where
---@param on_pick fun(row: table)
function M.row(name, where, on_pick)
  local kind = kinds[name]
  local params = { view = where.view, path = where.path, limit = LIMIT }
  require('ibid.request').act(kind.method, params, { root = where.root }, function(result)
    M.among(result[kind.field], where.prompt or kind.title, kind.line, on_pick)
  end)
end

--- Picks among the notes with these ids. Those that the list does not know stand there by id.
---@param ids string[]
---@param where ibid.pick.Where
---@param on_pick fun(note: { id: string })
function M.of_ids(ids, where, on_pick)
  local params = { path = where.path, limit = LIMIT }
  require('ibid.request').send('ibid/note/list', params, { root = where.root }, function(_, result)
    local known = {}
    for _, note in ipairs(result and result.notes or {}) do
      known[note.id] = note
    end
    local notes = vim.tbl_map(function(id)
      return known[id] or { id = id }
    end, ids)
    M.among(notes, where.prompt or 'Note', M.note_line, on_pick)
  end)
end

--- Picks one of the rows; of none it says so.
---@generic T
---@param rows T[]
---@param prompt string
---@param line fun(row: T): string
---@param on_pick fun(row: T)
function M.among(rows, prompt, line, on_pick)
  if #rows == 0 then
    vim.notify(('Ibid: %s: there is nothing to choose.'):format(prompt))
    return
  end
  vim.ui.select(rows, { prompt = prompt .. ': ', format_item = line, kind = 'ibid' }, function(row)
    if row then
      on_pick(row)
    end
  end)
end

---@param note { id: string, text?: string, category?: string, pinned?: boolean }
---@return string
function M.note_line(note)
  local pin = note.pinned and '● ' or ''
  local category = note.category and text.line(note.category) .. '  ' or ''
  return pin .. category .. text.clip(note.text or note.id, WIDTH)
end

--- Asks for a line of text; nothing happens when the person gives none.
---@param prompt string
---@param default? string
---@param on_text fun(text: string)
function M.text(prompt, default, on_text)
  vim.ui.input(
    { prompt = prompt .. ': ', default = default and text.line(default) },
    function(answer)
      if answer and vim.trim(answer) ~= '' then
        on_text(vim.trim(answer))
      end
    end
  )
end

--- Asks before something that cannot be undone. The first choice does nothing.
---@param prompt string
---@param choices { label: string, value: any }[]
---@param on_choice fun(value: any)
function M.confirm(prompt, choices, on_choice)
  local all = vim.list_extend({ { label = 'Keep it' } }, choices)
  vim.ui.select(all, {
    prompt = prompt,
    kind = 'ibid',
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    if choice and choice.value ~= nil then
      on_choice(choice.value)
    end
  end)
end

return M
