--- What is handed on: claims, handoffs, notes for a team and for the files that agents load.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
local fake = dofile(vim.fs.joinpath(t.here, 'fake.lua'))
t.load()
vim.lsp.config('ibid', { cmd = fake.cmd })

local root = t.project()

local BAD = '\27[31m\u{202e}x\u{200b}\ny'

local function start()
  fake.reset()
  fake.answers['workspace/textDocumentContent'] = function(params)
    return { text = '# ' .. params.uri }
  end
  t.write(root .. '/src/a.py', 'x\n')
  vim.cmd.edit(root .. '/src/a.py')
end

---@param method string
---@param result table
local function answer(method, result)
  fake.answers[method] = function()
    return result
  end
end

---@param over? table
local function claim(over)
  local at = require('ibid.text').now() - 300000
  local one = { path = 'src/a.py', session = '91be-long-session', agent = 'codex', at = at }
  return vim.tbl_extend('force', one, over or {})
end

t.test(':Ibid claim lists the claims; x releases one, o opens it', function()
  start()
  answer('ibid/claim', { claims = { claim(), claim({ path = 'docs' }) } })
  vim.cmd('Ibid claim')
  t.shows('src/a.py  codex · session 91be-long-s… · 5 min ago')
  t.eq(fake.asked('ibid/claim'), { { project = root } })
  t.go_to('docs')
  fake.calls = {}
  t.press('x')
  t.said('released docs')
  local asked = { session = '91be-long-session', paths = { 'docs' }, release = true }
  t.eq(fake.asked('ibid/claim')[1], vim.tbl_extend('force', asked, { project = root }))
  t.go_to('src/a.py')
  t.press('o')
  t.eq(vim.api.nvim_buf_get_name(0), root .. '/src/a.py')
end)

t.test(':Ibid claim with paths asks for which session', function()
  start()
  answer('ibid/session/list', { sessions = { { session = 's-77', agent = 'codex' } }, total = 1 })
  answer('ibid/claim', { claims = { claim() } })
  t.choose('codex')
  vim.cmd('Ibid claim % ' .. root .. '/my\\ docs')
  t.said('claimed src/a.py, my docs')
  local paths = { root .. '/src/a.py', root .. '/my docs' }
  t.eq(fake.asked('ibid/claim'), { { session = 's-77', paths = paths, project = root } })
end)

t.test('a path that another session has is not claimed, and the person reads whose', function()
  start()
  answer('ibid/session/list', { sessions = { { session = 's-77', agent = 'codex' } }, total = 1 })
  fake.answers['ibid/claim'] = function()
    local message = 'src is claimed by claude-code 91be. Nothing was claimed.'
    return nil, { code = -33003, message = message, data = { code = 'conflict' } }
  end
  t.choose('codex')
  vim.cmd('Ibid claim ' .. root .. '/src')
  t.said('claimed by claude-code 91be')
end)

t.test(':Ibid release finds whose claim it is, or lets the person pick', function()
  start()
  answer('ibid/claim', { claims = { claim(), claim({ path = 'docs', session = 's-2' }) } })
  vim.cmd('Ibid release %')
  t.said('released src/a.py')
  t.eq(fake.asked('ibid/claim')[2].session, '91be-long-session')
  t.choose('docs')
  vim.cmd('Ibid release')
  t.said('released docs')
  vim.cmd('Ibid release ' .. root .. '/other')
  t.said('nobody claims other')
end)

local function projects(includes)
  return {
    projects = {
      { path = root, name = 'here', bytes = 1, includes = includes },
      { path = '/srv/shop', name = 'shop', bytes = 1, includes = {} },
    },
  }
end

t.test(':Ibid include toggles the project that the person picks', function()
  start()
  answer('ibid/status', { project = root, name = 'here', state = 'on' })
  answer('ibid/project/list', projects({}))
  local shop = { path = '/srv/shop', name = 'shop', missing = false }
  answer('ibid/project/include', { path = root, name = 'here', bytes = 1, includes = { shop } })
  t.choose('○ shop')
  vim.cmd('Ibid include')
  t.said('recall uses shop, too.')
  local asked = { other = '/srv/shop', included = true, project = root }
  t.eq(fake.asked('ibid/project/include'), { asked })
  answer('ibid/project/list', projects({ shop }))
  answer('ibid/project/include', { path = root, name = 'here', bytes = 1, includes = {} })
  t.choose('● shop')
  vim.cmd('Ibid include')
  t.said('recall uses this project alone.')
  t.eq(fake.asked('ibid/project/include')[2].included, false)
end)

t.test('a listed project that is no more can be taken off', function()
  start()
  answer('ibid/status', { project = root, name = 'here', state = 'on' })
  answer('ibid/project/list', projects({ { path = '/old', name = BAD, missing = true } }))
  answer('ibid/project/include', { path = root, name = 'here', bytes = 1, includes = {} })
  t.choose('no memory there any more')
  vim.cmd('Ibid include')
  t.said('recall uses this project alone.')
  local asked = { other = '/old', included = false, project = root }
  t.eq(fake.asked('ibid/project/include'), { asked })
end)

t.test(':Ibid handoff shows the latest or one session’s, and ! writes it', function()
  start()
  vim.cmd('Ibid handoff')
  t.shows('# ibid://handoff')
  vim.cmd('Ibid handoff s/1')
  t.shows('# ibid://handoff/s%2f1')
  answer(
    'ibid/handoff/write',
    { session = 's-1', path = '.ibid/state/handoff/s-1.md', tokens = 77 }
  )
  vim.cmd('Ibid! handoff s-1')
  t.said('wrote .ibid/state/handoff/s-1.md, 77 tokens')
  t.eq(fake.asked('ibid/handoff/write'), { { session = 's-1', project = root } })
end)

t.test('h shows the handoff of a session in the list', function()
  start()
  local session = { session = 's-1', agent = 'codex', turns = 2, at = 0, preset = 'default' }
  answer('ibid/session/list', { sessions = { session }, total = 1 })
  vim.cmd('Ibid sessions')
  t.shows('codex')
  t.press('h')
  t.shows('# ibid://handoff/s-1')
end)

t.test(':Ibid share lets Git see the note files, or hides them', function()
  start()
  answer('ibid/note/share', { folders = { '.ibid/notes' }, shared = true })
  vim.cmd('Ibid share on')
  t.said('Git sees .ibid/notes')
  t.eq(fake.asked('ibid/note/share'), { { on = true, project = root } })
  answer('ibid/note/share', { folders = { '.ibid/notes' }, shared = false })
  fake.calls = {}
  t.choose('off')
  vim.cmd('Ibid share')
  t.said('Git overlooks .ibid/notes')
  t.eq(fake.asked('ibid/note/share'), { { on = false, project = root } })
  vim.cmd('Ibid share perhaps')
  t.said('use :Ibid share on|off')
end)

--- The change of an instruction file as the server proposes it: one line at its end.
---@param before string
local function proposal(before)
  return {
    path = 'AGENTS.md',
    exists = before ~= '',
    before = before,
    after = before .. '- A fact.\n',
    diff = '--- AGENTS.md\n+++ AGENTS.md\n+- A \27[31mfact.\n',
  }
end

t.test(':Ibid instructions shows the change, and a makes it in a buffer', function()
  start()
  t.write(root .. '/AGENTS.md', '# Rules\n')
  answer('ibid/instructions/preview', proposal('# Rules\n'))
  vim.cmd('Ibid instructions n-1aa AGENTS.md')
  t.shows('+- A ␛[31mfact.')
  t.lacks(t.text(), '\27')
  local asked = { file = 'AGENTS.md', notes = { 'n-1aa' }, project = root }
  t.eq(fake.asked('ibid/instructions/preview'), { asked })
  t.press('q')
  t.eq(vim.fn.readfile(root .. '/AGENTS.md'), { '# Rules' })
  vim.cmd('Ibid instructions n-1aa AGENTS.md')
  t.shows('+- A')
  t.press('a')
  t.said('changed AGENTS.md')
  t.eq(t.text(), '# Rules\n- A fact.')
  t.ok(vim.bo.modified, 'the person writes it')
  t.eq(vim.fn.readfile(root .. '/AGENTS.md'), { '# Rules' })
end)

t.test('a file with other line ends keeps them', function()
  start()
  t.write(root .. '/AGENTS.md', '# Rules\r\n')
  local windows = proposal('# Rules\r\n')
  windows.after = '# Rules\r\n- A fact.\r\n'
  answer('ibid/instructions/preview', windows)
  vim.cmd('Ibid instructions n-1aa AGENTS.md')
  t.shows('+- A')
  t.press('a')
  t.said('changed AGENTS.md')
  vim.cmd('silent write')
  t.eq(vim.fn.readblob(root .. '/AGENTS.md'), windows.after)
end)

t.test('a change is not made over words that are not saved', function()
  start()
  t.write(root .. '/AGENTS.md', '# Rules\n')
  vim.cmd.edit(root .. '/AGENTS.md')
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'unsaved' })
  answer('ibid/instructions/preview', proposal('# Rules\n'))
  vim.cmd('Ibid instructions n-1aa AGENTS.md')
  t.shows('+- A')
  t.press('a')
  t.said('AGENTS.md is another now')
  t.has(t.text(), '+- A')
end)

t.test('a file of instructions that is not there is made, and one that says so is left', function()
  start()
  vim.fn.delete(root .. '/AGENTS.md')
  answer('ibid/instructions/preview', proposal(''))
  t.choose('AGENTS.md')
  vim.cmd('Ibid instructions n-1aa')
  t.shows('+- A')
  t.press('a')
  t.said('changed AGENTS.md')
  t.eq(t.text(), '- A fact.')
  vim.cmd('silent undo')
  local same = vim.tbl_extend('force', proposal(''), { before = 'x', after = 'x' })
  answer('ibid/instructions/preview', same)
  vim.cmd('Ibid instructions n-1aa AGENTS.md')
  t.said('AGENTS.md says so already')
end)

t.test('hostile text in the claims is inert, and a slow or dead server is named', function()
  start()
  answer('ibid/claim', { claims = { claim({ path = BAD, session = BAD, agent = BAD }) } })
  vim.cmd('Ibid claim')
  t.shows('␛[31m<202e>x<200b> ↵ y')
  for _, char in ipairs({ '\27', '\u{202e}', '\u{200b}' }) do
    t.lacks(t.text(), char)
  end
  vim.cmd('bwipeout!')
  vim.g.ibid = { timeout = 50 }
  fake.answers['ibid/claim'] = fake.SILENCE
  vim.cmd('Ibid claim')
  t.shows('no answer to ibid/claim')
  vim.g.ibid = nil
  fake.die(1, 0)
  t.said('the server stopped')
  t.press('R')
  t.shows(':Ibid restart starts it again')
end)

t.finish()
