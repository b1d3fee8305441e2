--- The help names everything there is, and nothing that is not.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
t.load({ enable = false })

local folder = vim.fs.normalize(t.here .. '/../../../client-nvim')
local help = table.concat(vim.fn.readfile(folder .. '/doc/ibid.txt'), '\n')

--- The part of the help from one heading to the next rule.
---@param tag string
---@return string
local function section(tag)
  return assert(help:match('%*' .. vim.pesc(tag) .. '%*(.-)\n====')) --[[@as string]]
end

local views = {
  ['Review queue'] = 'queue',
  Notes = 'notes',
  Receipts = 'receipts',
  Sessions = 'sessions',
  Archive = 'archive',
  ['Files that agents saw'] = 'reads',
  ['Reads of a file'] = 'history',
  Net = 'report',
  Replay = 'replay',
  Doctor = 'doctor',
  Claims = 'claims',
  Switches = 'policy',
}

t.test('the help builds without a doubled or broken tag', function()
  local copy = vim.fn.tempname()
  t.write(copy .. '/doc/ibid.txt', help)
  vim.cmd.helptags(copy .. '/doc')
  t.ok(#vim.fn.readfile(copy .. '/doc/tags') > 40, 'tags are there')
end)

t.test('every subcommand is documented, and no other', function()
  local documented = {}
  for name in help:gmatch('%*:Ibid%-(%w+)%*') do
    table.insert(documented, name)
  end
  table.sort(documented)
  t.eq(documented, require('ibid.commands').names())
end)

t.test('the subcommands’ arguments are those of the help', function()
  for name, subcommand in pairs(require('ibid.commands').subcommands) do
    local line =
      assert(help:match(('\n(:Ibid %s[^\n]-)%%s*%%*:Ibid%%-%s%%*'):format(name, name)), name)
    local arguments = subcommand.usage:gsub('%f[%u]%u+', function(word)
      return '{' .. word:lower() .. '}'
    end)
    if name ~= 'policy' then
      t.eq(line, vim.trim((':Ibid %s %s'):format(name, arguments)))
    end
  end
end)

t.test('every mapping of every list is documented', function()
  local lists, plugs = section('ibid-lists'), section('ibid-mappings')
  for heading, module in pairs(views) do
    local part = assert((lists .. '\n\n'):match(vim.pesc(heading) .. ' ~\n(.-)\n\n'), heading)
    for _, key in ipairs(require('ibid.' .. module).spec.keys) do
      t.ok(part:find('\n?%s+' .. vim.pesc(key.key) .. '%s'), heading .. ': ' .. key.key)
      t.has(plugs, ('<Plug>(ibid-%s)'):format(key.action))
    end
  end
end)

t.test('every list is documented, and shows some of its mappings by itself', function()
  local lists = section('ibid-lists')
  local modules = vim.tbl_values(views)
  for _, name in ipairs(require('ibid.view').names()) do
    t.has(lists, ('`ibid://%s`'):format(name))
    t.ok(vim.list_contains(modules, name), name .. ' has a part of its own')
    t.ok(
      vim.iter(require('ibid.' .. name).spec.keys):any(function(key)
        return key.bar
      end),
      name .. ' shows a mapping'
    )
  end
end)

t.test('every global <Plug> map is documented', function()
  for _, map in ipairs(vim.api.nvim_get_keymap('n')) do
    if map.lhs:find('^<Plug>%(ibid') then
      t.has(section('ibid-mappings'), map.lhs)
    end
  end
end)

t.test('every highlight group is documented', function()
  for name in pairs(vim.api.nvim_get_hl(0, {})) do
    if name:find('^Ibid') then
      t.has(section('ibid-mappings'), ('`%s`'):format(name))
    end
  end
end)

t.test('the README’s options are the defaults', function()
  local readme = table.concat(vim.fn.readfile(folder .. '/README.md'), '\n')
  local code = assert(readme:match('\nvim%.g%.ibid = ({.-\n})'))
  local shown = assert(loadstring('return ' .. code))()
  shown.cmd = nil
  t.eq(shown, require('ibid.config').defaults)
end)

local protocol = table.concat(vim.fn.readfile(folder .. '/../docs/protocol.md'), '\n')
local types = table.concat(vim.fn.readfile(folder .. '/lua/ibid/types.lua'), '\n')

--- The fields of an object as the protocol writes it, without those of objects in it.
---@param object string `{…}`
---@return string[]
local function protocol_fields(object)
  local flat = object:sub(2, -2):gsub('%b{}', ''):gsub('%b[]', '')
  local names = {}
  for _, field in ipairs(vim.split(flat, ',')) do
    table.insert(names, field:match('^%s*"(%w+)"'))
  end
  table.sort(names)
  return names
end

--- The fields of a class of types.lua; nil when there is no such class.
---@param name string
---@return string[]?
local function class_fields(name)
  local body = (types .. '\n\n'):match('\n%-%-%-@class ibid%.' .. name .. '\n(.-)\n\n')
  local names = {}
  for field in (body or ''):gmatch('%-%-%-@field (%w+)') do
    table.insert(names, field)
  end
  table.sort(names)
  return body and names
end

t.test('the types are those of the protocol’s objects', function()
  local objects = assert(protocol:match('\n## Objects\n(.-)\n## '))
  local compared = 0
  for name, object in objects:gmatch('%*%*(%w+)%*%*: `(%b{})') do
    t.eq({ [name] = class_fields(name) }, { [name] = protocol_fields(object) })
    compared = compared + 1
  end
  t.ok(compared >= 6, 'objects were found: ' .. compared)
end)

t.test('the types are those of the protocol’s answers', function()
  local answers = {
    Status = { 'ibid/status', '| `({"project".*})`' },
    Recall = { 'ibid/recall', '| `({"block".*})`' },
    Hit = { 'ibid/search', '"hits": %[(%b{})' },
    Session = { 'ibid/session/list', '"sessions": %[(%b{})' },
    Claim = { 'ibid/claim', '"claims": %[(%b{})' },
    FileSummary = { 'ibid/reads', '"files": %[(%b{})' },
    Policy = { '%*%*Policy%*%*', '`({.*})`' },
    FileTouch = { '%*%*FileHistory%*%*', '"reads": %[(%b{})' },
    SymbolChange = { '%*%*FileHistory%*%*', '"symbols": %[(%b{})' },
  }
  for name, place in vim.spairs(answers) do
    local row = protocol:match('\n[|` ]*' .. place[1] .. '[`:][^\n]*')
    local object = assert(row and row:match(place[2]), name)
    t.eq({ [name] = class_fields(name) }, { [name] = protocol_fields(object) })
  end
end)

t.test('plugin and server are of one release', function()
  local init = table.concat(vim.fn.readfile(folder .. '/../server/ibid/__init__.py'), '\n')
  t.eq(init:match('__version__ = ["\'](.-)["\']'), require('ibid').version)
end)

t.finish()
