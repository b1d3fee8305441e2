--- `ibid://` documents: read, followed, refreshed, and harmless.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
local fake = dofile(vim.fs.joinpath(t.here, 'fake.lua'))
t.load()
vim.lsp.config('ibid', { cmd = fake.cmd })
local content = require('ibid.content')

local root = t.project()
local texts

local function start()
  fake.reset()
  texts = {}
  fake.answers['workspace/textDocumentContent'] = function(params)
    if texts[params.uri] then
      return { text = texts[params.uri] }
    end
    return nil, { code = -33001, message = 'no such note', data = { code = 'notFound' } }
  end
  vim.cmd.edit(root .. '/a.txt')
end

t.test('an address is read by the server, as unlisted Markdown that cannot be changed', function()
  start()
  texts['ibid://note/n-1'] = '# Decision\n\nThe ledger is append-only.\n'
  vim.cmd.edit('ibid://note/n-1')
  t.shows('The ledger is append-only.')
  t.eq(vim.bo.filetype, 'markdown')
  t.eq(vim.bo.buftype, 'nofile')
  t.eq({ vim.bo.buflisted, vim.bo.modifiable, vim.bo.modified }, { false, false, false })
  t.eq(fake.asked('workspace/textDocumentContent'), { { uri = 'ibid://note/n-1' } })
end)

t.test('an address that leads nowhere says why, and R asks again', function()
  start()
  vim.cmd.edit('ibid://note/n-gone')
  t.shows('no such note')
  texts['ibid://note/n-gone'] = 'Here it is.'
  t.press('R')
  t.shows('Here it is.')
end)

t.test('<CR> and gf follow links, <C-o> leads back', function()
  start()
  texts['ibid://note/n-1'] = 'Said in [turn 3](ibid://turn/s/3), see also ibid://note/n-2.\nplain'
  texts['ibid://turn/s/3'] = 'It was said here.'
  texts['ibid://note/n-2'] = 'The other note.'
  vim.cmd.edit('ibid://note/n-1')
  t.shows('Said in')
  t.go_to('turn 3')
  t.press('<CR>')
  t.shows('It was said here.')
  t.press('<C-o>')
  t.shows('Said in')
  t.go_to('n-2')
  t.press('gf')
  t.shows('The other note.')
  t.press('<C-o>G<CR>')
  t.said('no link here')
end)

t.test('gf on a file that a note names opens the project’s file', function()
  start()
  t.write(root .. '/src/ledger.py', 'x = 1\n')
  texts['ibid://note/n-1'] = 'About src/ledger.py'
  vim.cmd.edit('ibid://note/n-1')
  t.shows('About')
  t.go_to('src/')
  t.press('gf')
  t.eq(vim.api.nvim_buf_get_name(0), root .. '/src/ledger.py')
end)

t.test('the only link of a line is followed from anywhere on it', function()
  start()
  texts['ibid://note/n-1'] = 'Evidence: <<ccr:5a0f3c9e1b2d4f60718293a4>>'
  texts['ibid://archive/5a0f3c9e1b2d4f60718293a4'] = 'The archived text.'
  vim.cmd.edit('ibid://note/n-1')
  t.shows('Evidence')
  t.press('0<CR>')
  t.shows('The archived text.')
end)

t.test('links are found where they are', function()
  local function uris(line)
    return vim.tbl_map(function(link)
      return link.uri
    end, content.links(line))
  end
  t.eq(uris('no link'), {})
  t.eq(uris('[a](ibid://note/1) [b](ibid://note/2)'), { 'ibid://note/1', 'ibid://note/2' })
  t.eq(uris('(see ibid://turn/s%2F1/3?project=/p).'), { 'ibid://turn/s%2F1/3?project=/p' })
  t.eq(uris('[a](http://elsewhere) <<ccr:zz>>'), {})
end)

t.test('every document can be opened from any buffer by its address', function()
  start()
  texts['ibid://receipt/r-1'] = 'Memory used: 4 items'
  vim.cmd.enew()
  require('ibid').open('receipt/r-1', { root = root })
  t.shows('Memory used')
  local win = vim.api.nvim_get_current_win()
  vim.cmd('botright new')
  require('ibid').open('receipt/r-1', { root = root })
  t.eq(vim.api.nvim_get_current_win(), win)
end)

t.test('a document on screen follows the memory', function()
  start()
  texts['ibid://note/n-1'] = 'Old.'
  vim.cmd.edit('ibid://note/n-1')
  t.shows('Old.')
  texts['ibid://note/n-1'] = 'New.'
  fake.notify('ibid/memoryChanged', { project = root, kinds = { 'notes' } })
  t.shows('New.')
  texts['ibid://note/n-1'] = 'Newer.'
  require('ibid.content').refresh('ibid://note/n-1')
  t.shows('Newer.')
end)

t.test('hostile text in a document is inert, its modelines too', function()
  start()
  texts['ibid://note/n-1'] = '\27]0;owned\7 \u{202e}gnp.exe\n\u{e0041}\r\n vim: set ft=lua ma tw=7:'
  vim.cmd.edit('ibid://note/n-1')
  t.shows('owned')
  local shown = t.text()
  for _, char in ipairs({ '\27', '\7', '\u{202e}', '\u{e0041}', '\r' }) do
    t.lacks(shown, char)
  end
  vim.cmd('doautocmd <nomodeline> BufReadPost')
  t.eq({ vim.bo.filetype, vim.bo.modifiable, vim.bo.textwidth }, { 'markdown', false, 0 })
  t.eq(vim.bo.modeline, false)
end)

t.test('escapes and link targets are not seen, code is as it is', function()
  start()
  texts['ibid://note/n-1'] = table.concat({
    '- src/upload\\.py, said in [turn 3](ibid://turn/s/3) of *it*',
    '````',
    'a\\.b [x](ibid://note/x)',
    '```',
    'still \\code',
    '````',
    'after\\!',
  }, '\n')
  vim.cmd.edit('ibid://note/n-1')
  t.shows('after')
  local namespace = vim.api.nvim_get_namespaces()['ibid.markup']
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  local marks = vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })
  local hidden, links = {}, {}
  for _, mark in ipairs(marks) do
    local part = lines[mark[2] + 1]:sub(mark[3] + 1, mark[4].end_col)
    table.insert(mark[4].conceal and hidden or links, { mark[2], part })
  end
  t.eq(hidden, { { 0, '\\' }, { 0, '[' }, { 0, '](ibid://turn/s/3)' }, { 6, '\\' } })
  t.eq(links, { { 0, 'turn 3' } })
  t.eq({ vim.wo.conceallevel, vim.wo.concealcursor }, { 2, 'nc' })
end)

t.test('hostile addresses stay one part of one address', function()
  t.eq(
    content.path('note', 'n/../x?project=/etc#y z'),
    'note/n%2f..%2fx%3fproject%3d%2fetc%23y%20z'
  )
  local address =
    content.parse(content.address('notes', { root = root, params = { query = 'a&b=c ?%' } }))
  t.eq(address.params, { query = 'a&b=c ?%' })
end)

t.test('where two projects are open, an address names its own', function()
  start()
  local other = t.project()
  vim.cmd.edit(other .. '/b.txt')
  t.wait('two servers', function()
    return #require('ibid.server').running() == 2
  end)
  local uri = content.address('note/n-1', { root = other })
  t.eq(content.parse(uri).params.project, other)
  texts[uri] = 'From the other project.'
  require('ibid').open('note/n-1', { root = other })
  t.shows('From the other project.')
  t.eq(vim.b.ibid_root, other)
end)

t.test(':Ibid recall opens the server’s preview for the whole prompt', function()
  start()
  local uri = content.address('recall/what%20%26%20where%2fwhen%3f', { root = root })
  texts[uri] = 'A preview: nothing was sent to an agent.'
  vim.cmd('Ibid recall what & where/when?')
  t.shows('A preview')
  t.eq(fake.asked('ibid/recall'), {})
end)

t.finish()
