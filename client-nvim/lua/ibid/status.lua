--- What the status line shows: kept here, asked for in the background, never waited for.
local text = require('ibid.text')

local M = {}

---@class ibid.status.State
---@field answer? ibid.Status
---@field asking? boolean
---@field again? boolean changed while we asked
---@field progress table<string|integer, string>

---@type table<string, ibid.status.State>
local states = {}

local SAYS = {
  on = '',
  learning = 'learn only',
  recalling = 'recall only',
  off = 'off',
  readOnly = 'read only',
  refused = 'refused',
}

--- The words for the status line; empty where there is no project. Costs a table look-up.
---@param bufnr? integer else the current buffer
---@return string
function M.line(bufnr)
  bufnr = bufnr or vim.api.nvim_get_current_buf()
  local root = vim.b[bufnr].ibid_root or vim.b[bufnr].ibid_attached
  if not root then
    return ''
  end
  if require('ibid.server').stopped[root] then
    return 'ibid: stopped'
  end
  local state = states[root]
  return state and M.words(state) or ''
end

---@param state ibid.status.State
---@return string
function M.words(state)
  local answer = state.answer
  local parts = { 'ibid' }
  if not answer then
    return 'ibid …'
  end
  if SAYS[answer.state] ~= '' then
    table.insert(parts, SAYS[answer.state] or text.line(answer.state))
  end
  local _, progress = next(state.progress)
  if progress then
    table.insert(parts, progress)
  elseif answer.importing then
    table.insert(parts, 'importing')
  end
  if (answer.candidates or 0) > 0 then
    table.insert(parts, ('%d to review'):format(answer.candidates))
  end
  return table.concat(parts, ' · ')
end

--- Asks for the state of a project of which nothing is known yet.
---@param root? string
function M.warm(root)
  if root and not M.state(root).answer then
    M.refresh(root)
  end
end

--- Asks for the state of a project, in the background; a change meanwhile asks once more.
---@param root? string
function M.refresh(root)
  if not root then
    return
  end
  local state = M.state(root)
  if state.asking then
    state.again = true
    return
  end
  state.asking = true
  require('ibid.request').send('ibid/status', {}, { root = root }, function(err, answer)
    state.asking = false
    if not err then
      state.answer = answer
      M.redraw()
    end
    if state.again then
      state.again = false
      M.refresh(root)
    end
  end)
end

--- Keeps how far a long piece of work is.
---@param root? string
---@param token string|integer
---@param value { kind: string, title?: string, message?: string, percentage?: integer }
function M.progress(root, token, value)
  if not root then
    return
  end
  local state = M.state(root)
  if value.kind == 'end' then
    state.progress[token] = nil
    M.refresh(root)
  else
    local what = text.clip(value.title or 'importing', 24)
    local far = value.percentage and ('%d %%'):format(value.percentage)
      or text.clip(value.message or '', 24)
    state.progress[token] = vim.trim(what .. ' ' .. far)
  end
  M.redraw()
end

--- The server is gone; nothing it said holds any longer.
---@param root? string
function M.forget(root)
  if root then
    states[root] = nil
    M.redraw()
  end
end

---@param root string
---@return ibid.status.State
function M.state(root)
  states[root] = states[root] or { progress = {} }
  return states[root]
end

function M.redraw()
  vim.cmd.redrawstatus({ bang = true })
  require('ibid.events').announce('IbidStatus', {})
end

--- `:Ibid status`: the whole state in a few lines.
---@param root string
function M.show(root)
  require('ibid.request').act('ibid/status', {}, { root = root }, function(answer)
    M.state(root).answer = answer
    local client = vim.iter(require('ibid.server').running()):find(function(candidate)
      return candidate.root_dir == root
    end)
    local lines = {
      ('Ibid %s · %s'):format(
        text.line(vim.tbl_get(client or {}, 'server_info', 'version') or require('ibid').version),
        text.line(answer.project)
      ),
      ('%s%s'):format(M.explain(answer.state), answer.importing and ' · importing' or ''),
      ('%s · %s · %s · %s'):format(
        ('%d to review'):format(answer.candidates),
        text.count(answer.notes, 'note'),
        text.count(answer.receipts, 'receipt'),
        text.count(answer.sessions, 'session')
      ),
    }
    if answer.message then
      table.insert(lines, text.line(answer.message))
    end
    vim.notify(table.concat(lines, '\n'))
  end)
end

---@param state string
---@return string
function M.explain(state)
  local said = {
    on = 'learns and recalls',
    learning = 'learns, recalls nothing',
    recalling = 'recalls, learns nothing',
    off = 'off: nothing is learned or recalled',
    readOnly = 'read only: nothing can be written now',
    refused = 'refused: another memory layer is active',
  }
  return said[state] or text.line(state)
end

return M
