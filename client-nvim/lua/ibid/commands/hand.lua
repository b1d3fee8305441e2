--- `:Ibid` subcommands about what is handed on: handoffs, claims, and notes for a team or agent.
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

M.share = {
  usage = '[on|off]',
  says = 'let Git see the note files, or hide them',
  complete = function(_, before)
    return #before == 0 and { 'on', 'off' } or {}
  end,
  run = function(call)
    local function share(word)
      local options = { root = call.root }
      require('ibid.request').act('ibid/note/share', { on = word == 'on' }, options, function(made)
        local folders = text.line(table.concat(made.folders, ', '))
        vim.notify(('Ibid: Git %s %s.'):format(made.shared and 'sees' or 'overlooks', folders))
      end)
    end
    local word = call.words[1]
    if word == 'on' or word == 'off' then
      share(word)
    elseif word then
      vim.notify('Ibid: use :Ibid share on|off.', vim.log.levels.ERROR)
    else
      require('ibid.pick').among(
        { 'on', 'off' },
        'Share the note files through Git',
        tostring,
        share
      )
    end
  end,
}

M.instructions = {
  usage = '[ID [FILE]]',
  says = 'put a note into a file that agents load; shown before it is changed',
  complete = function(root, before)
    if #before == 1 then
      return require('ibid.instructions').FILES
    end
    return target.ids('notes')(root, before)
  end,
  run = function(call)
    target.note(call, 'Put into a file', nil, function(note)
      require('ibid.instructions').propose(call.root, { note.id }, target.after_first(call))
    end)
  end,
}

return M
