--- The review queue: what is about to become a note, and what a person does about it. (C5)
local text = require('ibid.text')
local view = require('ibid.view')

local M = {}

--- Why a candidate waits, when no clock runs for it.
local WAITS = {
  review = 'waits for you',
  taint = 'repeats text from outside',
  sensitive = 'sensitive: waits for you',
  held = 'held: learning is off',
  snoozed = 'snoozed',
  agent = 'proposed by an agent',
}

--- What `ibid://queue?state=…` can show instead of what waits.
M.STATES = { 'pending', 'snoozed', 'rejected', 'expired', 'withdrawn', 'accepted' }

--- Columns of the first field.
local FIRST = 12

---@param candidate ibid.Candidate
---@return string words, string highlight
function M.time_left(candidate)
  if candidate.state == 'snoozed' then
    return '⏾ snoozed', 'IbidAbout'
  elseif candidate.state ~= 'pending' then
    return text.line(candidate.state), 'IbidAbout'
  elseif candidate.waits == 'settling' and candidate.due then
    return '⏳ ' .. text.left(candidate.due), 'IbidTime'
  end
  return '● review', 'IbidAttention'
end

--- `turn 7 of “tests are red again” · claude-code · 5 min ago`
---@param source ibid.Source
---@return string
function M.said(source)
  local where = ('turn %s of %s'):format(
    text.line(source.turn),
    text.given(source.title) and ('“%s”'):format(text.clip(source.title, 48))
      or 'session ' .. text.clip(source.session, 12)
  )
  local parts = { where }
  if text.given(source.agent) then
    table.insert(parts, text.line(source.agent))
  end
  if source.at then
    table.insert(parts, text.ago(source.at))
  end
  return table.concat(parts, ' · ')
end

---@param candidate ibid.Candidate
---@return ibid.Chunk[][]
function M.draw(candidate)
  local left, highlight = M.time_left(candidate)
  local pad = (' '):rep(math.max(1, FIRST - vim.api.nvim_strwidth(left)))
  local first = {
    { left, highlight },
    { pad },
    { ('%-11s'):format(text.line(candidate.category)), 'IbidCategory' },
    { text.line(candidate.text) },
  }
  local said = candidate.source and 'said in ' .. M.said(candidate.source) or 'said nowhere'
  local second = { { (' '):rep(FIRST) .. said, 'IbidAbout' } }
  local why = { text.line(candidate.signal) }
  if text.given(candidate.reason) and candidate.reason ~= candidate.signal then
    table.insert(why, text.line(candidate.reason))
  end
  if (candidate.repeats or 1) > 1 then
    table.insert(why, ('said %d times'):format(candidate.repeats))
  end
  if candidate.waits ~= 'history' and WAITS[candidate.waits] then
    table.insert(why, WAITS[candidate.waits])
  end
  if candidate.taint and candidate.waits ~= 'taint' then
    table.insert(why, WAITS.taint)
  end
  if candidate.resembles then
    table.insert(why, 'resembles ' .. text.line(candidate.resembles))
  end
  local words = table.concat(vim.tbl_filter(text.given, why), ' · ')
  local third = { { (' '):rep(FIRST) .. words, 'IbidAbout' } }
  return { first, second, third }
end

--- Accepts: the candidate becomes a note at once.
---@param shown ibid.View
---@param candidate? ibid.Candidate
function M.accept(shown, candidate)
  if candidate then
    view.act(shown, 'ibid/candidate/accept', { id = candidate.id }, function(note)
      vim.notify(('Ibid: now a note, %s.'):format(text.line(note.id)))
    end)
  end
end

--- Opens the wording for editing; writing it saves.
---@param shown ibid.View
---@param candidate? ibid.Candidate
function M.edit(shown, candidate)
  if not candidate then
    return
  end
  require('ibid.edit').open('candidate ' .. candidate.id, candidate.text, function(wording)
    local params = { id = candidate.id, text = wording, version = candidate.version }
    view.act(shown, 'ibid/candidate/edit', params, function()
      vim.notify('Ibid: reworded.')
    end)
  end)
end

--- Rejects, with a way back.
---@param shown ibid.View
---@param candidate? ibid.Candidate
function M.reject(shown, candidate)
  if candidate then
    view.act(shown, 'ibid/candidate/reject', { id = candidate.id }, function()
      shown.last = candidate
      vim.notify(
        ('Ibid: rejected “%s”. u takes it back.'):format(text.clip(candidate.text, 48))
      )
    end)
  end
end

--- Takes the last reject of this list back.
---@param shown ibid.View
function M.undo(shown)
  local candidate = shown.last
  if not candidate then
    vim.notify('Ibid: nothing was rejected here.')
    return
  end
  view.act(shown, 'ibid/candidate/restore', { id = candidate.id }, function()
    shown.last = nil
    vim.notify('Ibid: back in the queue.')
  end)
end

M.SNOOZE = {
  { label = 'for a day', value = 'day' },
  { label = 'until the next session', value = 'session' },
}

---@param shown ibid.View
---@param candidate? ibid.Candidate
function M.snooze(shown, candidate)
  if not candidate then
    return
  end
  M.ask_until(function(until_when)
    local params = { id = candidate.id, ['until'] = until_when }
    view.act(shown, 'ibid/candidate/snooze', params, function()
      vim.notify('Ibid: snoozed.')
    end)
  end)
end

---@param on_choice fun(until_when: 'day'|'session')
function M.ask_until(on_choice)
  require('ibid.pick').among(M.SNOOZE, 'Snooze', function(choice)
    return choice.label
  end, function(choice)
    on_choice(choice.value)
  end)
end

--- Opens the turn in which it was said.
---@param shown ibid.View
---@param candidate? ibid.Candidate
function M.open_turn(shown, candidate)
  local source = candidate and candidate.source
  if source then
    local content = require('ibid.content')
    content.open(content.path('turn', source.session, source.turn), { root = shown.root })
  end
end

--- Opens the candidate's own page.
---@param shown ibid.View
---@param candidate? ibid.Candidate
function M.open(shown, candidate)
  if candidate then
    local content = require('ibid.content')
    content.open(content.path('candidate', candidate.id), { root = shown.root })
  end
end

--- Narrows the list to what matches; an empty answer shows all again.
---@param shown ibid.View
function M.filter(shown)
  vim.ui.input({ prompt = 'Show only: ', default = shown.params.query }, function(query)
    if query then
      shown.params.query = query ~= '' and query or nil
      shown.offset = 0
      view.refresh(shown)
    end
  end)
end

---@type ibid.view.Spec
M.spec = {
  title = 'Review queue',
  kinds = { 'candidates' },
  ticks = true,
  heading = function(candidate)
    return candidate.waits == 'history' and 'From your history' or nil
  end,
  shift = FIRST,
  ask = function(shown)
    return 'ibid/candidate/list', { query = shown.params.query, state = shown.params.state }
  end,
  rows = function(result)
    return result.candidates, result.total
  end,
  id = function(candidate)
    return candidate.id
  end,
  draw = M.draw,
  subtitle = function(shown)
    local parts = { ('%d %s'):format(shown.total, shown.params.state or 'waiting') }
    local expired = vim.tbl_get(shown.result, 'digest', 'expired') or 0
    if expired > 0 then
      table.insert(parts, ('%d expired unseen'):format(expired))
    end
    if shown.params.query then
      table.insert(parts, ('matching “%s”'):format(shown.params.query))
    end
    return table.concat(parts, ' · ')
  end,
  empty = function(shown)
    if shown.params.query or shown.params.state then
      return { 'Nothing in the queue is like that.' }
    end
    return {
      'Nothing waits for review.',
      'What you tell an agent and is worth keeping appears here first, and settles by itself.',
    }
  end,
  keys = {
    { key = 'a', action = 'accept', label = 'accept', bar = true, run = M.accept },
    { key = 'e', action = 'edit', label = 'edit', bar = true, run = M.edit },
    { key = 'x', action = 'reject', label = 'reject', bar = true, run = M.reject },
    { key = 'z', action = 'snooze', label = 'snooze', bar = true, run = M.snooze },
    { key = 'u', action = 'undo', label = 'undo reject', bar = true, run = M.undo },
    { key = 't', action = 'turn', label = 'turn', bar = true, run = M.open_turn },
    { key = '<CR>', action = 'open', label = 'open', run = M.open },
    { key = 's', action = 'filter', label = 'show only …', run = M.filter },
  },
}

return M
