// ending.test.ts starts this worker and kills it while its step runs.
import { sh, shellSandbox } from './shell-sandbox.ts'

const shell = await shellSandbox({ kind: process.argv[2] === 'process' ? 'process' : 'bubblewrap' })
const bench = await shell.open()
console.log(`workDir ${shell.workDir}`)
await sh(bench, 'echo up; exec sleep 4711', { onLine: (_stream, line) => console.log(line) })
