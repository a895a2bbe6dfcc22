import { existsSync } from 'node:fs'

/**
 * The environment of the benches. Only this file in bench/ reads `process.env`. Fewer rounds and
 * smaller stores make a quick run.
 */
export const benchConfig = {
  rounds: (usual: number) => positive('BENCH_ROUNDS', usual),
  warmUpRounds: (usual: number) => positive('BENCH_WARM_UP', usual),
  /** How long each round sends requests. */
  forMs: (usual: number) => positive('BENCH_MS', usual),
  /** The size of the stores. The limits are set for 1; 0.02 makes a quick run. */
  scale: positive('BENCH_SCALE', 1),
  wantsDrain: process.env['BENCH_DRAIN'] !== '0',
  /** Without the frame of its windows where there is such a one, because that is drawn on the same processors. */
  chromium:
    process.env['CC_CHROMIUM_BIN'] ||
    ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ||
    'chromium',
  /** Runs only the hostile inputs whose name contains this text, or one of these for `copies`. */
  only: process.env['BENCH_ONLY'],
  /** Working copies that the bench `copies` measures beside this one: name=directory, by commas. */
  copies: Object.fromEntries(
    (process.env['BENCH_COPIES'] || '').split(',').flatMap((one) => {
      const [name = '', root] = one.split('=')
      return root ? [[name, root] as const] : []
    }),
  ),
  /** Whether the hostile bench also kills processes at random. */
  kills: process.env['BENCH_KILLS'] === '1',
  /** Set in a process that the hostile bench starts: the folder for its event loop delays. */
  loopFolder: process.env['BENCH_LOOPS'],
  nodeOptions: process.env['BENCH_NODE_OPTIONS'],
  /** The search path of the processes that a bench starts. */
  path: process.env['PATH'],
  /** The whole environment, for programs that a bench does not know (npx, Lighthouse). */
  environment: process.env,
  /** Set by start-api.ts for bare-server.ts. */
  bareServer: { databaseUrl: process.env['DATABASE_URL'], port: Number(process.env['PORT']) },
}

function positive(name: string, usual: number): number {
  const given = process.env[name]
  if (!given) return usual
  const value = Number(given)
  if (!(value > 0)) throw new Error(`${name}=${given}: it must be a number above 0.`)
  return value
}
