--- Keys that several lists share. Each function completes an `ibid.view.Key`.
local M = {}

--- How an act is sent: from a list, which is drawn again, or by `:Ibid`.
---@alias ibid.Send fun(method: string, params: table, on_done: fun(result: any))

--- Sends acts from outside a list: errors are shown, nothing is drawn again.
---@param root string
---@return ibid.Send
function M.sender(root)
  return function(method, params, on_done)
    require('ibid.request').act(method, params, { root = root }, on_done)
  end
end

--- A key that does something to the row under the cursor; without a row it does nothing.
---@param key table an `ibid.view.Key` without `run`
---@param act fun(send: ibid.Send, row: table, shown: ibid.View)
---@return ibid.view.Key
function M.act(key, act)
  function key.run(shown, row)
    if row then
      act(function(method, params, on_done)
        require('ibid.view').act(shown, method, params, on_done)
      end, row, shown)
    end
  end
  return key
end

--- A key that opens the list or document which `target` names for the row, if it names one.
---@param key table an `ibid.view.Key` without `run`
---@param target fun(row: table, shown: ibid.View): string?, table<string, string>? path, parameters
---@return ibid.view.Key
function M.open(key, target)
  return M.act(key, function(_, row, shown)
    local path, params = target(row, shown)
    if path then
      require('ibid.content').open(path, { root = shown.root, params = params })
    end
  end)
end

--- `<CR>` opens the row's own page, such as `ibid://note/ID`.
---@param kind string
---@return ibid.view.Key
function M.page(kind)
  return M.open({ key = '<CR>', action = 'open', label = 'open', bar = true }, function(row)
    return require('ibid.content').path(kind, row.id)
  end)
end

--- `t` opens the turn in which something was said.
---@param source_of fun(row: table): { session?: string, turn?: integer }?
---@return ibid.view.Key
function M.turn(source_of)
  return M.open({ key = 't', action = 'turn', label = 'turn', bar = true }, function(row)
    local source = source_of(row)
    if source and source.session and source.turn then
      return require('ibid.content').path('turn', source.session, source.turn)
    end
  end)
end

--- `o` opens the file that a row names, at its line if it has one.
---@param place fun(row: table, shown: ibid.View): string?, integer?
---@return ibid.view.Key
function M.file(place)
  return M.act({ key = 'o', action = 'file', label = 'file', bar = true }, function(_, row, shown)
    local path, line = place(row, shown)
    if path then
      require('ibid.files').open(shown.root, path, line)
    end
  end)
end

--- `y` yanks one piece of the row, into the register that was named if one was.
---@param label string
---@param piece fun(row: table): string?
---@return ibid.view.Key
function M.yank(label, piece)
  return M.act({ key = 'y', action = 'yank', label = label, bar = true }, function(_, row)
    local value = require('ibid.text').given(piece(row))
    if value then
      -- What is pasted, into a shell perhaps, is one inert line, as it is shown.
      value = require('ibid.text').line(value)
      vim.fn.setreg(vim.v.register, value)
      vim.notify(('Ibid: yanked %s'):format(value))
    end
  end)
end

--- `s` narrows the list to what matches; an empty answer shows all again.
---@param label? string
---@param prompt? string
---@return ibid.view.Key
function M.filter(label, prompt)
  local function run(shown)
    vim.ui.input({ prompt = prompt or 'Show only: ', default = shown.params.query }, function(query)
      if query then
        shown.params.query = query ~= '' and query or nil
        require('ibid.view').restart(shown)
      end
    end)
  end
  return { key = 's', action = 'filter', label = label or 'show only …', run = run }
end

return M
