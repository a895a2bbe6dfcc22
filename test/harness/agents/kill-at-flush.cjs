// Loaded into an agent (--require): kills it at the n-th time that it flushes something to the disk, which is what
// it does at each step of its journal.
'use strict'
const fs = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')

const { fsyncSync } = fs
let left = Number(process.env.KILL_AT)
fs.fsyncSync = (descriptor) => {
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
  return fsyncSync(descriptor)
}
syncBuiltinESMExports()
