--- Reading the sessions that agents left on disk. (B1, 3.6)
local text = require('ibid.text')

local M = {}

---@type table<string, string> project → token of its import
local running = {}

--- Imports, showing progress in the status line; the sums come as a message.
---@param root string
---@param paths string[] absolute; empty: all sessions of this project
function M.run(root, paths)
  if running[root] then
    vim.notify('Ibid: an import runs already; :Ibid! import cancels it.', vim.log.levels.WARN)
    return
  end
  local request = require('ibid.request')
  local token = request.new_token('import')
  running[root] = token
  local params = { workDoneToken = token }
  if #paths > 0 then
    params.paths = paths
  end
  local options = { root = root, token = token, timeout = request.QUIET }
  request.send('ibid/import', params, options, function(err, sums)
    running[root] = nil
    require('ibid.status').progress(root, token, { kind = 'end' })
    if err then
      request.report(err)
    else
      vim.notify(M.words(sums))
    end
  end)
end

--- Cancels the import of this project.
---@param root string
function M.cancel(root)
  if not (running[root] and require('ibid.request').cancel(running[root])) then
    vim.notify('Ibid: no import runs here.')
  end
end

---@param sums table the result of `ibid/import`
---@return string
function M.words(sums)
  local words = ('Ibid: read %s with %s; %s, %d to review.'):format(
    text.count(sums.sessions, 'session'),
    text.count(sums.turns, 'turn'),
    text.count(sums.episodes, 'episode'),
    sums.candidates
  )
  if (sums.skippedLines or 0) > 0 then
    words = words .. (' %s could not be read.'):format(text.count(sums.skippedLines, 'line'))
  end
  return words
end

return M
