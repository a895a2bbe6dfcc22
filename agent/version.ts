import { createRequire } from 'node:module'

/** Replaced by its value in the bundle (scripts/build-agent.ts), which has no package.json beside it. */
declare const __AGENT_VERSION__: string | undefined

export const version: string =
  typeof __AGENT_VERSION__ === 'string'
    ? __AGENT_VERSION__
    : // Of this repository's own package.json.
      (createRequire(import.meta.url)('../package.json') as { version: string }).version
