--- @brief
--- Ibid, a project memory beside the editor. Install its server with `pip install ibid-memory`.
---
--- `plugin/ibid.lua` enables this configuration by itself; `vim.g.ibid = { enable = false }` leaves
--- that to `vim.lsp.enable('ibid')`. Override parts with `vim.lsp.config('ibid', {...})`, but leave
--- `on_exit` alone: it answers the requests of a server that died. For your own set-up use the
--- `LspAttach` event.

---@type vim.lsp.Config
return {
  -- A function, so that the command is looked up when a server starts and a missing one is told
  -- once with its cure instead of being skipped in silence.
  cmd = require('ibid.server').spawn,
  root_dir = function(bufnr, on_dir)
    require('ibid.project').root_dir(bufnr, on_dir)
  end,
  before_init = function(params, config)
    params.initializationOptions = require('ibid.config').init_options(config.init_options)
  end,
  on_exit = function(code, signal, client_id)
    require('ibid.server').exited(code, signal, client_id)
  end,
  capabilities = {
    workspace = { textDocumentContent = { dynamicRegistration = false } },
  },
  handlers = {
    ['ibid/memoryChanged'] = function(_, params, ctx)
      require('ibid.events').memory_changed(params, ctx)
    end,
    ['ibid/turnRecalled'] = function(_, params)
      require('ibid.events').announce('IbidTurnRecalled', params)
    end,
    ['ibid/candidateSettled'] = function(_, params)
      require('ibid.events').announce('IbidCandidateSettled', params)
    end,
    ['workspace/textDocumentContent/refresh'] = function(_, params)
      require('ibid.content').refresh(params.uri)
      return vim.NIL
    end,
  },
}
