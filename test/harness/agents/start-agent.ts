import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { agentFile } from './agent-file.ts'

export type AgentProcess = {
  pid: number
  said(): string
  /** Resolves to the exit code, or null after a signal. */
  exited: Promise<number | null>
  kill(): Promise<void>
  stop(): Promise<number | null>
}

/** The agent as a process of its own, by the command that the service tells a person to run on the host. */
export function installAgent(
  install: string,
  { url, dir }: { url: string | undefined; dir: string },
): AgentProcess {
  const told = (setting: string): string => new RegExp(`${setting}=(\\S+)`).exec(install)?.[1] ?? ''
  return startAgent({
    url: url ?? '',
    token: told('CC_AGENT_TOKEN'),
    keyId: told('CC_AGENT_KEY'),
    dir,
  })
}

/** The agent as a process of its own. */
export function startAgent(
  settings: { url: string; token: string; keyId: string; dir: string },
  { env = {}, script = agentFile() }: { env?: Record<string, string>; script?: string } = {},
): AgentProcess {
  const child = spawn(process.execPath, [script], {
    env: {
      PATH: process.env['PATH'],
      CC_AGENT_URL: settings.url,
      ...(settings.token !== '' && { CC_AGENT_TOKEN: settings.token }),
      CC_AGENT_KEY: settings.keyId,
      CC_AGENT_DIR: settings.dir,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const add = (piece: Buffer) => void (said += piece.toString())
  child.stdout.on('data', add)
  child.stderr.on('data', add)
  const exited = once(child, 'exit').then(([code]: unknown[]) => code as number | null)
  if (child.pid === undefined) throw new Error('the agent did not start')
  return {
    pid: child.pid,
    said: () => said,
    exited,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    async stop() {
      child.kill('SIGTERM')
      return exited
    },
  }
}
