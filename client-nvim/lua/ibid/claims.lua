--- Claims: the paths that agents keep each other out of. (O4)
local files = require('ibid.files')
local keys = require('ibid.keys')
local text = require('ibid.text')

local M = {}

---@param claim ibid.Claim
---@return string
function M.line(claim)
  return ('%s  %s · session %s · %s'):format(
    text.line(claim.path),
    text.line(claim.agent),
    text.clip(claim.session, 12),
    text.ago(claim.at)
  )
end

--- Claims paths for a session that the person picks.
---@param root string
---@param paths string[]
function M.claim(root, paths)
  local where = { root = root, prompt = 'Claim for' }
  require('ibid.pick').row('session', where, function(session)
    local params = { session = session.session, paths = paths }
    keys.sender(root)('ibid/claim', params, function()
      local names = vim.tbl_map(function(path)
        return text.line(files.relative(root, path))
      end, paths)
      vim.notify(('Ibid: claimed %s.'):format(table.concat(names, ', ')))
    end)
  end)
end

--- Gives a claim up for the session that has it.
---@param send ibid.Send
---@param claim ibid.Claim
function M.release(send, claim)
  local params = { session = claim.session, paths = { claim.path }, release = true }
  send('ibid/claim', params, function()
    vim.notify(('Ibid: released %s.'):format(text.line(claim.path)))
  end)
end

--- Releases whoever's claims on these paths; without paths the person picks one.
---@param root string
---@param paths string[]
function M.release_paths(root, paths)
  local send = keys.sender(root)
  send('ibid/claim', vim.empty_dict(), function(result)
    local function release(claim)
      M.release(send, claim)
    end
    if #paths == 0 then
      require('ibid.pick').among(result.claims, 'Release', M.line, release)
      return
    end
    for _, path in ipairs(paths) do
      local name = files.relative(root, path)
      local held = vim.iter(result.claims):find(function(claim)
        return claim.path == name
      end)
      if held then
        release(held)
      else
        vim.notify(('Ibid: nobody claims %s.'):format(text.line(name)), vim.log.levels.WARN)
      end
    end
  end)
end

---@type ibid.view.Spec
M.spec = {
  title = 'Claims',
  kinds = { 'turns' },
  whole = true,
  ask = function()
    return 'ibid/claim', {}
  end,
  rows = function(result)
    return result.claims, #result.claims
  end,
  id = function(claim)
    return claim.path
  end,
  draw = function(claim)
    local path, about = text.line(claim.path), M.line(claim)
    return { { { path }, { about:sub(#path + 1), 'IbidAbout' } } }
  end,
  subtitle = function(shown)
    return tostring(shown.total)
  end,
  empty = function()
    return { 'No path is claimed.', ':Ibid claim PATH claims one for a session.' }
  end,
  keys = {
    keys.act(
      { key = 'x', action = 'release', label = 'release', bar = true },
      function(send, claim)
        M.release(send, claim)
      end
    ),
    keys.file(function(claim)
      return claim.path
    end),
  },
}

return M
