--- `:Ibid` subcommands that say who may learn and recall, and run the server.
local keys = require('ibid.keys')
local target = require('ibid.commands.target')
local text = require('ibid.text')

---@type table<string, ibid.Subcommand>
local M = {}

M.preset = {
  usage = '[PRESET [SESSION|AGENT]]',
  says = "set what a session, or an agent's next one, reads and writes",
  complete = function(root, before)
    if #before == 0 then
      return require('ibid.sessions').PRESETS
    elseif #before == 1 then
      local agents = { 'claude-code', 'codex', 'gemini-cli', 'opencode', 'copilot' }
      return vim.list_extend(agents, require('ibid.ids').list(root, 'sessions'))
    end
    return {}
  end,
  run = function(call)
    require('ibid.preset').run(call)
  end,
}

M.policy = {
  usage = '[global|project NAME VALUE]',
  says = 'see the switches, or set one',
  complete = function(_, before)
    local policy = require('ibid.policy')
    if #before == 0 then
      return policy.SCOPES
    elseif #before == 1 then
      return vim.tbl_map(function(switch)
        return switch.name
      end, policy.SWITCHES)
    end
    return #before == 2 and policy.words(before[2]) or {}
  end,
  run = function(call)
    local scope, name, word = unpack(call.words)
    local policy = require('ibid.policy')
    if not scope then
      target.open(call, 'policy')
      return
    end
    local value, fits = policy.value(name or '', word or '')
    if not vim.list_contains(policy.SCOPES, scope) or not fits then
      vim.notify('Ibid: use :Ibid policy global|project NAME VALUE.', vim.log.levels.ERROR)
      return
    end
    policy.set(keys.sender(call.root), { scope = scope, name = name, value = value })
  end,
}

M.include = {
  usage = '',
  says = 'pick another project for recall to use, or no more',
  run = function(call)
    require('ibid.include').run(call.root)
  end,
}

M.import = {
  usage = '[PATH …]',
  files = true,
  says = 'read the sessions that are on disk; with ! cancel that',
  run = function(call)
    local paths = target.paths(call)
    if call.bang then
      require('ibid.import').cancel(call.root)
    elseif paths then
      require('ibid.import').run(call.root, paths)
    end
  end,
}

M.restart = {
  usage = '',
  says = 'end the server and start it again',
  run = function(call)
    require('ibid.server').restart(call.root, function(roots)
      for _, root in ipairs(roots) do
        require('ibid.view').changed(root)
        require('ibid.content').changed(root)
      end
      if #roots > 0 then
        vim.notify(('Ibid: restarted for %s.'):format(text.count(#roots, 'project')))
      end
    end)
  end,
}

M.log = {
  usage = '',
  says = "open Neovim's log of language servers",
  run = function(call)
    vim.cmd(call.mods .. ' split')
    vim.cmd.edit(vim.fn.fnameescape(vim.lsp.log.get_filename()))
    vim.cmd.normal({ 'G', bang = true })
  end,
}

return M
