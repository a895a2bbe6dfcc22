import { spawn } from 'node:child_process'

export type PeerRun = { code: number | null; output: string }

/** Runs a peer to its end, or kills it when its time is over; its output, both streams in order, is for the failure's message. */
export async function runPeer(
  program: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; timeoutMs?: number } = {},
): Promise<PeerRun> {
  const { cwd, env, timeoutMs } = options
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    ...(timeoutMs && { timeout: timeoutMs, killSignal: 'SIGKILL' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (signal)
        output += `\nended by ${signal}${timeoutMs ? `: it has ${timeoutMs / 1_000} s` : ''}`
      resolve({ code, output })
    })
  })
}
