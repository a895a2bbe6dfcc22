import { flushCompileCache } from 'node:module'
import { serve } from './serve.ts'

// The process that handles the data of one run (gateways/runner/start-runner.ts). It writes Node's
// compile cache before it reads data of a tenant. Steps in the sandbox have their own environments,
// without the cache's folder.
flushCompileCache()
await serve()
