import { flushCompileCache } from 'node:module'
import { serve } from './serve.ts'

// The process that handles one run's bytes (gateways/runner/start-runner.ts). The code is kept
// compiled before any byte of a tenant's is read. Steps of the sandbox have environments of their own.
flushCompileCache()
await serve()
