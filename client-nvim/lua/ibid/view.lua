--- Paged lists in buffers of their own: the queue, the notes, the receipts and their like.
---
--- A list is a `Spec`: what to ask for, how a row looks, which keys act on it. This module draws
--- it, pages, keeps the cursor on its row, and asks again when the server says the memory changed:
--- at once where it is seen, else when it is shown next.
local looks = require('ibid.looks')
local text = require('ibid.text')

local M = {}

---@class ibid.Chunk: { [1]: string, [2]?: string } text and its highlight group

---@class ibid.view.Key
---@field key string
---@field action string its name in the option `keys` and in `<Plug>(ibid-ACTION)`
---@field label string
---@field run fun(view: ibid.View, row?: table)
---@field bar? boolean shown in the header line

---@class ibid.view.Spec
---@field title string
---@field kinds string[] of `ibid/memoryChanged`
---@field ask fun(view: ibid.View): string, table method and parameters
---@field rows fun(result: table, view: ibid.View): table[], integer
---@field id fun(row: table): string
---@field draw fun(row: table, view: ibid.View): ibid.Chunk[][] the lines of one row
---@field empty fun(view: ibid.View): string[]
---@field subtitle? fun(view: ibid.View): string
---@field keys ibid.view.Key[]
---@field ticks? boolean shows time that passes
---@field above? fun(view: ibid.View): ibid.Chunk[][] lines before the rows
---@field heading? fun(row: table): string? of the rows that follow, where it changes
---@field timeout? integer milliseconds; else the option `timeout`
---@field long? boolean takes its time: shows progress, can be cancelled
---@field whole? boolean comes in one answer, without pages
---@field shift? integer columns by which wrapped lines are indented

---@class ibid.View
---@field bufnr integer
---@field name string
---@field spec ibid.view.Spec
---@field root string
---@field params table<string, string> of the address
---@field offset integer
---@field result? table the last answer
---@field rows table[]
---@field total integer
---@field at table<integer, table> line → row
---@field stale boolean
---@field asked integer counts requests, so that only the newest answer is drawn
---@field token? string of the request that runs, where it is a long one
---@field last? table what the last undoable act was about

local namespace = vim.api.nvim_create_namespace('ibid.view')
local group = vim.api.nvim_create_augroup('ibid.view', {})

---@type table<string, string>
local modules = {
  queue = 'ibid.queue',
  notes = 'ibid.notes',
  receipts = 'ibid.receipts',
  sessions = 'ibid.sessions',
  policy = 'ibid.policy',
  archive = 'ibid.archive',
  reads = 'ibid.reads',
  history = 'ibid.history',
  report = 'ibid.report',
  doctor = 'ibid.doctor',
  claims = 'ibid.claims',
  replay = 'ibid.replay',
}

---@type table<integer, ibid.View>
local views = {}

--- Whether `ibid://NAME` is a list.
---@param name string
---@return boolean
function M.is_list(name)
  return modules[name] ~= nil
end

--- Every list's name, in order.
---@return string[]
function M.names()
  local names = vim.tbl_keys(modules)
  table.sort(names)
  return names
end

--- The list in a buffer.
---@param bufnr? integer else the current one
---@return ibid.View?
function M.of(bufnr)
  return views[bufnr or vim.api.nvim_get_current_buf()]
end

--- The row under the cursor, if the current buffer is the list `name`.
---@param name string
---@return table?
function M.row_here(name)
  local view = M.of()
  if view and view.name == name then
    return view.at[vim.api.nvim_win_get_cursor(0)[1]]
  end
end

--- Fills a buffer named `ibid://NAME?…`.
---@param bufnr integer
---@param name string
---@param params table<string, string>
---@param root string
function M.attach(bufnr, name, params, root)
  local view = {
    bufnr = bufnr,
    name = name,
    spec = require(modules[name]).spec,
    root = root,
    params = params,
    offset = 0,
    rows = {},
    total = 0,
    at = {},
    stale = false,
    asked = 0,
  }
  views[bufnr] = view
  vim.bo[bufnr].filetype = 'ibid'
  M.map(view)
  vim.api.nvim_clear_autocmds({ group = group, buffer = bufnr })
  M.on(bufnr, 'BufWinEnter', function()
    M.dress(view)
    if view.stale then
      M.refresh(view)
    end
  end)
  M.on(bufnr, 'WinResized', function()
    M.dress(view)
  end)
  M.on(bufnr, 'BufWipeout', function()
    if view.token then
      require('ibid.request').cancel(view.token)
    end
    views[bufnr] = nil
  end)
  M.dress(view)
  M.put(view, { { { 'Asking the server …', 'IbidAbout' } } }, {})
  M.refresh(view)
  M.tick()
end

---@param bufnr integer
---@param event string
---@param run fun()
function M.on(bufnr, event, run)
  vim.api.nvim_create_autocmd(event, { group = group, buffer = bufnr, callback = run })
end

--- Asks for the page again and draws it.
---@param view ibid.View
function M.refresh(view)
  view.stale = false
  view.asked = view.asked + 1
  local asked = view.asked
  local method, params = view.spec.ask(view)
  if not view.spec.whole then
    params.limit, params.offset = require('ibid.config').get().page, view.offset
  end
  local options = { root = view.root, timeout = view.spec.timeout }
  if view.spec.long then
    M.cancel(view.name, view.root)
    view.token = require('ibid.request').new_token(view.name)
    params.workDoneToken, options.token = view.token, view.token
    options.timeout = require('ibid.request').QUIET
  end
  require('ibid.request').send(method, params, options, function(err, result)
    if options.token then
      require('ibid.status').progress(view.root, options.token, { kind = 'end' })
    end
    if asked ~= view.asked or not vim.api.nvim_buf_is_valid(view.bufnr) then
      return
    end
    if err then
      M.fail(view, err)
      return
    end
    view.result = result
    view.rows, view.total = view.spec.rows(result, view)
    if #view.rows == 0 and view.offset > 0 and view.total > 0 then
      view.offset = M.last_offset(view)
      M.refresh(view)
      return
    end
    M.draw(view)
  end)
end

--- Cancels the long requests of a list's kind in a project.
---@param name string
---@param root string
---@return boolean cancelled whether there was one
function M.cancel(name, root)
  local found = false
  for _, view in pairs(views) do
    if view.token and view.name == name and view.root == root then
      found = require('ibid.request').cancel(view.token) or found
    end
  end
  return found
end

--- Asks from the first page on: what is listed is another thing now.
---@param view ibid.View
function M.restart(view)
  view.offset = 0
  M.refresh(view)
end

--- Draws the rows that are here.
---@param view ibid.View
function M.draw(view)
  local lines = view.spec.above and view.spec.above(view) or {}
  local at, heading = {}, nil
  for _, row in ipairs(view.rows) do
    local own = view.spec.heading and view.spec.heading(row)
    if own and own ~= heading then
      table.insert(lines, { { own, 'IbidTitle' } })
    end
    heading = own
    for _, line in ipairs(view.spec.draw(row, view)) do
      table.insert(lines, line)
      at[#lines] = row
    end
  end
  if #view.rows == 0 then
    for _, line in ipairs(view.spec.empty(view)) do
      table.insert(lines, { { line, 'IbidAbout' } })
    end
  end
  M.put(view, lines, at)
  M.dress(view)
end

--- Shows why there is no list. Rows that are here stay, so that nobody loses their place.
---@param view ibid.View
---@param err ibid.Error
function M.fail(view, err)
  if #view.rows > 0 then
    require('ibid.request').report(err)
    return
  end
  M.put(view, {
    { { text.line(err.message), 'DiagnosticError' } },
    { { 'Press R to ask again.', 'IbidAbout' } },
  }, {})
end

--- Puts lines into the buffer, and every window's cursor back on its row.
---@param view ibid.View
---@param lines ibid.Chunk[][]
---@param at table<integer, table>
function M.put(view, lines, at)
  local places = M.places(view)
  local plain = vim.tbl_map(function(line)
    return table.concat(vim.tbl_map(function(chunk)
      return chunk[1]
    end, line))
  end, lines)
  local bufnr = view.bufnr
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, plain)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].modified = false
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  for number, line in ipairs(lines) do
    local column = 0
    for _, chunk in ipairs(line) do
      if chunk[2] then
        vim.api.nvim_buf_set_extmark(bufnr, namespace, number - 1, column, {
          end_col = column + #chunk[1],
          hl_group = chunk[2],
        })
      end
      column = column + #chunk[1]
    end
  end
  view.at = at
  M.return_to(view, places)
end

---@param view ibid.View
---@return { win: integer, id?: string, line: integer }[]
function M.places(view)
  return vim.tbl_map(function(win)
    local line = vim.api.nvim_win_get_cursor(win)[1]
    local row = view.at[line]
    return { win = win, line = line, id = row and view.spec.id(row) }
  end, vim.fn.win_findbuf(view.bufnr))
end

---@param view ibid.View
---@param places { win: integer, id?: string, line: integer }[]
function M.return_to(view, places)
  local first = {} ---@type table<string, integer>
  for line = vim.api.nvim_buf_line_count(view.bufnr), 1, -1 do
    local row = view.at[line]
    if row then
      first[view.spec.id(row)] = line
    end
  end
  for _, place in ipairs(places) do
    local line = first[place.id or '']
    local last = vim.api.nvim_buf_line_count(view.bufnr)
    -- A row that went leaves the cursor on the one that took its place.
    local nearest = view.at[math.min(place.line, last)]
    line = line or (nearest and first[view.spec.id(nearest)]) or math.min(place.line, last)
    vim.api.nvim_win_set_cursor(place.win, { line, 0 })
  end
end

--- Header line and window options, in every window that shows the list.
---@param view ibid.View
function M.dress(view)
  for _, win in ipairs(vim.fn.win_findbuf(view.bufnr)) do
    looks.dress_window(win, looks.bar(view, vim.api.nvim_win_get_width(win)))
    vim.wo[win][0].breakindentopt = ('shift:%d'):format(view.spec.shift or 2)
  end
end

--- Every list has these.
---@type ibid.view.Key[]
local common = {
  {
    key = ']]',
    action = 'next-page',
    label = 'next page',
    run = function(view)
      M.turn_page(view, 1)
    end,
  },
  {
    key = '[[',
    action = 'previous-page',
    label = 'previous page',
    run = function(view)
      M.turn_page(view, -1)
    end,
  },
  {
    key = 'R',
    action = 'reload',
    label = 'ask again',
    run = function(view)
      M.refresh(view)
    end,
  },
  {
    key = 'q',
    action = 'close',
    label = 'close',
    run = function()
      looks.close()
    end,
  },
}

--- Maps the list's keys in its buffer, each over a `<Plug>(ibid-ACTION)`.
---@param view ibid.View
function M.map(view)
  local keys = vim.list_extend(vim.list_slice(view.spec.keys), common)
  for _, key in ipairs(keys) do
    local plug = ('<Plug>(ibid-%s)'):format(key.action)
    local options = { buffer = view.bufnr, nowait = true, desc = 'Ibid: ' .. key.label }
    vim.keymap.set('n', plug, function()
      key.run(view, view.at[vim.api.nvim_win_get_cursor(0)[1]])
    end, options)
    local lhs = looks.key_of(key)
    if lhs then
      vim.keymap.set('n', lhs, plug, vim.tbl_extend('force', options, { remap = true }))
    end
  end
  vim.keymap.set('n', 'g?', function()
    looks.help(view.spec.title, keys)
  end, { buffer = view.bufnr, nowait = true, desc = 'Ibid: help' })
end

---@param view ibid.View
---@param step integer
function M.turn_page(view, step)
  local page = require('ibid.config').get().page
  local offset = math.max(0, math.min(view.offset + step * page, M.last_offset(view)))
  if offset ~= view.offset then
    view.offset = offset
    M.refresh(view)
    for _, win in ipairs(vim.fn.win_findbuf(view.bufnr)) do
      vim.api.nvim_win_set_cursor(win, { 1, 0 })
    end
  end
end

---@param view ibid.View
---@return integer offset of the last page
function M.last_offset(view)
  local page = require('ibid.config').get().page
  return math.max(0, math.floor((view.total - 1) / page) * page)
end

--- Sends an act of the person on a row; afterwards the list is asked for again, and after a
--- conflict too: what they saw was old.
---@param view ibid.View
---@param method string
---@param params table
---@param on_done fun(result: any)
function M.act(view, method, params, on_done)
  require('ibid.request').send(method, params, { root = view.root }, function(err, result)
    if err then
      require('ibid.request').report(err)
    else
      on_done(result)
    end
    if vim.api.nvim_buf_is_valid(view.bufnr) then
      M.refresh(view)
    end
  end)
end

--- The memory changed: lists that are seen ask again, the others when they are shown.
---@param root string
---@param kinds? string[] else everything may have changed
function M.changed(root, kinds)
  for bufnr, view in pairs(views) do
    local concerned = not kinds
      or vim.iter(view.spec.kinds):any(function(kind)
        return vim.list_contains(kinds, kind)
      end)
    if view.root == root and concerned then
      view.stale = true
      if vim.fn.bufwinid(bufnr) ~= -1 then
        M.refresh(view)
      end
    end
  end
end

--- Milliseconds between two redraws of time that passes.
local TICK = 30000

---@type uv.uv_timer_t?
local clock

--- Redraws lists with running times twice a minute, while there are any.
function M.tick()
  if clock then
    return
  end
  clock = assert(vim.uv.new_timer())
  clock:start(TICK, TICK, vim.schedule_wrap(M.redraw_ticking))
end

--- Draws the seen lists with running times anew; without any the clock stops.
function M.redraw_ticking()
  local any = false
  for bufnr, view in pairs(views) do
    if view.spec.ticks then
      any = true
      if vim.fn.bufwinid(bufnr) ~= -1 and #view.rows > 0 then
        M.draw(view)
      end
    end
  end
  if not any and clock then
    clock:close()
    clock = nil
  end
end

return M
