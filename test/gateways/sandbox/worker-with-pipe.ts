// Started by ending.test.ts with a pipe as descriptor 40.
import { sh, shellSandbox } from './shell-sandbox.ts'

const shell = await shellSandbox({ kind: process.argv[2] === 'process' ? 'process' : 'bubblewrap' })
const bench = await shell.open()
const end = await sh(bench, 'cd /proc/self/fd; for i in 39 40 41; do echo $i $(readlink $i); done')
console.log(end.text.replaceAll('\n', ', '))
await shell.close()
