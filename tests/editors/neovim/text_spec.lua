--- Text of others is shown inert, and figures short.
local t = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'harness.lua'))
t.load({ enable = false })
local text = require('ibid.text')

--- Characters that act although nobody sees them, and one on each edge of their ranges.
local ACTING = {
  '\0',
  '\1',
  '\7',
  '\8',
  '\27',
  '\31',
  '\127',
  '\u{80}',
  '\u{9b}',
  '\u{9f}',
  '\u{ad}',
  '\u{61c}',
  '\u{180e}',
  '\u{200b}',
  '\u{200e}',
  '\u{200f}',
  '\u{2028}',
  '\u{2029}',
  '\u{202a}',
  '\u{202e}',
  '\u{2060}',
  '\u{2066}',
  '\u{2069}',
  '\u{feff}',
  '\u{e0001}',
  '\u{e007f}',
  '\u{e0100}',
}

t.test('acting characters become visible ones, everything else stays', function()
  for _, char in ipairs(ACTING) do
    local shown = text.line('a' .. char .. 'b')
    t.lacks(shown, char)
    t.ok(vim.startswith(shown, 'a') and vim.endswith(shown, 'b'), vim.inspect(shown))
    t.ok(#shown > 2, 'something is shown for it: ' .. vim.inspect(char))
  end
  for _, seen in ipairs({
    'plain',
    'naïve',
    '记忆',
    '👍🏽',
    'ÿ',
    'א',
    'C++ & <b>',
    '\u{a0}x',
  }) do
    t.eq(text.lines(seen), { seen })
  end
end)

t.test('an escape sequence is spelled out', function()
  t.eq(text.line('\27[31mred\27[0m'), '␛[31mred␛[0m')
  t.eq(text.line('\u{202e}evil'), '<202e>evil')
end)

t.test('a joiner stays inside words and emoji that need it, nowhere else', function()
  local persian = 'می\u{200c}خواهم'
  local family = '👩\u{200d}👧'
  t.eq(text.line(persian), persian)
  t.eq(text.line(family), family)
  t.eq(text.line('pass\u{200c}word'), 'pass<200c>word')
  t.eq(text.line('\u{200d}'), '<200d>')
  t.eq(text.line('记\u{200d}\u{200d}忆'), '记<200d><200d>忆')
end)

t.test('bytes that are no UTF-8 do not pass as characters', function()
  t.eq(text.line('a\xf0\x28b'), 'a<f0>(b')
  t.eq(text.line('a\xed\xa0\x80b'), 'a<d800>b')
end)

t.test('a line is one line, a document keeps its own', function()
  t.eq(text.line(' one \r\n\n two\tthree '), 'one ↵ two three')
  t.eq(text.line('one\rtwo'), 'one ↵ two')
  t.eq(text.lines('one\r\n\ttwo\nthree\r'), { 'one', '\ttwo', 'three␍' })
  t.eq(text.line(nil), '')
  t.eq(text.line(7), '7')
end)

t.test('clipping counts columns, not bytes, and says that it cut', function()
  t.eq(text.clip('abcdef', 6), 'abcdef')
  t.eq(text.clip('abcdefg', 6), 'abcde…')
  t.eq(text.clip('记忆记忆', 6), '记忆…')
  for width = 2, 9 do
    t.ok(vim.api.nvim_strwidth(text.clip('a记b忆c记d忆', width)) <= width, 'fits ' .. width)
  end
end)

t.test('a percent sign does nothing in a bar', function()
  local shown = vim.api.nvim_eval_statusline(text.bar('50%{1+1}%#Error#'), {}).str
  t.eq(shown, '50%{1+1}%#Error#')
end)

t.test('time left is rounded up, time past down', function()
  local now = text.now
  text.now = function()
    return 1000000000000
  end
  t.eq(text.left(1000000000000 + 17 * 60000 + 1), '18 min')
  t.eq(text.left(1000000000000 + 1), '1 min')
  t.eq(text.left(1000000000000), 'now')
  t.eq(text.left(1000000000000 + 3 * 3600000), '3 h')
  t.eq(text.ago(1000000000000 - 59999), 'just now')
  t.eq(text.ago(1000000000000 - 119999), '1 min ago')
  t.eq(text.ago(1000000000000 - 5 * 3600000), '5 h ago')
  t.has(text.ago(1000000000000 - 48 * 3600000), '2001')
  t.eq(text.ago(nil), '')
  text.now = now
end)

t.test('a megabyte of hostile text takes linear time', function()
  local shown = text.line(('\u{200b}a\27'):rep(200000))
  t.eq(#shown, #'<200b>a␛' * 200000)
end)

t.finish()
