--- The review queue: what is about to become a note, and what a person does about it. (C5)
local keys = require('ibid.keys')
local text = require('ibid.text')

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
  local said = candidate.source and 'said in ' .. text.said(candidate.source) or 'said nowhere'
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
---@param send ibid.Send
---@param candidate { id: string }
function M.accept(send, candidate)
  send('ibid/candidate/accept', { id = candidate.id }, function(note)
    vim.notify(('Ibid: now a note, %s.'):format(text.line(note.id)))
  end)
end

--- Rewords with the words given, else opens the old ones for editing; writing them saves.
---@param send ibid.Send
---@param candidate { id: string, text?: string, version?: integer }
---@param wording? string
function M.edit(send, candidate, wording)
  local function save(new)
    local params = { id = candidate.id, text = new, version = candidate.version }
    send('ibid/candidate/edit', params, function()
      vim.notify('Ibid: reworded.')
    end)
  end
  if wording then
    save(wording)
  else
    require('ibid.edit').open('candidate ' .. candidate.id, candidate.text or '', save)
  end
end

--- Rejects, with a way back.
---@param send ibid.Send
---@param candidate { id: string, text?: string }
---@param on_done? fun()
function M.reject(send, candidate, on_done)
  send('ibid/candidate/reject', { id = candidate.id }, function(rejected)
    vim.notify(
      ('Ibid: rejected “%s”. Undo with :Ibid restore %s'):format(
        text.clip(rejected.text or candidate.text, 48),
        text.line(rejected.id or candidate.id)
      )
    )
    if on_done then
      on_done()
    end
  end)
end

--- Takes a reject back.
---@param send ibid.Send
---@param candidate { id: string }
---@param on_done? fun()
function M.restore(send, candidate, on_done)
  send('ibid/candidate/restore', { id = candidate.id }, function()
    vim.notify('Ibid: back in the queue.')
    if on_done then
      on_done()
    end
  end)
end

M.SNOOZE = {
  { label = 'for a day', value = 'day' },
  { label = 'until the next session', value = 'session' },
}

--- Snoozes until then, else asks until when.
---@param send ibid.Send
---@param candidate { id: string }
---@param until_when? string `day` or `session`
function M.snooze(send, candidate, until_when)
  if not until_when then
    require('ibid.pick').among(M.SNOOZE, 'Snooze', function(choice)
      return choice.label
    end, function(choice)
      M.snooze(send, candidate, choice.value)
    end)
    return
  end
  send('ibid/candidate/snooze', { id = candidate.id, ['until'] = until_when }, function()
    vim.notify('Ibid: snoozed.')
  end)
end

--- `u` takes the last reject of this list back.
---@param shown ibid.View
local function undo(shown)
  if not shown.last then
    vim.notify('Ibid: nothing was rejected here.')
    return
  end
  M.restore(
    function(method, params, on_done)
      require('ibid.view').act(shown, method, params, on_done)
    end,
    shown.last,
    function()
      shown.last = nil
    end
  )
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
    keys.act({ key = 'a', action = 'accept', label = 'accept', bar = true }, M.accept),
    keys.act({ key = 'e', action = 'edit', label = 'edit', bar = true }, function(send, candidate)
      M.edit(send, candidate)
    end),
    keys.act(
      { key = 'x', action = 'reject', label = 'reject', bar = true },
      function(send, candidate, shown)
        M.reject(send, candidate, function()
          shown.last = candidate
        end)
      end
    ),
    keys.act({ key = 'z', action = 'snooze', label = 'snooze', bar = true }, function(send, row)
      M.snooze(send, row)
    end),
    { key = 'u', action = 'undo', label = 'undo reject', bar = true, run = undo },
    keys.turn(function(candidate)
      return candidate.source
    end),
    keys.page('candidate'),
    keys.filter(),
  },
}

return M
