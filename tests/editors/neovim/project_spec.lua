--- Which buffers get a server, and for which folder.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
local fake = dofile(vim.fs.joinpath(t.here, 'fake.lua'))
t.load()
vim.lsp.config('ibid', { cmd = fake.cmd })
local project = require('ibid.project')

---@return string? root what `root_dir` of the resolved configuration calls `on_dir` with
local function root_of(bufnr)
  local found
  vim.lsp.config.ibid.root_dir(bufnr, function(root)
    found = root
  end)
  return found
end

t.test('a file in a Git checkout belongs to the checkout', function()
  local root = t.project()
  t.write(root .. '/src/deep/a.py', 'x = 1\n')
  vim.cmd.edit(root .. '/src/deep/a.py')
  t.eq(root_of(0), root)
end)

t.test('a folder with .ibid is a project without Git', function()
  local root = t.project()
  vim.fn.delete(root .. '/.git', 'd')
  vim.fn.mkdir(root .. '/.ibid')
  t.write(root .. '/notes/a.txt', 'a\n')
  vim.cmd.edit(root .. '/notes/a.txt')
  t.eq(root_of(0), root)
end)

t.test('Git wins over an .ibid folder further down', function()
  local root = t.project()
  vim.fn.mkdir(root .. '/part/.ibid', 'p')
  vim.cmd.edit(root .. '/part/a.txt')
  t.eq(root_of(0), root)
end)

t.test('a worktree, whose .git is a file, is a project', function()
  local root = t.project()
  vim.fn.delete(root .. '/.git', 'd')
  t.write(root .. '/.git', 'gitdir: /elsewhere\n')
  vim.cmd.edit(root .. '/a.txt')
  t.eq(root_of(0), root)
end)

t.test('a file outside any project gets no server', function()
  local folder = t.project()
  vim.fn.delete(folder .. '/.git', 'd')
  vim.cmd.edit(folder .. '/a.txt')
  t.eq(root_of(0), nil)
end)

t.test('unnamed, special and scheme buffers get no server', function()
  local root = t.project()
  vim.fn.chdir(root)
  t.eq(root_of(0), nil)
  vim.cmd.file('oil://' .. root .. '/a')
  t.eq(root_of(0), nil)
  vim.cmd.enew()
  vim.cmd.file(root .. '/scratch')
  vim.bo.buftype = 'nofile'
  t.eq(root_of(0), nil)
  vim.cmd.help('quickref')
  t.eq(root_of(0), nil)
end)

t.test('root_markers are the user’s to choose', function()
  local root = t.project()
  t.write(root .. '/part/pyproject.toml', '')
  vim.cmd.edit(root .. '/part/a.py')
  vim.g.ibid = { root_markers = { 'pyproject.toml', '.git' } }
  t.eq(root_of(0), root .. '/part')
  vim.g.ibid = nil
end)

t.test('opening a file starts one server for its project and attaches', function()
  local root = t.project()
  vim.cmd.edit(root .. '/a.py')
  t.wait('an attached client', function()
    local client = vim.lsp.get_clients({ name = 'ibid', bufnr = 0 })[1]
    return client and client.root_dir == root
  end)
  vim.cmd.edit(root .. '/b.txt')
  t.wait('the same client', function()
    return #vim.lsp.get_clients({ name = 'ibid', bufnr = 0 }) == 1
  end)
  local here = vim.tbl_filter(function(client)
    return client.root_dir == root
  end, vim.lsp.get_clients({ name = 'ibid' }))
  t.eq(#here, 1)
end)

t.test('a link to a project leads to the project', function()
  local root = t.project()
  vim.uv.fs_symlink(root, root .. '-link')
  vim.cmd.edit(root .. '-link/a.txt')
  t.eq(root_of(0), root)
end)

t.test(':Ibid outside a project means the working directory', function()
  local folder = t.project()
  for _, client in ipairs(vim.lsp.get_clients({ name = 'ibid' })) do
    client:stop(true)
  end
  vim.fn.chdir(folder)
  vim.fn.delete(folder .. '/.git', 'd')
  t.eq(project.current(), folder)
end)

t.finish()
