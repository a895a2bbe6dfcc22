import { enableCompileCache, flushCompileCache } from 'node:module'

// The process that handles one run's bytes (gateways/runner/start-runner.ts). Its only argument is
// a folder of the service's own, where the code is kept compiled: it starts in half the time.
const [cacheFolder] = process.argv.slice(2)
if (cacheFolder) enableCompileCache(cacheFolder)
const { serve } = await import('./serve.ts')
flushCompileCache()
await serve()
