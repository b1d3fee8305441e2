std = 'luajit'
cache = false
max_line_length = 100
read_globals = { 'vim' }
-- Options and variables are set through these fields of the one global.
globals = { 'vim.g', 'vim.b', 'vim.bo', 'vim.wo', 'vim.o', 'vim.lsp' }
