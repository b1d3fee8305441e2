--- `:Ibid` subcommands that show something.
local target = require('ibid.commands.target')

---@type table<string, ibid.Subcommand>
local M = {}

--- Runs with the words that were typed, else with those that the person gives now.
---@param prompt string
---@param run fun(call: ibid.Call, words: string)
---@return fun(call: ibid.Call)
local function with_words(prompt, run)
  return function(call)
    if call.args ~= '' then
      run(call, call.args)
      return
    end
    require('ibid.pick').text(prompt, nil, function(words)
      run(call, words)
    end)
  end
end

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
  run = with_words('Search the memory', function(call, query)
    require('ibid.search').run(call.root, query, { quickfix = call.bang })
  end),
}

M.recall = {
  usage = '[TEXT]',
  says = 'show what an agent would be given for a prompt',
  run = with_words('A prompt', function(call, prompt)
    target.open(call, require('ibid.content').path('recall', prompt))
  end),
}

M.archive = {
  usage = '[TEXT]',
  says = 'search what agents observed, word for word',
  run = with_words('Search the archive', function(call, query)
    target.open(call, 'archive', { query = query })
  end),
}

M.reads = {
  usage = '[FILE]',
  says = 'list the files that agents saw, or who read one; % is this one',
  files = true,
  run = function(call)
    local paths = target.paths(call)
    if paths and paths[1] then
      target.open(call, 'history', { path = paths[1] })
    elseif paths then
      target.open(call, 'reads')
    end
  end,
}

M.report = {
  usage = '[DAYS]',
  says = 'show what memory cost and saved',
  run = function(call)
    target.open(call, 'report', { days = call.words[1] })
  end,
}

M.replay = {
  usage = '[PATH …]',
  says = 'say what memory would have cost and saved; with ! cancel that',
  files = true,
  run = function(call)
    local paths = target.paths(call)
    if call.bang then
      require('ibid.replay').cancel(call.root)
    elseif paths then
      local joined = #paths > 0 and table.concat(paths, '\n') or nil
      target.open(call, 'replay', { paths = joined })
    end
  end,
}

M.doctor = {
  usage = '',
  says = 'say whether Ibid, its agents and what is beside it are well',
  run = function(call)
    target.open(call, 'doctor')
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
