--- Lenses and hovers: shown by themselves, for our server only, and opened.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
local fake = dofile(vim.fs.joinpath(t.here, 'fake.lua'))
t.load()
vim.lsp.config('ibid', { cmd = fake.cmd })

local root = t.project()

---@param title string
---@param ids string[]
---@param line? integer
local function lens(title, ids, line)
  local place = { line = line or 0, character = 0 }
  return {
    range = { start = place, ['end'] = place },
    command = {
      title = title,
      command = 'ibid.openNotes',
      arguments = { { project = root, ids = ids, uri = vim.uri_from_fname(root .. '/a.py') } },
    },
  }
end

--- Opens a file whose lenses the server knows.
---@param lenses table[]
local function open(lenses)
  fake.reset()
  fake.answers['textDocument/codeLens'] = function()
    return lenses
  end
  fake.answers['workspace/textDocumentContent'] = function(params)
    return { text = params.uri }
  end
  fake.answers['ibid/note/list'] = function()
    return { notes = { fake.note() }, total = 1, counts = {} }
  end
  t.write(root .. '/a.py', 'def send():\n    pass\n')
  vim.cmd.edit(root .. '/a.py')
end

--- The virtual text of the buffer's lenses, by line.
---@return table<integer, string>
local function drawn()
  local found = {}
  for name, namespace in pairs(vim.api.nvim_get_namespaces()) do
    if name:find('codelens:', 1, true) then
      local marks = vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })
      for _, mark in ipairs(marks) do
        found[mark[2]] = mark[4].virt_text[1][1]
      end
    end
  end
  return found
end

t.test('a lens is drawn without any set-up', function()
  open({ lens('ibid: 2 notes · decided 2 Apr', { 'n-1aa', 'n-1ab' }, 0) })
  t.wait('the lens', function()
    return drawn()[0] == 'ibid: 2 notes · decided 2 Apr'
  end)
  t.eq(fake.asked('textDocument/codeLens')[1].textDocument.uri, vim.uri_from_fname(root .. '/a.py'))
end)

t.test('saving and a changed memory ask again', function()
  local lenses = { lens('one', { 'n-1aa' }) }
  open(lenses)
  t.wait('the lens', function()
    return drawn()[0] == 'one'
  end)
  lenses[1] = lens('two', { 'n-1aa' })
  vim.cmd('silent write')
  t.wait('the lens after saving', function()
    return drawn()[0] == 'two'
  end)
  lenses[1] = lens('three', { 'n-1aa' })
  fake.notify('ibid/memoryChanged', { project = root, kinds = { 'notes' } })
  t.wait('the lens after a change', function()
    return drawn()[0] == 'three'
  end)
  lenses[1] = lens('ibid: Claude read this just now', {})
  fake.notify('ibid/memoryChanged', { project = root, kinds = { 'turns' } })
  t.wait('the lens after an agent read', function()
    return drawn()[0] == 'ibid: Claude read this just now'
  end)
  fake.calls = {}
  fake.notify('ibid/memoryChanged', { project = root, kinds = { 'candidates', 'policy' } })
  vim.wait(50)
  t.eq(fake.asked('textDocument/codeLens'), {})
  lenses[1] = nil
  fake.notify('ibid/memoryChanged', { project = root, kinds = { 'notes' } })
  t.wait('no lens', function()
    return vim.tbl_isempty(drawn())
  end)
end)

t.test('the lens of one note opens it', function()
  open({ lens('ibid: 1 note', { 'n-1aa' }) })
  t.wait('the lens', function()
    return drawn()[0]
  end)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  vim.lsp.codelens.run()
  t.shows('ibid://note/n-1aa')
end)

t.test('the lens of several notes lets the person pick, by their words', function()
  open({ lens('ibid: 2 notes', { 'n-1aa', 'n-unknown' }) })
  t.wait('the lens', function()
    return drawn()[0]
  end)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  t.choose('n-unknown')
  vim.lsp.codelens.run()
  t.shows('ibid://note/n-unknown')
  t.eq(t.pickers[1].labels, { 'decision  The ledger is append-only.', 'n-unknown' })
end)

t.test('only our server is asked, and other servers’ lenses stay off', function()
  open({ lens('ours', { 'n-1aa' }) })
  t.wait('the lens', function()
    return drawn()[0]
  end)
  local other = dofile(vim.fs.joinpath(t.here, 'fake.lua'))
  vim.lsp.start({ name = 'other', cmd = other.cmd, root_dir = root })
  t.wait('the other server', function()
    return #vim.lsp.get_clients({ name = 'other', bufnr = 0 }) == 1
  end)
  vim.cmd('silent write')
  vim.wait(100)
  t.eq(other.asked('textDocument/codeLens'), {})
  vim.lsp.get_clients({ name = 'other' })[1]:stop(true)
end)

t.test('lenses = false asks for none', function()
  vim.g.ibid = { lenses = false }
  for _, client in ipairs(vim.lsp.get_clients({ name = 'ibid' })) do
    client:stop(true)
  end
  open({ lens('never', { 'n-1aa' }) })
  t.wait('a server', function()
    return #vim.lsp.get_clients({ name = 'ibid', bufnr = 0 }) == 1
  end)
  vim.wait(50)
  t.eq(fake.asked('textDocument/codeLens'), {})
  vim.g.ibid = nil
end)

t.test('on 0.12 Neovim itself is told to keep the lenses of the buffer (stub)', function()
  -- Neovim 0.12 is not at hand here: its `vim.lsp.codelens.enable` is played by this function.
  local enabled = {}
  vim.lsp.codelens.enable = function(enable, filter)
    table.insert(enabled, { enable, filter })
  end
  for _, client in ipairs(vim.lsp.get_clients({ name = 'ibid' })) do
    client:stop(true)
  end
  open({ lens('by Neovim', { 'n-1aa' }) })
  t.wait('the call', function()
    return #enabled > 0
  end)
  fake.notify('ibid/memoryChanged', { project = root, kinds = { 'notes' } })
  vim.wait(50)
  vim.lsp.codelens.enable = nil
  t.eq(enabled, { { true, { bufnr = vim.api.nvim_get_current_buf() } } })
  t.eq(fake.asked('textDocument/codeLens'), {})
end)

t.test('K shows the server’s hover', function()
  for _, client in ipairs(vim.lsp.get_clients({ name = 'ibid' })) do
    client:stop(true)
  end
  open({})
  fake.answers['textDocument/hover'] = function()
    return {
      contents = { kind = 'markdown', value = '**Decision** · pinned\n\nRetry limit is 3.' },
    }
  end
  t.wait('a server', function()
    local client = vim.lsp.get_clients({ name = 'ibid', bufnr = 0 })[1]
    return client and client.initialized and vim.fn.maparg('K', 'n') ~= ''
  end)
  t.press('K')
  local float = t.wait('a float', function()
    return vim.iter(vim.api.nvim_list_wins()):find(function(win)
      return vim.api.nvim_win_get_config(win).relative ~= ''
    end)
  end)
  t.has(t.text(vim.api.nvim_win_get_buf(float)), 'Retry limit is 3.')
end)

t.finish()
