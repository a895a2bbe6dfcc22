/** What a bench is told by its environment, in this one place: fewer rounds and smaller stores for a quick look. */
export const benchConfig = {
  rounds: (usual: number) => positive('BENCH_ROUNDS', usual),
  warmUpRounds: (usual: number) => positive('BENCH_WARM_UP', usual),
  /** How long each round asks. */
  forMs: (usual: number) => positive('BENCH_MS', usual),
  /** 1 is what the limits speak of; 0.02 is for a quick look. */
  scale: positive('BENCH_SCALE', 1),
  wantsDrain: process.env['BENCH_DRAIN'] !== '0',
  chromium: process.env['CC_CHROMIUM_BIN'] || '/usr/bin/chromium',
  /** Of the hostile inputs only those whose name has this text. */
  only: process.env['BENCH_ONLY'],
  /** Whether processes are killed at random beside the hostile inputs. */
  kills: process.env['BENCH_KILLS'] === '1',
  /** In a part that the hostile bench started: where it writes how late its event loop is. */
  loopFolder: process.env['BENCH_LOOPS'],
  nodeOptions: process.env['BENCH_NODE_OPTIONS'],
}

function positive(name: string, usual: number): number {
  const given = process.env[name]
  if (!given) return usual
  const value = Number(given)
  if (!(value > 0)) throw new Error(`${name}=${given}: it must be a number above 0.`)
  return value
}
