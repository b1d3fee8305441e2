--- The sessions: what each agent's conversation may read and write. (H1)
local keys = require('ibid.keys')
local text = require('ibid.text')

local M = {}

M.PRESETS = { 'default', 'memory-on', 'recall-only', 'private', 'learn-only' }

local SAYS = {
  default = 'as the project says',
  ['memory-on'] = 'recall and learn',
  ['recall-only'] = 'recall, learn nothing',
  private = 'neither recall nor learn',
  ['learn-only'] = 'learn, recall nothing',
}

---@param preset string
---@return string
function M.preset_line(preset)
  return ('%-12s %s'):format(preset, SAYS[preset] or '')
end

---@param session ibid.Session
---@return string
function M.line(session)
  return ('%s  %s  %s  %s'):format(
    text.line(session.agent),
    text.clip(text.given(session.title) or session.session, 60),
    text.ago(session.at),
    text.line(session.preset)
  )
end

---@param session ibid.Session
---@return ibid.Chunk[][]
local function draw(session)
  local about = {
    text.clip(session.session, 40),
    text.ago(session.at),
    text.count(session.turns or 0, 'turn'),
    text.line(session.state),
    'preset ' .. text.line(session.preset),
  }
  local withheld = vim.tbl_map(text.line, session.control or {})
  if #withheld > 0 then
    table.insert(about, 'control group: without ' .. table.concat(withheld, ', '))
  end
  return {
    {
      { ('%-12s '):format(text.line(session.agent)), 'IbidCategory' },
      { text.line(text.given(session.title) or '(no title)') },
    },
    { { (' '):rep(13) .. table.concat(about, ' · '), 'IbidAbout' } },
  }
end

--- Sets a preset, and says what it means now.
---@param send ibid.Send
---@param target { session?: string, agent?: string }
---@param preset string
function M.set_preset(send, target, preset)
  local params = { session = target.session, agent = target.agent, preset = preset }
  send('ibid/session/preset', params, function(result)
    vim.notify(
      ('Ibid: %s is %s now: read %s, write %s.'):format(
        target.session and 'this session' or ('the next %s session'):format(target.agent),
        text.line(result.preset),
        text.line(result.read),
        text.line(result.write)
      )
    )
  end)
end

--- Asks, then erases a whole session.
---@param send ibid.Send
---@param session ibid.Session
local function delete(send, session)
  local name = text.clip(text.given(session.title) or session.session, 60)
  require('ibid.pick').confirm(('Delete all of “%s” for good?'):format(name), {
    { label = 'Delete the session and what only it needs', value = true },
  }, function()
    send('ibid/session/delete', { session = session.session }, function()
      vim.notify('Ibid: deleted; the erasing goes on in the background.')
    end)
  end)
end

---@type ibid.view.Spec
M.spec = {
  title = 'Sessions',
  kinds = { 'turns', 'policy' },
  shift = 13,
  ask = function()
    return 'ibid/session/list', {}
  end,
  rows = function(result)
    return result.sessions, result.total
  end,
  id = function(session)
    return session.session
  end,
  draw = draw,
  subtitle = function(shown)
    return tostring(shown.total)
  end,
  empty = function()
    return { 'No agent has worked here yet.', ':Ibid import reads the sessions that are on disk.' }
  end,
  keys = {
    keys.act(
      { key = 'p', action = 'preset', label = 'preset', bar = true },
      function(send, session)
        require('ibid.pick').among(M.PRESETS, 'Preset', M.preset_line, function(preset)
          M.set_preset(send, { session = session.session }, preset)
        end)
      end
    ),
    keys.open(
      { key = 'r', action = 'session-receipts', label = 'receipts', bar = true },
      function(session)
        return 'receipts', { session = session.session }
      end
    ),
    keys.open({ key = 'h', action = 'handoff', label = 'handoff', bar = true }, function(session)
      return require('ibid.content').path('handoff', session.session)
    end),
    keys.act({ key = 'D', action = 'delete', label = 'delete', bar = true }, delete),
    keys.open({ key = '<CR>', action = 'open', label = 'first turn' }, function(session)
      if (session.turns or 0) > 0 then
        return require('ibid.content').path('turn', session.session, 1)
      end
    end),
  },
}

return M
