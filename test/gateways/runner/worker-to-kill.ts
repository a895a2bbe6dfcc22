// A worker that has started a runner. The test kills it and looks for the runner.
import { join } from 'node:path'
import { startRunner } from '../../../gateways/runner/start-runner.ts'

const runner = startRunner({
  entry: join(import.meta.dirname, 'odd-runner.ts'),
  args: ['echo'],
  memoryBytes: 256 * 1024 ** 2,
})
await runner.channel.send({ kind: 'up' })
for await (const _ of runner.channel.frames) process.stdout.write(`runner ${runner.pid}\n`)
