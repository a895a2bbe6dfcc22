import { attackOnParent } from './attack-on-parent.ts'
import { sh, shellSandbox } from './shell-sandbox.ts'

// A worker that is not root: all of its steps run under its own uid.
const shell = await shellSandbox()
const bench = await shell.open()
const { text } = await sh(bench, 'perl -e "$ATTACK"; true', {
  env: { PATH: '/usr/bin', ARCH: process.arch, ATTACK: attackOnParent },
})
console.log(text)
await shell.close()
