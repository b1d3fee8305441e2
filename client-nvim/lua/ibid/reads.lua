--- The files that agents saw, those touched last first. (N7)
local files = require('ibid.files')
local keys = require('ibid.keys')
local text = require('ibid.text')

local M = {}

---@param file ibid.FileSummary
---@param shown ibid.View
---@return ibid.Chunk[][]
local function draw(file, shown)
  local about = {
    text.ago(file.at),
    text.count(file.reads, 'read'),
    text.count(file.edits, 'edit'),
    text.count(file.sessions, 'session'),
  }
  return {
    {
      { text.line(file.name or files.relative(shown.root, file.path)) },
      { '  ' .. table.concat(about, ' · '), 'IbidAbout' },
    },
  }
end

---@type ibid.view.Spec
M.spec = {
  title = 'Files that agents saw',
  kinds = { 'turns' },
  ask = function()
    return 'ibid/reads', {}
  end,
  rows = function(result)
    return result.files, result.total
  end,
  id = function(file)
    return file.path
  end,
  draw = draw,
  subtitle = function(shown)
    return tostring(shown.total)
  end,
  empty = function()
    return { 'No agent has read or changed a file here yet.' }
  end,
  keys = {
    keys.open({ key = '<CR>', action = 'open', label = 'history', bar = true }, function(file)
      return 'history', { path = file.path }
    end),
    keys.file(function(file)
      return file.path
    end),
    keys.open(
      { key = 'A', action = 'file-archive', label = 'archive search', bar = true },
      function(file, shown)
        return 'archive', { query = files.relative(shown.root, file.path) }
      end
    ),
  },
}

return M
