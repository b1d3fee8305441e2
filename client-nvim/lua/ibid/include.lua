--- Which other projects recall uses, beside the project's own memory. (S2)
local keys = require('ibid.keys')
local text = require('ibid.text')

local M = {}

--- `● web-shop  /srv/web-shop`: whether it is included, its name and where it is.
---@param choice ibid.include.Choice
---@return string
function M.line(choice)
  local mark = choice.included and '●' or '○'
  local gone = choice.missing and '  (no memory there any more)' or ''
  return ('%s %s  %s%s'):format(mark, text.line(choice.name), text.line(choice.path), gone)
end

---@class ibid.include.Choice: ibid.Included
---@field included boolean

--- The other projects that there are, and those that are listed though they are no more.
---@param projects ibid.Project[]
---@param root string of the project itself
---@return ibid.include.Choice[]
function M.choices(projects, root)
  local listed, choices, known = {}, {}, {}
  for _, project in ipairs(projects) do
    if project.path == root then
      for _, one in ipairs(project.includes) do
        listed[one.path] = one
      end
    end
  end
  for _, project in ipairs(projects) do
    if project.path ~= root then
      known[project.path] = true
      local one = listed[project.path]
      table.insert(choices, {
        path = project.path,
        name = project.name,
        included = one ~= nil,
        missing = one ~= nil and one.missing,
      })
    end
  end
  for path, one in vim.spairs(listed) do
    if not known[path] then
      table.insert(choices, vim.tbl_extend('force', one, { included = true }))
    end
  end
  return choices
end

--- Says of one project that recall uses it, or no more.
---@param send ibid.Send
---@param other string path or name
---@param included boolean
function M.set(send, other, included)
  send('ibid/project/include', { other = other, included = included }, function(project)
    local names = vim.tbl_map(function(one)
      return text.line(one.name)
    end, project.includes)
    local said = #names == 0 and 'recall uses this project alone.'
      or ('recall uses %s, too.'):format(table.concat(names, ', '))
    vim.notify('Ibid: ' .. said)
  end)
end

--- Lets the person pick a project, which is then included, or no more if it was.
---@param root string
function M.run(root)
  local send = keys.sender(root)
  send('ibid/status', vim.empty_dict(), function(status)
    send('ibid/project/list', vim.empty_dict(), function(result)
      local choices = M.choices(result.projects, status.project)
      require('ibid.pick').among(choices, 'Recall from', M.line, function(choice)
        M.set(send, choice.path, not choice.included)
      end)
    end)
  end)
end

return M
