import { closeSync, openSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { claimName } from '../../../gateways/sandbox/claim-name.ts'

// Started by claim-name.test.ts: claims a name for ever, or again and again beside others.
const [folder = '', name = '', how] = process.argv.slice(2)

if (how === 'hold') {
  const claim = await claimName(folder, name)
  console.log(claim ? 'held' : 'refused')
  // The claim itself keeps no process alive.
  setInterval(() => {}, 60_000)
} else {
  let held = 0
  for (let round = 0; round < 150; round += 1) {
    const claim = await claimName(folder, name)
    if (!claim) continue
    held += 1
    // Two holders at once: the second one's open fails, and its process with it.
    closeSync(openSync(`${folder}/held`, 'wx'))
    await sleep(Math.random() * 2)
    rmSync(`${folder}/held`)
    claim.release()
  }
  console.log(held)
}
