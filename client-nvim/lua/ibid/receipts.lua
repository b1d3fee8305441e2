--- The receipts: what was handed to an agent, when, and what it cost. (I1)
local keys = require('ibid.keys')
local text = require('ibid.text')

local M = {}

--- `#88  12 min ago  block  claude-code  4 items · 212 tokens`
---@param receipt ibid.Receipt
---@return string
function M.line(receipt)
  return ('%-6s %-12s %-8s %-12s %s · %s'):format(
    text.line(receipt.id),
    text.ago(receipt.at),
    text.line(receipt.kind),
    text.line(receipt.agent),
    text.count(#(receipt.items or {}), 'item'),
    text.count(receipt.tokens, 'token')
  )
end

--- `L1 3 · L2 1`: items by layer, in the order of the layers.
---@param receipt ibid.Receipt
---@return string
function M.layers(receipt)
  local counts = {}
  for _, item in ipairs(receipt.items or {}) do
    counts[item.layer] = (counts[item.layer] or 0) + 1
  end
  local parts = {}
  for layer, count in vim.spairs(counts) do
    table.insert(parts, ('%s %d'):format(text.line(layer), count))
  end
  return table.concat(parts, ' · ')
end

--- What the control group did; nothing where there is none, or an older server. (P6)
local CONTROL = {
  withheld = 'withheld for the control group: nothing was sent',
  given = 'given, as the control group’s other half',
  asked = 'asked for, which the control group leaves alone',
}

---@param receipt ibid.Receipt
---@return ibid.Chunk[][]
local function draw(receipt)
  local about = #(receipt.items or {}) > 0 and { M.layers(receipt) } or {}
  if receipt.session then
    local turn = receipt.turn and (' turn %d'):format(receipt.turn) or ''
    table.insert(about, 'session ' .. text.clip(receipt.session, 12) .. turn)
  end
  if text.given(receipt.query) then
    table.insert(about, ('“%s”'):format(text.clip(receipt.query, 80)))
  end
  table.insert(about, CONTROL[receipt.control])
  if receipt.erased then
    local left = vim.iter(receipt.items or {}):any(function(item)
      return (item.text or '') ~= ''
    end)
    table.insert(about, left and 'text partly erased' or 'text erased')
  end
  return {
    { { M.line(receipt) } },
    { { '       ' .. table.concat(about, ' · '), 'IbidAbout' } },
  }
end

---@type ibid.view.Spec
M.spec = {
  title = 'Receipts: memory used',
  kinds = { 'receipts' },
  shift = 7,
  ask = function(shown)
    local params = { session = shown.params.session, note = shown.params.note }
    return 'ibid/receipt/list', params
  end,
  rows = function(result)
    return result.receipts, result.total
  end,
  id = function(receipt)
    return receipt.id
  end,
  draw = draw,
  subtitle = function(shown)
    if shown.params.note then
      return ('that used %s: %d'):format(shown.params.note, shown.total)
    elseif shown.params.session then
      return ('of session %s: %d'):format(shown.params.session, shown.total)
    end
    return tostring(shown.total)
  end,
  empty = function(shown)
    if shown.params.note then
      return { 'This note was not used yet.' }
    end
    return { 'Nothing was recalled yet.', 'Each time memory goes to an agent, a receipt is kept.' }
  end,
  keys = {
    keys.page('receipt'),
    keys.turn(function(receipt)
      return receipt
    end),
  },
}

return M
