--- The notes: seen, corrected, pinned, forgotten with a way back, deleted for good. (D4, K2, K3)
local keys = require('ibid.keys')
local text = require('ibid.text')

local M = {}

M.VIEWS = {
  'all',
  'pinned',
  'rules',
  'facts',
  'episodes',
  'recent',
  'forgotten',
  'superseded',
  'attention',
}

--- Columns of the mark before a note.
local FIRST = 2

---@param note ibid.Note
---@return ibid.Chunk
local function mark(note)
  if note.state == 'quarantined' then
    return { '! ', 'IbidAttention' }
  elseif not note.active then
    return { '✕ ', 'IbidAbout' }
  end
  return note.pinned and { '● ', 'IbidPinned' } or { '· ', 'IbidAbout' }
end

--- Where a note comes from, and what is to be said about it.
---@param note ibid.Note
---@return string
function M.about(note)
  local parts = { text.line(note.id) }
  if note.state ~= 'active' then
    table.insert(parts, text.line(note.state))
  end
  local source = (note.sources or {})[1]
  table.insert(parts, source and text.said(source) or text.line(note.origin))
  if #(note.sources or {}) > 1 then
    table.insert(parts, ('and %d more'):format(#note.sources - 1))
  end
  if (note.uses or 0) > 0 then
    table.insert(parts, ('used %s, last %s'):format(M.times(note.uses), text.ago(note.used)))
  end
  for _, anchor in ipairs(note.anchors or {}) do
    table.insert(parts, M.anchor(anchor))
  end
  if note.conflicts then
    table.insert(parts, 'contradicts ' .. text.line(note.conflicts))
  end
  if note.taint then
    table.insert(parts, 'repeats text from outside')
  end
  if note.reason then
    table.insert(parts, text.line(note.reason))
  end
  return table.concat(parts, ' · ')
end

---@param count integer
---@return string
function M.times(count)
  return count == 1 and 'once' or ('%d times'):format(count)
end

---@param anchor ibid.Anchor
---@return string
function M.anchor(anchor)
  local symbol = text.given(anchor.symbol)
  local place = text.line(anchor.path) .. (symbol and ':' .. text.line(symbol) or '')
  return anchor.state == 'fresh' and place or ('%s (%s)'):format(place, text.line(anchor.state))
end

---@param note ibid.Note
---@return ibid.Chunk[][]
function M.draw(note)
  local first = {
    mark(note),
    { ('%-11s'):format(text.line(note.category)), 'IbidCategory' },
    { text.line(note.text), not note.active and 'IbidAbout' or nil },
  }
  for _, tag in ipairs(note.tags or {}) do
    table.insert(first, { ' #' .. text.line(tag), 'IbidTag' })
  end
  return { first, { { (' '):rep(FIRST) .. M.about(note), 'IbidAbout' } } }
end

---@param send ibid.Send
---@param note { id: string, text?: string, version?: integer }
---@param wording string
function M.correct(send, note, wording)
  local params = { id = note.id, text = wording, version = note.version }
  send('ibid/note/correct', params, function(correction)
    vim.notify(('Ibid: corrected; %s holds now, pinned.'):format(text.line(correction.id)))
  end)
end

--- How many notes are looked through for one of which only the id is known.
local LIMIT = 200

--- Finds a note's text and version by its id: among those about a file, then among all.
---@param send ibid.Send
---@param note { id: string, path?: string }
---@param on_note fun(note: ibid.Note)
local function load(send, note, on_note)
  send('ibid/note/list', { path = note.path, limit = LIMIT }, function(result)
    local found = vim.iter(result.notes):find(function(other)
      return other.id == note.id
    end)
    if found then
      on_note(found)
    elseif note.path then
      load(send, { id = note.id }, on_note)
    else
      local message = 'Ibid: the words of %s were not found; :Ibid correct %s TEXT replaces them.'
      vim.notify(message:format(text.line(note.id), text.line(note.id)), vim.log.levels.WARN)
    end
  end)
end

--- Corrects a note with the words given, else with those that the person makes of the old ones.
---@param send ibid.Send
---@param note { id: string, text?: string, version?: integer, path?: string }
---@param wording? string
function M.reword(send, note, wording)
  if wording then
    M.correct(send, note, wording)
  elseif not note.text then
    load(send, note, function(found)
      M.reword(send, found)
    end)
  else
    require('ibid.edit').open('correct ' .. note.id, note.text, function(new)
      M.correct(send, note, new)
    end)
  end
end

---@param send ibid.Send
---@param note { id: string }
---@param pinned boolean
function M.pin(send, note, pinned)
  send(pinned and 'ibid/note/pin' or 'ibid/note/unpin', { id = note.id }, function()
    vim.notify(pinned and 'Ibid: pinned.' or 'Ibid: no longer pinned.')
  end)
end

--- Says that a note is still true, though the code that it names has changed.
---@param send ibid.Send
---@param note { id: string }
function M.confirm(send, note)
  send('ibid/note/confirm', { id = note.id }, function(confirmed)
    local words = text.clip(confirmed.text or note.id, 48)
    vim.notify(('Ibid: still true: “%s”.'):format(words))
  end)
end

---@param send ibid.Send
---@param note { id: string, text?: string }
---@param on_done? fun()
function M.forget(send, note, on_done)
  send('ibid/note/forget', { id = note.id }, function(forgotten)
    vim.notify(
      ('Ibid: forgotten “%s”. Undo with :Ibid restore %s'):format(
        text.clip(forgotten.text or note.text, 48),
        text.line(forgotten.id or note.id)
      )
    )
    if on_done then
      on_done()
    end
  end)
end

---@param send ibid.Send
---@param note { id: string }
---@param on_done? fun()
function M.restore(send, note, on_done)
  send('ibid/note/restore', { id = note.id }, function(restored)
    vim.notify(('Ibid: restored “%s”.'):format(text.clip(restored.text, 48)))
    if on_done then
      on_done()
    end
  end)
end

--- Erases for good.
---@param send ibid.Send
---@param params { id: string, said: boolean, file?: boolean }
local function erase(send, params)
  send('ibid/note/delete', params, function(result)
    vim.notify(
      result.job and 'Ibid: deleted; the erasing goes on in the background.' or 'Ibid: deleted.'
    )
  end)
end

local FILE = {
  { label = 'Delete the file too', value = true },
  { label = 'Keep the file, which still has the words', value = false },
}

--- Asks, then erases. It offers to cut the sentence out of what was said, too, and asks about the
--- file that the note lives in.
---@param send ibid.Send
---@param note { id: string, text?: string, file?: string }
function M.delete(send, note)
  local pick = require('ibid.pick')
  local name = note.text and ('“%s”'):format(text.clip(note.text, 60)) or text.line(note.id)
  pick.confirm(('Delete %s for good?'):format(name), {
    { label = 'Delete the note', value = { said = false } },
    { label = 'Delete the note and where it was said', value = { said = true } },
  }, function(choice)
    if not text.given(note.file) then
      erase(send, { id = note.id, said = choice.said })
      return
    end
    pick.among(FILE, 'It has the file ' .. text.line(note.file), function(answer)
      return answer.label
    end, function(answer)
      erase(send, { id = note.id, said = choice.said, file = answer.value })
    end)
  end)
end

local function choose_view(shown)
  local counts = shown.result and shown.result.counts or {}
  require('ibid.pick').among(M.VIEWS, 'Show', function(name)
    return counts[name] and ('%s (%d)'):format(name, counts[name]) or name
  end, function(name)
    shown.params.view = name
    require('ibid.view').restart(shown)
  end)
end

--- `u` restores the row where it is forgotten, else what was forgotten here last.
---@param shown ibid.View
---@param note? ibid.Note
local function restore(shown, note)
  local which = note and not note.active and note or shown.last
  if not which then
    vim.notify('Ibid: nothing was forgotten here; v shows the forgotten notes.')
    return
  end
  M.restore(
    function(method, params, on_done)
      require('ibid.view').act(shown, method, params, on_done)
    end,
    which,
    function()
      shown.last = nil
    end
  )
end

---@type ibid.view.Spec
M.spec = {
  title = 'Notes',
  kinds = { 'notes' },
  shift = FIRST + 11,
  ask = function(shown)
    local params =
      { view = shown.params.view, query = shown.params.query, path = shown.params.path }
    return 'ibid/note/list', params
  end,
  rows = function(result)
    return result.notes, result.total
  end,
  id = function(note)
    return note.id
  end,
  draw = M.draw,
  subtitle = function(shown)
    local parts = { ('%s: %d'):format(shown.params.view or 'all', shown.total) }
    local attention = vim.tbl_get(shown.result, 'counts', 'attention') or 0
    if attention > 0 and shown.params.view ~= 'attention' then
      table.insert(parts, ('%d need attention'):format(attention))
    end
    if shown.params.query then
      table.insert(parts, ('matching “%s”'):format(shown.params.query))
    end
    return table.concat(parts, ' · ')
  end,
  empty = function(shown)
    if shown.params.query or shown.params.view then
      return { 'No note is in this view. v shows another.' }
    end
    return { 'No notes yet.', ':Ibid add TEXT makes one; what agents are told becomes others.' }
  end,
  keys = {
    keys.act({ key = 'c', action = 'correct', label = 'correct', bar = true }, function(send, note)
      M.reword(send, note)
    end),
    keys.act({ key = 'p', action = 'pin', label = 'pin', bar = true }, function(send, note)
      M.pin(send, note, not note.pinned)
    end),
    keys.act({ key = 'T', action = 'confirm', label = 'still true' }, function(send, note)
      M.confirm(send, note)
    end),
    keys.act(
      { key = 'f', action = 'forget', label = 'forget', bar = true },
      function(send, note, shown)
        M.forget(send, note, function()
          shown.last = note
        end)
      end
    ),
    { key = 'u', action = 'restore', label = 'restore', bar = true, run = restore },
    keys.act({ key = 'D', action = 'delete', label = 'delete', bar = true }, function(send, note)
      M.delete(send, note)
    end),
    keys.open({ key = 'E', action = 'evidence', label = 'evidence', bar = true }, function(note)
      return require('ibid.content').path('evidence', note.id)
    end),
    keys.open({ key = 'U', action = 'usage', label = 'usage', bar = true }, function(note)
      return 'receipts', { note = note.id }
    end),
    { key = 'v', action = 'view', label = 'view', bar = true, run = choose_view },
    keys.page('note'),
    keys.filter(),
  },
}

return M
