--- The documents behind `ibid://` addresses.
---
--- The server writes them (`note/ID`, `turn/SESSION/N`, `archive/HANDLE`, `recall/PROMPT` …) and is
--- asked by `workspace/textDocumentContent`. Only a note's evidence is put together here. The lists
--- of `ibid.view` have addresses as well.
local text = require('ibid.text')

local M = {}

local SCHEME = 'ibid://'

local group = vim.api.nvim_create_augroup('ibid.content', {})

---@alias ibid.content.OnLines fun(err?: ibid.Error, lines?: string[])
---@alias ibid.content.Params table<string, string>
---@alias ibid.content.Maker
---| fun(rest: string, params: ibid.content.Params, root: string, on_lines: ibid.content.OnLines)

---@type table<string, ibid.content.Maker>
local makers = {
  evidence = function(...)
    require('ibid.evidence').make(...)
  end,
}

---@class ibid.Address
---@field kind string the part up to the first slash
---@field rest string what follows it
---@field params table<string, string>

--- Takes an address apart.
---@param uri string
---@return ibid.Address
function M.parse(uri)
  local path, query = uri:sub(#SCHEME + 1):match('^([^?]*)%??(.*)$')
  local kind, rest = path:match('^([^/]*)/?(.*)$')
  local params = {}
  for name, value in query:gmatch('([^&=]+)=([^&]*)') do
    params[name] = vim.uri_decode(value)
  end
  return { kind = kind, rest = rest, params = params }
end

--- A path from its parts; none of them can end a part or the path.
---@param ... string|integer
---@return string
function M.path(...)
  return table.concat(
    vim.tbl_map(function(part)
      return vim.uri_encode(tostring(part), 'rfc2396')
    end, { ... }),
    '/'
  )
end

--- Puts an address together; the project is named where several have a server here.
---@param path string such as `note/n-7k3q`
---@param where { root: string, params?: table<string, string> }
---@return string
function M.address(path, where)
  local params = vim.tbl_extend('force', {}, where.params or {})
  if #require('ibid.server').running() > 1 then
    params.project = where.root
  end
  local parts = {}
  for name, value in vim.spairs(params) do
    table.insert(parts, name .. '=' .. vim.uri_encode(value, 'rfc2396'))
  end
  return SCHEME .. path .. (#parts > 0 and '?' .. table.concat(parts, '&') or '')
end

---@class ibid.content.Where
---@field root? string the project; else the current one
---@field params? table<string, string> of the address
---@field mods? string of the command, such as `vertical`

--- Shows `ibid://PATH`: in the window that has it, else where the option `open` says. From one of
--- our own buffers a document opens in the same window, so that <C-o> leads back.
---@param path string
---@param where? ibid.content.Where
function M.open(path, where)
  where = where or {}
  local root = where.root or require('ibid.project').current()
  local uri = M.address(path, { root = root, params = where.params })
  local bufnr = vim.fn.bufadd(uri)
  vim.b[bufnr].ibid_root = root
  local win = vim.fn.bufwinid(bufnr)
  if win ~= -1 then
    vim.api.nvim_set_current_win(win)
    return
  end
  M.make_room(where.mods or '')
  vim.cmd.buffer({ bufnr, mods = { keepalt = false } })
end

---@param mods string
function M.make_room(mods)
  local ours = vim.b.ibid_root ~= nil and vim.api.nvim_buf_get_name(0):find(SCHEME, 1, true) == 1
  local how = require('ibid.config').get().open
  if mods ~= '' then
    vim.cmd(mods .. ' split')
  elseif ours or how == 'edit' then
    return
  else
    vim.cmd(how == 'tab' and 'tab split' or how)
  end
end

--- `BufReadCmd`: fills the buffer, or says in it why that cannot be.
---@param bufnr integer
---@param uri string
function M.read(bufnr, uri)
  local address = M.parse(uri)
  local options = vim.bo[bufnr]
  options.buftype, options.bufhidden, options.swapfile = 'nofile', 'hide', false
  options.buflisted, options.modeline, options.undolevels = false, false, -1
  local root = address.params.project or vim.b[bufnr].ibid_root or require('ibid.project').current()
  vim.b[bufnr].ibid_root = root
  if require('ibid.view').is_list(address.kind) and address.rest == '' then
    local params = vim.deepcopy(address.params)
    params.project = nil
    require('ibid.view').attach(bufnr, address.kind, params, root)
    return
  end
  options.filetype = 'markdown'
  -- For `gf` on the files that a note names.
  options.path = vim.fn.escape(root, ' ,')
  M.map(bufnr)
  M.dress(bufnr, uri)
  vim.api.nvim_clear_autocmds({ group = group, buffer = bufnr })
  vim.api.nvim_create_autocmd('BufWinEnter', {
    group = group,
    buffer = bufnr,
    desc = 'Show the header line',
    callback = function()
      M.dress(bufnr, uri)
    end,
  })
  M.put(bufnr, { 'Asking the server …' })
  M.load(bufnr)
end

--- Asks for a document's text and shows it.
---@param bufnr integer
function M.load(bufnr)
  local uri = vim.api.nvim_buf_get_name(bufnr)
  local root = vim.b[bufnr].ibid_root
  local address = M.parse(uri)
  local function show(err, lines)
    if not vim.api.nvim_buf_is_loaded(bufnr) then
      return
    end
    if err then
      lines = { text.line(err.message), '', 'Press R to ask again.' }
    end
    M.put(bufnr, lines)
  end
  local maker = makers[address.kind]
  if maker then
    maker(vim.uri_decode(address.rest), address.params, root, show)
    return
  end
  require('ibid.request').send(
    'workspace/textDocumentContent',
    { uri = uri },
    { root = root },
    function(err, result)
      show(err, result and text.lines(result.text))
    end
  )
end

---@param bufnr integer
---@param lines string[]
function M.put(bufnr, lines)
  vim.bo[bufnr].modifiable = true
  local windows = vim.tbl_map(function(win)
    return { win, vim.api.nvim_win_get_cursor(win) }
  end, vim.fn.win_findbuf(bufnr))
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable, vim.bo[bufnr].modified = false, false
  require('ibid.markup').draw(bufnr, lines)
  for _, window in ipairs(windows) do
    local line = math.min(window[2][1], #lines)
    vim.api.nvim_win_set_cursor(window[1], { line, window[2][2] })
  end
end

---@param bufnr integer
---@param uri string
function M.dress(bufnr, uri)
  local keys = '%#IbidKey#<CR>%* follow  %#IbidKey#R%* ask again  %#IbidKey#q%* close'
  local bar = ('%%#IbidTitle#%s%%*  %%<%%=%s'):format(
    text.bar(vim.uri_decode(uri:match('^[^?]*'))),
    keys
  )
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    require('ibid.looks').dress_window(win, bar)
    vim.wo[win][0].conceallevel, vim.wo[win][0].concealcursor = 2, 'nc'
  end
end

---@param bufnr integer
function M.map(bufnr)
  local function map(lhs, desc, run)
    vim.keymap.set('n', lhs, run, { buffer = bufnr, nowait = true, desc = 'Ibid: ' .. desc })
  end
  map('<CR>', 'follow the link', function()
    if not M.follow() then
      vim.notify('Ibid: no link here.')
    end
  end)
  map('gf', 'follow the link', function()
    if not M.follow() then
      vim.cmd.normal({ 'gf', bang = true })
    end
  end)
  map('R', 'ask again', function()
    M.load(bufnr)
  end)
  map('q', 'close', require('ibid.looks').close)
end

--- Opens what is linked under the cursor, else the only link of the line.
---@return boolean found
function M.follow()
  local link = M.link_at_cursor(M.links(vim.api.nvim_get_current_line()))
  if link then
    M.open_uri(link.uri)
  end
  return link ~= nil
end

---@class ibid.Link
---@field first integer byte of the line, from 1
---@field last integer
---@field uri string

--- The one of a line's links that is under the cursor, else the only one.
---@param links ibid.Link[]
---@return ibid.Link?
function M.link_at_cursor(links)
  local column = vim.api.nvim_win_get_cursor(0)[2] + 1
  local here = vim.iter(links):find(function(link)
    return column >= link.first and column <= link.last
  end)
  return here or (#links == 1 and links[1] or nil)
end

--- The links of a line: `[words](ibid://…)`, bare `ibid://…`, and archive markers.
---@param line string
---@return ibid.Link[]
function M.links(line)
  local links = {}
  for first, uri, last in line:gmatch('()%[[^%[%]]*%]%((ibid://[^%s%)]+)%)()') do
    table.insert(links, { first = first, last = last - 1, uri = uri })
  end
  for first, uri, last in line:gmatch('()(ibid://[%w%-%._~/%?=&%%:]+)()') do
    local inside = vim.iter(links):any(function(link)
      return first >= link.first and first <= link.last
    end)
    if not inside then
      local trimmed = uri:gsub('[%.:]+$', '')
      table.insert(links, { first = first, last = last - 1, uri = trimmed })
    end
  end
  for first, handle, last in line:gmatch('()<<ccr:(%x+)>>()') do
    table.insert(links, { first = first, last = last - 1, uri = SCHEME .. 'archive/' .. handle })
  end
  return links
end

---@param uri string
function M.open_uri(uri)
  local address = M.parse(uri)
  local path = address.kind .. (address.rest ~= '' and '/' .. address.rest or '')
  local root = address.params.project or vim.b.ibid_root
  address.params.project = nil
  M.open(path, { root = root, params = address.params })
end

--- The memory of a project changed: its documents on screen are asked for again.
---@param root string
function M.changed(root)
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local bufnr = vim.api.nvim_win_get_buf(win)
    if vim.b[bufnr].ibid_root == root and M.is_document(bufnr) then
      M.load(bufnr)
    end
  end
end

--- `workspace/textDocumentContent/refresh`.
---@param uri string
function M.refresh(uri)
  local bufnr = vim.fn.bufnr(uri)
  if bufnr ~= -1 and vim.api.nvim_buf_is_loaded(bufnr) then
    M.load(bufnr)
  end
end

--- Whether a buffer is a document and no list.
---@param bufnr integer
---@return boolean
function M.is_document(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  return vim.startswith(name, SCHEME) and not require('ibid.view').is_list(M.parse(name).kind)
end

--- The id that the current buffer is about, if it is a page of that kind.
---@param kind 'note'|'candidate'|'receipt'
---@return string?
function M.id_here(kind)
  local name = vim.api.nvim_buf_get_name(0)
  if vim.startswith(name, SCHEME) then
    local address = M.parse(name)
    local is_it = address.kind == kind or (kind == 'note' and address.kind == 'evidence')
    return is_it and vim.uri_decode(address.rest) or nil
  end
end

return M
