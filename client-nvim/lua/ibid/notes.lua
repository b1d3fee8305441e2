--- The notes: seen, corrected, pinned, forgotten with a way back, deleted for good. (D4, K2, K3)
local queue = require('ibid.queue')
local text = require('ibid.text')
local view = require('ibid.view')

local M = {}

M.VIEWS =
  { 'all', 'pinned', 'rules', 'facts', 'episodes', 'recent', 'forgotten', 'superseded', 'attention' }

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
  table.insert(parts, source and queue.said(source) or text.line(note.origin))
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

--- How an act on a note is sent: from a list, which is drawn again, or by `:Ibid`.
---@alias ibid.notes.Send fun(method: string, params: table, on_done: fun(result: any))

--- Sends acts from outside a list: errors are shown, nothing is drawn again.
---@param root string
---@return ibid.notes.Send
function M.sender(root)
  return function(method, params, on_done)
    require('ibid.request').act(method, params, { root = root }, on_done)
  end
end

---@param send ibid.notes.Send
---@param note { id: string, text?: string, version?: integer }
---@param wording string
function M.correct(send, note, wording)
  local params = { id = note.id, text = wording, version = note.version }
  send('ibid/note/correct', params, function(correction)
    vim.notify(('Ibid: corrected; %s holds now, pinned.'):format(text.line(correction.id)))
  end)
end

---@param send ibid.notes.Send
---@param note { id: string }
---@param pinned boolean
function M.pin(send, note, pinned)
  send(pinned and 'ibid/note/pin' or 'ibid/note/unpin', { id = note.id }, function()
    vim.notify(pinned and 'Ibid: pinned.' or 'Ibid: no longer pinned.')
  end)
end

---@param send ibid.notes.Send
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

---@param send ibid.notes.Send
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

--- Asks, then erases. It offers to cut the sentence out of what was said, too.
---@param send ibid.notes.Send
---@param note { id: string, text?: string }
function M.delete(send, note)
  local name = note.text and ('“%s”'):format(text.clip(note.text, 60)) or text.line(note.id)
  require('ibid.pick').confirm(('Delete %s for good?'):format(name), {
    { label = 'Delete the note', value = { said = false } },
    { label = 'Delete the note and where it was said', value = { said = true } },
  }, function(choice)
    send('ibid/note/delete', { id = note.id, said = choice.said }, function(result)
      vim.notify(
        result.job and 'Ibid: deleted; the erasing goes on in the background.' or 'Ibid: deleted.'
      )
    end)
  end)
end

---@param act fun(send: ibid.notes.Send, note: ibid.Note, shown: ibid.View)
---@return fun(shown: ibid.View, note?: ibid.Note)
local function on_row(act)
  return function(shown, note)
    if note then
      act(function(method, params, on_done)
        view.act(shown, method, params, on_done)
      end, note, shown)
    end
  end
end

local function choose_view(shown)
  local counts = shown.result and shown.result.counts or {}
  require('ibid.pick').among(M.VIEWS, 'Show', function(name)
    return counts[name] and ('%s (%d)'):format(name, counts[name]) or name
  end, function(name)
    shown.params.view = name
    shown.offset = 0
    view.refresh(shown)
  end)
end

---@param kind string first part of the address
---@return fun(shown: ibid.View, note?: ibid.Note)
local function open(kind)
  return function(shown, note)
    if note then
      local content = require('ibid.content')
      content.open(content.path(kind, note.id), { root = shown.root })
    end
  end
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
    {
      key = 'c',
      action = 'correct',
      label = 'correct',
      bar = true,
      run = on_row(function(send, note)
        require('ibid.edit').open('correct ' .. note.id, note.text, function(wording)
          M.correct(send, note, wording)
        end)
      end),
    },
    {
      key = 'p',
      action = 'pin',
      label = 'pin',
      bar = true,
      run = on_row(function(send, note)
        M.pin(send, note, not note.pinned)
      end),
    },
    {
      key = 'f',
      action = 'forget',
      label = 'forget',
      bar = true,
      run = on_row(function(send, note, shown)
        M.forget(send, note, function()
          shown.last = note
        end)
      end),
    },
    {
      key = 'u',
      action = 'restore',
      label = 'restore',
      bar = true,
      run = function(shown, note)
        local which = note and not note.active and note or shown.last
        if not which then
          vim.notify('Ibid: nothing was forgotten here; v shows the forgotten notes.')
          return
        end
        on_row(function(send)
          M.restore(send, which, function()
            shown.last = nil
          end)
        end)(shown, which)
      end,
    },
    {
      key = 'D',
      action = 'delete',
      label = 'delete',
      bar = true,
      run = on_row(function(send, note)
        M.delete(send, note)
      end),
    },
    { key = 'E', action = 'evidence', label = 'evidence', bar = true, run = open('evidence') },
    {
      key = 'U',
      action = 'usage',
      label = 'usage',
      bar = true,
      run = function(shown, note)
        if note then
          local params = { note = note.id }
          require('ibid.content').open('receipts', { root = shown.root, params = params })
        end
      end,
    },
    { key = 'v', action = 'view', label = 'view', bar = true, run = choose_view },
    { key = '<CR>', action = 'open', label = 'open', run = open('note') },
    { key = 's', action = 'filter', label = 'show only …', run = queue.filter },
  },
}

return M
