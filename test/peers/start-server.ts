import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type PeerServer = { stop(): Promise<void> }

/** Starts a server of others, and waits until its port takes connections. Its output is in the error if it ends. */
export async function startServer(
  [program = '', ...args]: readonly string[],
  { port, env }: { port: number; env?: NodeJS.ProcessEnv },
): Promise<PeerServer> {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: 'pipe' })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-10_000)))
  const endsAt = Date.now() + 60_000
  while (!(await takesConnections(port))) {
    const isOver = child.exitCode !== null || child.signalCode !== null
    if (!isOver && Date.now() < endsAt) await sleep(100)
    else {
      await stop(child)
      throw new Error(`${program} does not answer: ${output}`)
    }
  }
  return { stop: async () => stop(child) }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const over = once(child, 'exit')
  child.kill('SIGKILL')
  await over
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
