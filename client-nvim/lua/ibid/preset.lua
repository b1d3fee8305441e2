--- `:Ibid preset`: what one session, or an agent's next one, may read and write. (H1)
local keys = require('ibid.keys')
local pick = require('ibid.pick')
local sessions = require('ibid.sessions')

local M = {}

---@param call ibid.Call
function M.run(call)
  local preset, target = call.words[1], call.words[2]
  if preset and not vim.list_contains(sessions.PRESETS, preset) then
    local message = ('Ibid: there is no preset `%s`; there are %s.'):format(
      preset,
      table.concat(sessions.PRESETS, ', ')
    )
    vim.notify(message, vim.log.levels.ERROR)
  elseif not preset then
    pick.among(sessions.PRESETS, 'Preset', sessions.preset_line, function(chosen)
      M.ask_target(call.root, chosen)
    end)
  elseif target then
    sessions.set_preset(keys.sender(call.root), M.target(call.root, target), preset)
  else
    M.ask_target(call.root, preset)
  end
end

--- A known session's id or prefix, else the name of an agent.
---@param root string
---@param word string
---@return { session?: string, agent?: string }
function M.target(root, word)
  local session = require('ibid.ids').find(root, 'sessions', word)
  if session then
    return { session = session.session }
  end
  -- Session ids have digits, the names of agents do not.
  return word:find('%d') and { session = word } or { agent = word }
end

---@param root string
---@param preset string
function M.ask_target(root, preset)
  pick.row('session', { root = root, prompt = preset .. ' for' }, function(session)
    sessions.set_preset(keys.sender(root), { session = session.session }, preset)
  end)
end

return M
