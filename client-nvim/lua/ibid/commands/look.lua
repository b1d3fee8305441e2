--- `:Ibid` subcommands that show something.
local target = require('ibid.commands.target')

---@type table<string, ibid.Subcommand>
local M = {}

M.queue = {
  usage = '[STATE]',
  says = 'review what is about to become a note',
  complete = function(_, before)
    return #before == 0 and require('ibid.queue').STATES or {}
  end,
  run = function(call)
    target.open(call, 'queue', { state = call.words[1] })
  end,
}

M.notes = {
  usage = '[VIEW]',
  says = 'list the notes',
  complete = function(_, before)
    return #before == 0 and require('ibid.notes').VIEWS or {}
  end,
  run = function(call)
    target.open(call, 'notes', { view = call.words[1] })
  end,
}

M.receipts = {
  usage = '[SESSION]',
  says = 'list what was handed to agents',
  complete = target.ids('sessions'),
  run = function(call)
    target.open(call, 'receipts', { session = call.words[1] })
  end,
}

M.sessions = {
  usage = '',
  says = "list the agents' sessions",
  run = function(call)
    target.open(call, 'sessions')
  end,
}

M.receipt = {
  usage = '[ID]',
  says = 'show one receipt',
  complete = target.ids('receipts'),
  run = function(call)
    local path = require('ibid.content').path
    if call.words[1] then
      target.open(call, path('receipt', call.words[1]))
      return
    end
    require('ibid.pick').row('receipt', { root = call.root }, function(receipt)
      target.open(call, path('receipt', receipt.id))
    end)
  end,
}

M.note = {
  usage = '[ID]',
  says = 'show one note',
  complete = target.ids('notes', 'forgotten'),
  run = function(call)
    target.note(call, 'Note', nil, function(note)
      target.open(call, require('ibid.content').path('note', note.id))
    end)
  end,
}

M.evidence = {
  usage = '[ID]',
  says = 'show where a note was said',
  complete = target.ids('notes', 'forgotten'),
  run = function(call)
    target.note(call, 'Evidence for', nil, function(note)
      target.open(call, require('ibid.content').path('evidence', note.id))
    end)
  end,
}

M.usage = {
  usage = '[ID]',
  says = 'list the receipts that used a note',
  complete = target.ids('notes', 'forgotten'),
  run = function(call)
    target.note(call, 'Usage of', nil, function(note)
      target.open(call, 'receipts', { note = note.id })
    end)
  end,
}

M.search = {
  usage = '[TEXT]',
  says = 'search the memory; with ! into the quickfix list',
  run = function(call)
    local function search(query)
      require('ibid.search').run(call.root, query, { quickfix = call.bang })
    end
    if call.args ~= '' then
      search(call.args)
    else
      require('ibid.pick').text('Search the memory', nil, search)
    end
  end,
}

M.recall = {
  usage = '[TEXT]',
  says = 'show what an agent would be given for a prompt',
  run = function(call)
    local function recall(prompt)
      target.open(call, 'recall', { prompt = prompt })
    end
    if call.args ~= '' then
      recall(call.args)
    else
      require('ibid.pick').text('A prompt', nil, recall)
    end
  end,
}

M.status = {
  usage = '',
  says = 'say what Ibid does here',
  run = function(call)
    require('ibid.status').show(call.root)
  end,
}

return M
