// Runs inside a new network namespace (open-private-network.ts), listens on its loopback,
// gives the listening sockets to the worker that started it, and ends. It stands alone: it
// is mounted there as a single file, so it imports nothing of ours.
import { createServer } from 'node:net'

let given = 0
for (const argument of process.argv.slice(2)) {
  const server = createServer().listen(Number(argument), '127.0.0.1', () => {
    process.send?.(Number(argument), server)
  })
}
// The worker answers once for each socket that it holds; closing earlier would lose it.
process.on('message', () => {
  given += 1
  if (given === process.argv.length - 2) process.exit(0)
})
