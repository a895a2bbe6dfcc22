import fs, { closeSync, openSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { claimName } from '../../../gateways/sandbox/claim-name.ts'

// claim-name.test.ts starts this process. It claims a name permanently, or repeatedly beside other
// processes.
const [folder = '', name = '', how] = process.argv.slice(2)

if (how === 'hold') {
  const claim = await claimName(folder, name)
  console.log(claim ? 'held' : 'refused')
  // A claim alone does not keep the process alive.
  setInterval(() => {}, 60_000)
} else {
  widenWindow()
  let held = 0
  for (let round = 0; round < 150; round += 1) {
    const claim = await claimName(folder, name)
    if (!claim) continue
    held += 1
    // If two processes held the name at once, this exclusive open would fail and end the process.
    closeSync(openSync(`${folder}/held`, 'wx'))
    await sleep(Math.random() * 2)
    rmSync(`${folder}/held`)
    claim.release()
  }
  console.log(held)
}

type Listen = (backlog: number) => number

/** A busy host stops a process between any two calls. This one stops before it listens and before it removes. */
function widenWindow(): void {
  const pause = () =>
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 4)
  // Node's own class of unix sockets, which its types leave out: a server binds, and then listens.
  const binding: (name: string) => unknown = Reflect.get(process, 'binding')
  const { Pipe } = binding('pipe_wrap') as { Pipe: { prototype: { listen: Listen } } }
  const { listen } = Pipe.prototype
  Pipe.prototype.listen = function (backlog) {
    pause()
    return Reflect.apply(listen, this, [backlog])
  }
  const { rmSync } = fs
  fs.rmSync = (...given) => {
    pause()
    rmSync(...given)
  }
  syncBuiltinESMExports()
}
