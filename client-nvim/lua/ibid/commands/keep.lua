--- `:Ibid` subcommands that change what is kept: notes and candidates.
local target = require('ibid.commands.target')
local text = require('ibid.text')

---@type table<string, ibid.Subcommand>
local M = {}

M.add = {
  usage = '[TEXT]',
  says = 'remember a text; of a selection, with its file',
  run = function(call)
    require('ibid.add').run(call)
  end,
}

M.correct = {
  usage = '[ID [TEXT]]',
  says = 'replace what a note says',
  complete = target.ids('notes'),
  run = function(call)
    target.note(call, 'Correct', nil, function(note)
      local notes = require('ibid.notes')
      local wording = target.after_first(call)
      if wording then
        notes.correct(notes.sender(call.root), note, wording)
        return
      end
      require('ibid.edit').open('correct ' .. note.id, note.text or '', function(new)
        notes.correct(notes.sender(call.root), note, new)
      end)
    end)
  end,
}

M.pin = {
  usage = '[ID]',
  says = 'recall a note first, and keep it',
  complete = target.ids('notes'),
  run = function(call)
    target.note(call, 'Pin', nil, function(note)
      require('ibid.notes').pin(require('ibid.notes').sender(call.root), note, true)
    end)
  end,
}

M.unpin = {
  usage = '[ID]',
  says = 'take the pin off a note',
  complete = target.ids('notes'),
  run = function(call)
    target.note(call, 'Unpin', 'pinned', function(note)
      require('ibid.notes').pin(require('ibid.notes').sender(call.root), note, false)
    end)
  end,
}

M.forget = {
  usage = '[ID]',
  says = 'recall a note no longer; :Ibid restore undoes it',
  complete = target.ids('notes'),
  run = function(call)
    target.note(call, 'Forget', nil, function(note)
      require('ibid.notes').forget(require('ibid.notes').sender(call.root), note)
    end)
  end,
}

M.restore = {
  usage = '[ID]',
  says = 'bring a forgotten note or a rejected candidate back',
  complete = target.ids('forgotten', 'rejected'),
  run = function(call)
    local id = call.words[1]
    if id and require('ibid.ids').find(call.root, 'rejected', id) then
      local options = { root = call.root }
      require('ibid.request').act('ibid/candidate/restore', { id = id }, options, function()
        vim.notify('Ibid: back in the queue.')
      end)
      return
    end
    target.note(call, 'Restore', 'forgotten', function(note)
      require('ibid.notes').restore(require('ibid.notes').sender(call.root), note)
    end)
  end,
}

M.delete = {
  usage = '[ID]',
  says = 'erase a note for good, after asking',
  complete = target.ids('notes', 'forgotten'),
  run = function(call)
    target.note(call, 'Delete', nil, function(note)
      require('ibid.notes').delete(require('ibid.notes').sender(call.root), note)
    end)
  end,
}

M.accept = {
  usage = '[ID]',
  says = 'make a candidate a note now',
  complete = target.ids('candidates'),
  run = function(call)
    target.candidate(call, 'Accept', function(candidate)
      local params, options = { id = candidate.id }, { root = call.root }
      require('ibid.request').act('ibid/candidate/accept', params, options, function(note)
        vim.notify(('Ibid: now a note, %s.'):format(text.line(note.id)))
      end)
    end)
  end,
}

M.edit = {
  usage = '[ID [TEXT]]',
  says = 'reword a candidate',
  complete = target.ids('candidates'),
  run = function(call)
    target.candidate(call, 'Edit', function(candidate)
      local function save(wording)
        local params = { id = candidate.id, text = wording, version = candidate.version }
        local options = { root = call.root }
        require('ibid.request').act('ibid/candidate/edit', params, options, function()
          vim.notify('Ibid: reworded.')
        end)
      end
      local wording = target.after_first(call)
      if wording then
        save(wording)
      else
        require('ibid.edit').open('candidate ' .. candidate.id, candidate.text or '', save)
      end
    end)
  end,
}

M.reject = {
  usage = '[ID]',
  says = 'keep a candidate from becoming a note',
  complete = target.ids('candidates'),
  run = function(call)
    target.candidate(call, 'Reject', function(candidate)
      local params, options = { id = candidate.id }, { root = call.root }
      require('ibid.request').act('ibid/candidate/reject', params, options, function(rejected)
        require('ibid.ids').changed(call.root)
        vim.notify(('Ibid: rejected. Undo with :Ibid restore %s'):format(text.line(rejected.id)))
      end)
    end)
  end,
}

M.snooze = {
  usage = '[ID [day|session]]',
  says = 'ask about a candidate later',
  complete = function(root, before)
    if #before == 1 then
      return { 'day', 'session' }
    end
    return target.ids('candidates')(root, before)
  end,
  run = function(call)
    target.candidate(call, 'Snooze', function(candidate)
      local function snooze(until_when)
        local params = { id = candidate.id, ['until'] = until_when }
        local options = { root = call.root }
        require('ibid.request').act('ibid/candidate/snooze', params, options, function()
          vim.notify('Ibid: snoozed.')
        end)
      end
      if call.words[2] then
        snooze(call.words[2])
      else
        require('ibid.queue').ask_until(snooze)
      end
    end)
  end,
}

return M
