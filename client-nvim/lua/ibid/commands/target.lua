--- What a subcommand is about: an id that was typed, the row or page at hand, or what is picked.
local M = {}

--- Opens a list or a document as the command's modifiers say.
---@param call ibid.Call
---@param path string
---@param params? table<string, string>
function M.open(call, path, params)
  local where = { root = call.root, params = params, mods = call.mods }
  require('ibid.content').open(path, where)
end

--- Completes the first argument with the ids of a kind.
---@param ... ibid.ids.Kind
---@return fun(root: string, words: string[]): string[]
function M.ids(...)
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
function M.note(call, prompt, view, on_note)
  local id = call.words[1] or require('ibid.content').id_here('note')
  local row = not call.words[1] and require('ibid.view').row_here('notes')
  if row then
    on_note(row)
  elseif id then
    local find = require('ibid.ids').find
    on_note(find(call.root, 'notes', id) or find(call.root, 'forgotten', id) or { id = id })
  else
    local where = { root = call.root, prompt = prompt, view = view }
    require('ibid.pick').row('note', where, on_note)
  end
end

--- The candidate a call is about.
---@param call ibid.Call
---@param prompt string
---@param on_candidate fun(candidate: { id: string, text?: string, version?: integer })
function M.candidate(call, prompt, on_candidate)
  local id = call.words[1] or require('ibid.content').id_here('candidate')
  local row = not call.words[1] and require('ibid.view').row_here('queue')
  if row then
    on_candidate(row)
  elseif id then
    on_candidate(require('ibid.ids').find(call.root, 'candidates', id) or { id = id })
  else
    local where = { root = call.root, prompt = prompt }
    require('ibid.pick').row('candidate', where, on_candidate)
  end
end

--- The paths of a call, absolute. A blank in one is typed with a backslash before it, as <Tab>
--- does; `%` is the file of this buffer. nil, said to the person, where there is none.
---@param call ibid.Call
---@return string[]?
function M.paths(call)
  local paths = {}
  for _, word in ipairs(vim.split(call.args:gsub('\\ ', '\0'), '%s+', { trimempty = true })) do
    local path = word:gsub('%z', ' ')
    if word == '%' then
      path = M.file_here()
    end
    if not path then
      vim.notify('Ibid: this buffer is no file.', vim.log.levels.WARN)
      return nil
    end
    table.insert(paths, vim.fs.normalize(vim.fn.fnamemodify(path, ':p')))
  end
  return paths
end

--- The file of this buffer, or the one whose history is in it.
---@return string?
function M.file_here()
  local view = require('ibid.view').of()
  return require('ibid.project').path(0) or (view and view.params.path)
end

---@param call ibid.Call
---@return string? rest what follows the first word
function M.after_first(call)
  return call.args:match('^%S+%s+(.+)$')
end

return M
