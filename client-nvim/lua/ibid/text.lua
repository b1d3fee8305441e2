--- Text that others wrote, made safe to show, and figures made short.
---
--- Notes, prompts and titles come from agents and web pages. Everything shown goes through `line`
--- or `lines`: control characters, ANSI sequences, bidirectional overrides and zero-width or tag
--- characters become visible and do nothing.
local M = {}

--- Code points that are not seen but act: [first, last].
local HIDDEN = {
  { 0x00ad, 0x00ad }, -- soft hyphen
  { 0x034f, 0x034f }, -- combining grapheme joiner
  { 0x061c, 0x061c }, -- Arabic letter mark
  { 0x115f, 0x1160 }, -- Hangul fillers
  { 0x17b4, 0x17b5 }, -- Khmer inherent vowels
  { 0x180b, 0x180f }, -- Mongolian separators
  { 0x200b, 0x200f }, -- zero width, direction marks
  { 0x2028, 0x202e }, -- line separators, bidirectional overrides
  { 0x2060, 0x206f }, -- joiners, isolates
  { 0x3164, 0x3164 }, -- Hangul filler
  { 0xd800, 0xdfff }, -- lone surrogates
  { 0xfeff, 0xfeff }, -- byte order mark
  { 0xffa0, 0xffa0 }, -- half-width Hangul filler
  { 0xfff0, 0xfffb }, -- annotations
  { 0x1bca0, 0x1bca3 }, -- shorthand format controls
  { 0x1d173, 0x1d17a }, -- musical format controls
  { 0xe0000, 0xe0fff }, -- tags, variation selectors
}

---@param char string one UTF-8 sequence of two to four bytes
---@return integer? code nil when the bytes are not UTF-8
local function code_point(char)
  local first = char:byte()
  local length = first >= 0xf0 and 4 or first >= 0xe0 and 3 or 2
  if #char ~= length then
    return nil
  end
  local code = first % 2 ^ (7 - length)
  for i = 2, length do
    code = code * 64 + char:byte(i) % 64
  end
  return code
end

---@param code integer
---@return boolean
local function is_hidden(code)
  for _, range in ipairs(HIDDEN) do
    if code >= range[1] and code <= range[2] then
      return true
    end
  end
  return code <= 0x9f
end

--- A joiner between two letters of scripts that need it (Persian, Hindi, emoji) stays.
---@param text string
---@param from integer first byte of the joiner
---@return boolean
local function joins_letters(text, from)
  local before = text:sub(1, from - 1):match('[\216-\244][\128-\191]+$')
  local after = text:match('^[\216-\244][\128-\191]+', from + 3)
  local left, right = before and code_point(before), after and code_point(after)
  return left ~= nil and right ~= nil and not is_hidden(left) and not is_hidden(right)
end

--- Every character that acts becomes one that only shows; tabs and what is seen stay as they are.
---@param text string
---@return string
local function inert(text)
  if not text:find('[%z\1-\8\10-\31\127-\255]') then
    return text
  end
  text = text:gsub('[%z\1-\8\10-\31\127]', function(char)
    local code = char:byte()
    return code == 127 and '␡' or vim.fn.nr2char(0x2400 + code)
  end)
  return (
    text:gsub('()([\194-\244][\128-\191]*)', function(from, char)
      local code = code_point(char)
      if code == nil then
        return ('<%02x>'):rep(#char):format(char:byte(1, -1))
      elseif (code == 0x200c or code == 0x200d) and joins_letters(text, from) then
        return nil
      elseif is_hidden(code) then
        return ('<%04x>'):format(code)
      end
    end)
  )
end

--- One inert line: line ends and the blanks around them become `↵`.
---@param text any
---@return string
function M.line(text)
  if type(text) ~= 'string' then
    return text == nil and '' or tostring(text)
  end
  text = vim.trim(text):gsub('[ \t]*\r?[\n\r][ \t\r\n]*', ' ↵ '):gsub('\t', ' ')
  return inert(text)
end

--- The text, or nil when there is none: absent and empty are the same to a reader.
---@param text? string
---@return string?
function M.given(text)
  return text ~= '' and text or nil
end

--- Inert lines of a document; its line ends and tabs stay.
---@param text string
---@return string[]
function M.lines(text)
  return vim.tbl_map(inert, vim.split(text:gsub('\r\n', '\n'), '\n', { plain = true }))
end

--- The inert line, cut to `width` columns of the screen.
---@param text any
---@param width integer
---@return string
function M.clip(text, width)
  local line = M.line(text)
  if vim.api.nvim_strwidth(line) <= width then
    return line
  end
  -- As many characters as could fit at most, then fewer until they do.
  local kept = vim.fn.strcharpart(line, 0, width - 1)
  while vim.api.nvim_strwidth(kept) > width - 1 do
    kept = vim.fn.strcharpart(kept, 0, vim.fn.strchars(kept) - 1)
  end
  return vim.trim(kept) .. '…'
end

--- Text for 'winbar' and 'statusline', where `%` acts.
---@param text any
---@return string
function M.bar(text)
  return (M.line(text):gsub('%%', '%%%%'))
end

---@return integer milliseconds since the epoch
function M.now()
  local seconds, micros = vim.uv.gettimeofday()
  return seconds * 1000 + math.floor(micros / 1000)
end

---@param span integer milliseconds
---@return string
local function span_of(span)
  local minutes = math.floor(span / 60000)
  if minutes < 60 then
    return ('%d min'):format(minutes)
  elseif minutes < 60 * 48 then
    return ('%d h'):format(math.floor(minutes / 60))
  end
  return ('%d days'):format(math.floor(minutes / 1440))
end

--- Time left until `due`, rounded up: nobody should see "0 min" and still wait.
---@param due integer milliseconds since the epoch
---@return string
function M.left(due)
  local span = due - M.now()
  return span <= 0 and 'now' or span_of(span + 59999)
end

--- When something was: minutes and hours for today, then the date.
---@param at? integer milliseconds since the epoch
---@return string
function M.ago(at)
  if type(at) ~= 'number' then
    return ''
  end
  local span = M.now() - at
  if span < 60000 then
    return 'just now'
  elseif span < 24 * 3600000 then
    return span_of(span) .. ' ago'
  end
  return M.date(at)
end

--- The day, with its year only when it is not this one.
---@param at integer milliseconds since the epoch
---@return string
function M.date(at)
  local seconds = math.floor(at / 1000)
  local same_year = os.date('%Y', seconds) == os.date('%Y')
  return (os.date(same_year and '%d %b' or '%d %b %Y', seconds):gsub('^0', ''))
end

--- `turn 7 of “tests are red again” · claude-code · 5 min ago`
---@param source ibid.Source
---@return string
function M.said(source)
  local where = ('turn %s of %s'):format(
    M.line(source.turn),
    M.given(source.title) and ('“%s”'):format(M.clip(source.title, 48))
      or 'session ' .. M.clip(source.session, 12)
  )
  local parts = { where }
  if M.given(source.agent) then
    table.insert(parts, M.line(source.agent))
  end
  if source.at then
    table.insert(parts, M.ago(source.at))
  end
  return table.concat(parts, ' · ')
end

--- `1,840`; below zero with a minus sign.
---@param value number
---@return string
function M.number(value)
  local digits = ('%.0f'):format(math.abs(value))
  local grouped = digits:reverse():gsub('(%d%d%d)', '%1,'):reverse():gsub('^,', '')
  return (value < 0 and '−' or '') .. grouped
end

--- The same with its sign: `+1,434`, `−310`, `0`.
---@param value number
---@return string
function M.signed(value)
  return (value > 0 and '+' or '') .. M.number(value)
end

---@param count integer
---@param noun string
---@return string
function M.count(count, noun)
  return ('%d %s%s'):format(count, noun, count == 1 and '' or 's')
end

return M
