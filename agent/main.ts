import { readAgentConfig } from './config.ts'
import { Halted, messageOf } from './faults.ts'
import { runAgent } from './run-agent.ts'
import { say } from './say.ts'
import { whyNoNode } from './why-no-node.ts'

/** How long a hook may go on after SIGTERM. */
const hookGraceMs = 30_000

const fault = whyNoNode(process.version)
if (fault) {
  process.stderr.write(`${fault}\n`)
  process.exitCode = 78
} else void main()

async function main(): Promise<void> {
  const ending = new AbortController()
  const ended = new AbortController()
  const end = () => {
    // A second signal does not wait for the hook.
    if (ending.signal.aborted) return ended.abort(new Halted('ending'))
    say('info', 'ending')
    ending.abort(new Halted('ending'))
    setTimeout(() => ended.abort(new Halted('ending')), hookGraceMs).unref()
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  try {
    const config = readAgentConfig()
    process.exitCode = await runAgent(config, { ending: ending.signal, ended: ended.signal }, say)
  } catch (error) {
    say('error', messageOf(error))
    process.exitCode = 78
  }
  // A call that is still open does not keep the process.
  process.exit()
}
