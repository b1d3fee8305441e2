--- `:Ibid` subcommands that change what is kept: notes and candidates.
local keys = require('ibid.keys')
local target = require('ibid.commands.target')

---@type table<string, ibid.Subcommand>
local M = {}

---@class ibid.keep.Subcommand
---@field usage? string
---@field says string
---@field prompt string
---@field view? string the view of notes to pick from
---@field ids? ibid.ids.Kind[] what <Tab> offers
---@field complete? fun(root: string, words: string[]): string[] instead of ids
---@field act fun(send: ibid.Send, row: table, call: ibid.Call)

--- A subcommand about one note, which is found as `target.note` says.
---@param entry ibid.keep.Subcommand
---@return ibid.Subcommand
local function on_note(entry)
  return {
    usage = entry.usage or '[ID]',
    says = entry.says,
    complete = target.ids(unpack(entry.ids or { 'notes' })),
    run = function(call)
      target.note(call, entry.prompt, entry.view, function(note)
        entry.act(keys.sender(call.root), note, call)
      end)
    end,
  }
end

local candidates = target.ids('candidates')

--- A subcommand about one candidate.
---@param entry ibid.keep.Subcommand
---@return ibid.Subcommand
local function on_candidate(entry)
  return {
    usage = entry.usage or '[ID]',
    says = entry.says,
    complete = entry.complete or candidates,
    run = function(call)
      target.candidate(call, entry.prompt, function(candidate)
        entry.act(keys.sender(call.root), candidate, call)
      end)
    end,
  }
end

M.add = {
  usage = '[TEXT]',
  says = 'remember a text; of a selection, with its file',
  run = function(call)
    require('ibid.add').run(call)
  end,
}

M.correct = on_note({
  usage = '[ID [TEXT]]',
  says = 'replace what a note says',
  prompt = 'Correct',
  act = function(send, note, call)
    require('ibid.notes').reword(send, note, target.after_first(call))
  end,
})

M.confirm = on_note({
  says = 'say that a note is still true, though its code has changed',
  prompt = 'Still true',
  act = function(send, note)
    require('ibid.notes').confirm(send, note)
  end,
})

M.pin = on_note({
  says = 'recall a note first, and keep it',
  prompt = 'Pin',
  act = function(send, note)
    require('ibid.notes').pin(send, note, true)
  end,
})

M.unpin = on_note({
  says = 'take the pin off a note',
  prompt = 'Unpin',
  view = 'pinned',
  act = function(send, note)
    require('ibid.notes').pin(send, note, false)
  end,
})

M.forget = on_note({
  says = 'recall a note no longer; :Ibid restore undoes it',
  prompt = 'Forget',
  act = function(send, note)
    require('ibid.notes').forget(send, note)
  end,
})

M.restore = {
  usage = '[ID]',
  says = 'bring a forgotten note or a rejected candidate back',
  complete = target.ids('forgotten', 'rejected'),
  run = function(call)
    local id, send = call.words[1], keys.sender(call.root)
    if id and require('ibid.ids').find(call.root, 'rejected', id) then
      require('ibid.queue').restore(send, { id = id })
      return
    end
    target.note(call, 'Restore', 'forgotten', function(note)
      require('ibid.notes').restore(send, note)
    end)
  end,
}

M.delete = on_note({
  says = 'erase a note for good, after asking',
  prompt = 'Delete',
  ids = { 'notes', 'forgotten' },
  act = function(send, note)
    require('ibid.notes').delete(send, note)
  end,
})

M.accept = on_candidate({
  says = 'make a candidate a note now',
  prompt = 'Accept',
  act = function(send, candidate)
    require('ibid.queue').accept(send, candidate)
  end,
})

M.edit = on_candidate({
  usage = '[ID [TEXT]]',
  says = 'reword a candidate',
  prompt = 'Edit',
  act = function(send, candidate, call)
    require('ibid.queue').edit(send, candidate, target.after_first(call))
  end,
})

M.reject = on_candidate({
  says = 'keep a candidate from becoming a note',
  prompt = 'Reject',
  act = function(send, candidate, call)
    require('ibid.queue').reject(send, candidate, function()
      require('ibid.ids').changed(call.root)
    end)
  end,
})

M.snooze = on_candidate({
  usage = '[ID [day|session]]',
  says = 'ask about a candidate later',
  prompt = 'Snooze',
  complete = function(root, before)
    return #before == 1 and { 'day', 'session' } or candidates(root, before)
  end,
  act = function(send, candidate, call)
    require('ibid.queue').snooze(send, candidate, call.words[2])
  end,
})

return M
