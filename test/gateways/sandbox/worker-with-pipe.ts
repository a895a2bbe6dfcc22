// ending.test.ts starts this worker with a pipe as descriptor 40.
import { sh, shellSandbox } from './shell-sandbox.ts'

const shell = await shellSandbox({ kind: process.argv[2] === 'process' ? 'process' : 'bubblewrap' })
const bench = await shell.open()
// Runs in a child shell, because the descriptors of the step's own program cannot be read.
const script = 'cd /proc/self/fd; for i in 39 40 41; do echo $i $(readlink $i); done'
const end = await sh(bench, 'sh -c "$SCRIPT"; true', {
  env: { PATH: '/usr/bin', SCRIPT: script },
})
console.log(end.text.replaceAll('\n', ', '))
await shell.close()
