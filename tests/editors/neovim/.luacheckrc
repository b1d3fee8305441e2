std = 'luajit'
cache = false
max_line_length = 110
-- The harness plays Neovim's prompts and messages.
globals = { 'vim' }
