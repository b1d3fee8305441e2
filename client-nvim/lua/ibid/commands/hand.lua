--- `:Ibid` subcommands about what sessions leave to each other: handoffs and claims.
local target = require('ibid.commands.target')
local text = require('ibid.text')

---@type table<string, ibid.Subcommand>
local M = {}

M.handoff = {
  usage = '[SESSION]',
  says = 'show where a session left off; with ! write it',
  complete = target.ids('sessions'),
  run = function(call)
    local session = call.words[1]
    if not call.bang then
      target.open(call, require('ibid.content').path('handoff', session))
      return
    end
    local options = { root = call.root }
    require('ibid.request').act('ibid/handoff/write', { session = session }, options, function(made)
      vim.notify(
        ('Ibid: wrote %s, %s.'):format(text.line(made.path), text.count(made.tokens, 'token'))
      )
    end)
  end,
}

M.claim = {
  usage = '[PATH …]',
  says = 'keep other sessions out of paths; alone, list the claims',
  files = true,
  run = function(call)
    local paths = target.paths(call)
    if paths and #paths > 0 then
      require('ibid.claims').claim(call.root, paths)
    elseif paths then
      target.open(call, 'claims')
    end
  end,
}

M.release = {
  usage = '[PATH …]',
  says = 'give up a claim',
  files = true,
  run = function(call)
    local paths = target.paths(call)
    if paths then
      require('ibid.claims').release_paths(call.root, paths)
    end
  end,
}

return M
