--- `:Ibid`: one command with subcommands, each with its completion.
---
--- Where a subcommand takes an id and none is given, the row under the cursor counts, then the page
--- in the buffer, and then the person picks.
local text = require('ibid.text')

local M = {}

---@class ibid.Call
---@field root string the project
---@field args string everything after the subcommand, as typed
---@field words string[] the same, split at blanks
---@field bang boolean
---@field mods string such as `vertical`
---@field range? { [1]: integer, [2]: integer } lines, if a range was given

---@class ibid.Subcommand
---@field usage string its arguments
---@field says string what it does
---@field run fun(call: ibid.Call)
---@field complete? fun(root: string, words: string[]): string[] words before the one typed now

---@type table<string, ibid.Subcommand>
local subcommands = {}
M.subcommands = subcommands

--- Opens a list or a document as the command's modifiers say.
---@param call ibid.Call
---@param path string
---@param params? table<string, string>
local function open(call, path, params)
  local where = { root = call.root, params = params, mods = call.mods }
  require('ibid.content').open(path, where)
end

--- Completes the first argument with the ids of a kind.
---@param ... ibid.ids.Kind
---@return fun(root: string, words: string[]): string[]
local function ids(...)
  local kinds = { ... }
  return function(root, words)
    local found = {}
    for _, kind in ipairs(#words == 0 and kinds or {}) do
      vim.list_extend(found, require('ibid.ids').list(root, kind))
    end
    return found
  end
end

--- The note a call is about, as far as it is known here; `id` is certain.
---@param call ibid.Call
---@param prompt string
---@param view? string the view to pick from
---@param on_note fun(note: { id: string, text?: string, version?: integer })
local function with_note(call, prompt, view, on_note)
  local id = call.words[1] or require('ibid.content').id_here('note')
  local row = not call.words[1] and require('ibid.view').row_here('notes')
  if row then
    on_note(row)
  elseif id then
    local find = require('ibid.ids').find
    on_note(find(call.root, 'notes', id) or find(call.root, 'forgotten', id) or { id = id })
  else
    require('ibid.pick').note({ root = call.root, prompt = prompt, view = view }, on_note)
  end
end

--- The candidate a call is about.
---@param call ibid.Call
---@param prompt string
---@param on_candidate fun(candidate: { id: string, text?: string, version?: integer })
local function with_candidate(call, prompt, on_candidate)
  local id = call.words[1] or require('ibid.content').id_here('candidate')
  local row = not call.words[1] and require('ibid.view').row_here('queue')
  if row then
    on_candidate(row)
  elseif id then
    on_candidate(require('ibid.ids').find(call.root, 'candidates', id) or { id = id })
  else
    require('ibid.pick').candidate({ root = call.root, prompt = prompt }, on_candidate)
  end
end

---@param call ibid.Call
---@return string? rest what follows the first word
local function after_first(call)
  return call.args:match('^%S+%s+(.+)$')
end

---@param call ibid.Call
---@return ibid.notes.Send
local function sender(call)
  return require('ibid.notes').sender(call.root)
end

subcommands.queue = {
  usage = '[STATE]',
  says = 'review what is about to become a note',
  complete = function(_, before)
    return #before == 0 and require('ibid.queue').STATES or {}
  end,
  run = function(call)
    open(call, 'queue', { state = call.words[1] })
  end,
}

subcommands.notes = {
  usage = '[VIEW]',
  says = 'list the notes',
  complete = function(_, before)
    return #before == 0 and require('ibid.notes').VIEWS or {}
  end,
  run = function(call)
    open(call, 'notes', { view = call.words[1] })
  end,
}

subcommands.receipts = {
  usage = '[SESSION]',
  says = 'list what was handed to agents',
  complete = ids('sessions'),
  run = function(call)
    open(call, 'receipts', { session = call.words[1] })
  end,
}

subcommands.sessions = {
  usage = '',
  says = "list the agents' sessions",
  run = function(call)
    open(call, 'sessions')
  end,
}

subcommands.receipt = {
  usage = '[ID]',
  says = 'show one receipt',
  complete = ids('receipts'),
  run = function(call)
    local path = require('ibid.content').path
    if call.words[1] then
      open(call, path('receipt', call.words[1]))
      return
    end
    require('ibid.pick').receipt({ root = call.root }, function(receipt)
      open(call, path('receipt', receipt.id))
    end)
  end,
}

subcommands.note = {
  usage = '[ID]',
  says = 'show one note',
  complete = ids('notes', 'forgotten'),
  run = function(call)
    with_note(call, 'Note', nil, function(note)
      open(call, require('ibid.content').path('note', note.id))
    end)
  end,
}

subcommands.evidence = {
  usage = '[ID]',
  says = 'show where a note was said',
  complete = ids('notes', 'forgotten'),
  run = function(call)
    with_note(call, 'Evidence for', nil, function(note)
      open(call, require('ibid.content').path('evidence', note.id))
    end)
  end,
}

subcommands.usage = {
  usage = '[ID]',
  says = 'list the receipts that used a note',
  complete = ids('notes', 'forgotten'),
  run = function(call)
    with_note(call, 'Usage of', nil, function(note)
      open(call, 'receipts', { note = note.id })
    end)
  end,
}

subcommands.add = {
  usage = '[TEXT]',
  says = 'remember a text; of a selection, with its file',
  run = function(call)
    require('ibid.add').run(call)
  end,
}

subcommands.correct = {
  usage = '[ID [TEXT]]',
  says = 'replace what a note says',
  complete = ids('notes'),
  run = function(call)
    with_note(call, 'Correct', nil, function(note)
      local notes = require('ibid.notes')
      local wording = after_first(call)
      if wording then
        notes.correct(sender(call), note, wording)
        return
      end
      require('ibid.edit').open('correct ' .. note.id, note.text or '', function(new)
        notes.correct(sender(call), note, new)
      end)
    end)
  end,
}

subcommands.pin = {
  usage = '[ID]',
  says = 'recall a note first, and keep it',
  complete = ids('notes'),
  run = function(call)
    with_note(call, 'Pin', nil, function(note)
      require('ibid.notes').pin(sender(call), note, true)
    end)
  end,
}

subcommands.unpin = {
  usage = '[ID]',
  says = 'take the pin off a note',
  complete = ids('notes'),
  run = function(call)
    with_note(call, 'Unpin', 'pinned', function(note)
      require('ibid.notes').pin(sender(call), note, false)
    end)
  end,
}

subcommands.forget = {
  usage = '[ID]',
  says = 'recall a note no longer; :Ibid restore undoes it',
  complete = ids('notes'),
  run = function(call)
    with_note(call, 'Forget', nil, function(note)
      require('ibid.notes').forget(sender(call), note)
    end)
  end,
}

subcommands.restore = {
  usage = '[ID]',
  says = 'bring a forgotten note or a rejected candidate back',
  complete = ids('forgotten', 'rejected'),
  run = function(call)
    local id = call.words[1]
    if id and require('ibid.ids').find(call.root, 'rejected', id) then
      local options = { root = call.root }
      require('ibid.request').act('ibid/candidate/restore', { id = id }, options, function()
        vim.notify('Ibid: back in the queue.')
      end)
      return
    end
    with_note(call, 'Restore', 'forgotten', function(note)
      require('ibid.notes').restore(sender(call), note)
    end)
  end,
}

subcommands.delete = {
  usage = '[ID]',
  says = 'erase a note for good, after asking',
  complete = ids('notes', 'forgotten'),
  run = function(call)
    with_note(call, 'Delete', nil, function(note)
      require('ibid.notes').delete(sender(call), note)
    end)
  end,
}

subcommands.accept = {
  usage = '[ID]',
  says = 'make a candidate a note now',
  complete = ids('candidates'),
  run = function(call)
    with_candidate(call, 'Accept', function(candidate)
      local params, options = { id = candidate.id }, { root = call.root }
      require('ibid.request').act('ibid/candidate/accept', params, options, function(note)
        vim.notify(('Ibid: now a note, %s.'):format(text.line(note.id)))
      end)
    end)
  end,
}

subcommands.edit = {
  usage = '[ID [TEXT]]',
  says = 'reword a candidate',
  complete = ids('candidates'),
  run = function(call)
    with_candidate(call, 'Edit', function(candidate)
      local function save(wording)
        local params = { id = candidate.id, text = wording, version = candidate.version }
        local options = { root = call.root }
        require('ibid.request').act('ibid/candidate/edit', params, options, function()
          vim.notify('Ibid: reworded.')
        end)
      end
      local wording = after_first(call)
      if wording then
        save(wording)
      else
        require('ibid.edit').open('candidate ' .. candidate.id, candidate.text or '', save)
      end
    end)
  end,
}

subcommands.reject = {
  usage = '[ID]',
  says = 'keep a candidate from becoming a note',
  complete = ids('candidates'),
  run = function(call)
    with_candidate(call, 'Reject', function(candidate)
      local params, options = { id = candidate.id }, { root = call.root }
      require('ibid.request').act('ibid/candidate/reject', params, options, function(rejected)
        require('ibid.ids').changed(call.root)
        vim.notify(('Ibid: rejected. Undo with :Ibid restore %s'):format(text.line(rejected.id)))
      end)
    end)
  end,
}

subcommands.snooze = {
  usage = '[ID [day|session]]',
  says = 'ask about a candidate later',
  complete = function(root, before)
    if #before == 1 then
      return { 'day', 'session' }
    end
    return ids('candidates')(root, before)
  end,
  run = function(call)
    with_candidate(call, 'Snooze', function(candidate)
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

subcommands.search = {
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

subcommands.recall = {
  usage = '[TEXT]',
  says = 'show what an agent would be given for a prompt',
  run = function(call)
    local function recall(prompt)
      open(call, 'recall', { prompt = prompt })
    end
    if call.args ~= '' then
      recall(call.args)
    else
      require('ibid.pick').text('A prompt', nil, recall)
    end
  end,
}

subcommands.preset = {
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

subcommands.policy = {
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
      open(call, 'policy')
      return
    end
    local value, fits = policy.value(name or '', word or '')
    if not vim.list_contains(policy.SCOPES, scope) or not fits then
      vim.notify('Ibid: use :Ibid policy global|project NAME VALUE.', vim.log.levels.ERROR)
      return
    end
    policy.set(call.root, { scope = scope, name = name, value = value })
  end,
}

subcommands.import = {
  usage = '[PATH …]',
  says = 'read the sessions that are on disk; with ! cancel that',
  run = function(call)
    if call.bang then
      require('ibid.import').cancel(call.root)
    else
      require('ibid.import').run(call.root, call.words)
    end
  end,
}

subcommands.status = {
  usage = '',
  says = 'say what Ibid does here',
  run = function(call)
    require('ibid.status').show(call.root)
  end,
}

subcommands.restart = {
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

subcommands.log = {
  usage = '',
  says = "open Neovim's log of language servers",
  run = function(call)
    vim.cmd(call.mods .. ' split')
    vim.cmd.edit(vim.fn.fnameescape(vim.lsp.log.get_filename()))
    vim.cmd.normal({ 'G', bang = true })
  end,
}

--- Every subcommand's name, in order.
---@return string[]
function M.names()
  local names = vim.tbl_keys(subcommands)
  table.sort(names)
  return names
end

--- Runs `:Ibid …`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.run(opts)
  local name, args = opts.args:match('^(%S*)%s*(.-)%s*$')
  if name == '' then
    M.menu(opts)
    return
  end
  local subcommand = subcommands[name]
  if not subcommand then
    local message = 'Ibid: there is no :Ibid %s. Type :Ibid and <Tab> to see what there is.'
    vim.notify(message:format(text.line(name)), vim.log.levels.ERROR)
    return
  end
  subcommand.run({
    root = require('ibid.project').current(),
    args = args,
    words = vim.split(args, '%s+', { trimempty = true }),
    bang = opts.bang,
    mods = opts.mods,
    range = opts.range > 0 and { opts.line1, opts.line2 } or nil,
  })
end

--- `:Ibid` alone: pick a subcommand.
---@param opts vim.api.keyset.create_user_command.command_args
function M.menu(opts)
  require('ibid.pick').among(M.names(), 'Ibid', function(name)
    return ('%-9s %s'):format(name, subcommands[name].says)
  end, function(name)
    M.run(vim.tbl_extend('force', opts, { args = name }))
  end)
end

--- Completes `:Ibid …`.
---@param lead string the word before the cursor
---@param line string
---@param position integer of the cursor
---@return string[]
function M.complete(lead, line, position)
  local typed = line:sub(1, position):match('Ibid!?%s+(.*)$') or ''
  local before = vim.split(typed:sub(1, #typed - #lead), '%s+', { trimempty = true })
  local name = table.remove(before, 1)
  local words
  if not name then
    words = M.names()
  elseif name == 'import' then
    return vim.fn.getcompletion(lead, 'file')
  elseif subcommands[name] and subcommands[name].complete then
    words = subcommands[name].complete(require('ibid.project').current(), before)
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words or {})
end

return M
