--- What every spec shares: checks, waiting, recorded messages, scripted answers to prompts.
---
--- A spec runs in `nvim --clean --headless -l SPEC`. It registers tests with `t.test` and ends with
--- `t.finish()`, which prints one line a test: `ok NAME`, or `not ok NAME` with the reason indented
--- under it.
local here = vim.fs.dirname(vim.fs.abspath(arg[0]))
local plugin = vim.fs.joinpath(here, '../../../client-nvim')

local t = { here = here, messages = {}, chosen = {}, tests = {} }

--- Milliseconds after which something that should happen has not.
local PATIENCE = tonumber(vim.env.IBID_TEST_PATIENCE) or 20000

--- Sets `vim.g.ibid` and loads the plugin, as a plugin manager does.
---@param options? table
function t.load(options)
  vim.g.ibid = options
  vim.opt.runtimepath:prepend(vim.fs.normalize(plugin))
  vim.o.swapfile = false
  vim.cmd.runtime('plugin/ibid.lua')
end

---@param name string
---@param run fun()
function t.test(name, run)
  table.insert(t.tests, { name = name, run = run })
end

---@param path string
---@param text string
function t.write(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local file = assert(io.open(path, 'w'))
  file:write(text)
  file:close()
end

--- A fresh folder that is a Git checkout.
---@return string
function t.project()
  local root = vim.fs.normalize(vim.uv.fs_realpath(vim.fn.fnamemodify(vim.fn.tempname(), ':h')))
  root = vim.fs.joinpath(root, 'project' .. tostring(vim.uv.hrtime()))
  vim.fn.mkdir(root .. '/.git', 'p')
  return root
end

--- Runs the main loop until `holds` is true; fails with `what` when it never is.
---@param what string|fun(): string
---@param holds fun(): any
---@return any value that `holds` gave
function t.wait(what, holds)
  local value
  local ok = vim.wait(PATIENCE, function()
    value = holds()
    return value
  end, 5)
  if not ok then
    what = type(what) == 'function' and what() or what
    error(('never happened: %s\nmessages: %s'):format(what, vim.inspect(t.messages)), 2)
  end
  return value
end

---@param found any
---@param expected any
function t.eq(found, expected)
  if not vim.deep_equal(found, expected) then
    error(('expected %s\nfound %s'):format(vim.inspect(expected), vim.inspect(found)), 2)
  end
end

---@param condition any
---@param what string
function t.ok(condition, what)
  if not condition then
    error('does not hold: ' .. what, 2)
  end
end

---@param text string
---@param part string plain text
function t.has(text, part)
  if not tostring(text):find(part, 1, true) then
    error(('%q is not in\n%s'):format(part, tostring(text)), 2)
  end
end

---@param text string
---@param part string plain text
function t.lacks(text, part)
  if tostring(text):find(part, 1, true) then
    error(('%q is in\n%s'):format(part, tostring(text)), 2)
  end
end

--- The text of a buffer.
---@param bufnr? integer
---@return string
function t.text(bufnr)
  return table.concat(vim.api.nvim_buf_get_lines(bufnr or 0, 0, -1, false), '\n')
end

--- Waits until the current buffer contains a text.
---@param part string
function t.shows(part)
  t.wait(function()
    return ('%q in %s:\n%s'):format(part, vim.api.nvim_buf_get_name(0), t.text())
  end, function()
    return t.text():find(part, 1, true)
  end)
end

--- Waits for a message that contains `part`.
---@param part string
---@return { text: string, level: integer }
function t.said(part)
  return t.wait('a message with ' .. part, function()
    return vim.iter(t.messages):find(function(message)
      return message.text:find(part, 1, true)
    end)
  end)
end

--- Types keys as a person does, mappings included.
---@param keys string
function t.press(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'mx', false)
end

--- Puts the cursor on the first line that contains `part`.
---@param part string
function t.go_to(part)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local column = line:find(part, 1, true)
    if column then
      vim.api.nvim_win_set_cursor(0, { number, column - 1 })
      return
    end
  end
  error(('%q is not in\n%s'):format(part, t.text()), 2)
end

--- The next `vim.ui.select` takes the first item whose label contains this; nil closes it.
---@param label string|false
function t.choose(label)
  table.insert(t.chosen, label)
end

--- The next `vim.ui.input` gets this.
---@param answer string|false
function t.answer(answer)
  table.insert(t.chosen, answer)
end

---@type { prompt: string, labels: string[] }[] every picker that opened
t.pickers = {}

vim.notify = function(text, level)
  table.insert(t.messages, { text = text, level = level or vim.log.levels.INFO })
end

-- Its own record, so that a test can clear it.
t.once = {}
vim.notify_once = function(text, level)
  if not t.once[text] then
    t.once[text] = true
    vim.notify(text, level)
  end
end

vim.ui.select = function(items, options, on_choice)
  local labels = vim.tbl_map(options.format_item or tostring, items)
  table.insert(t.pickers, { prompt = options.prompt, labels = labels })
  local wanted = table.remove(t.chosen, 1)
  if wanted == nil then
    error(('unexpected picker %q: %s'):format(options.prompt, vim.inspect(labels)))
  end
  for index, label in ipairs(labels) do
    if wanted and label:find(wanted, 1, true) then
      return on_choice(items[index], index)
    end
  end
  if wanted then
    error(('%q is not offered: %s'):format(wanted, vim.inspect(labels)))
  end
  on_choice(nil)
end

vim.ui.input = function(options, on_confirm)
  local answer = table.remove(t.chosen, 1)
  if answer == nil then
    error(('unexpected question %q'):format(options.prompt))
  end
  on_confirm(answer or nil)
end

--- Closes every window but one and forgets what was said.
local function reset()
  t.messages, t.chosen, t.pickers, t.once = {}, {}, {}, {}
  vim.cmd('silent! tabonly! | silent! only! | silent! %bwipeout!')
end

---@param err any
---@return string
local function reason(err)
  return (tostring(err):gsub('\n', '\n    '))
end

--- Runs the tests and leaves Neovim.
function t.finish()
  local failed = 0
  for _, test in ipairs(t.tests) do
    reset()
    local ok, err = xpcall(test.run, debug.traceback)
    if ok and #t.chosen > 0 then
      ok, err = false, 'never asked for: ' .. vim.inspect(t.chosen)
    end
    failed = failed + (ok and 0 or 1)
    local line = ok and 'ok ' .. test.name or ('not ok %s\n    %s'):format(test.name, reason(err))
    io.stdout:write(line, '\n')
  end
  io.stdout:flush()
  for _, client in ipairs(vim.lsp.get_clients()) do
    client:stop(true)
  end
  vim.wait(2000, function()
    return #vim.lsp.get_clients() == 0
  end, 10)
  vim.cmd('silent! ' .. (failed > 0 and 'cquit! 1' or 'qall!'))
end

return t
