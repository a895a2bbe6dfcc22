import type { ModuleSource } from '../../domain/git/module-sources.ts'
import type { Asks } from '../../gateways/runner/protocol.ts'
import type { Loan } from '../../gateways/sandbox/workbench.ts'
import type { Deps } from '../deps.ts'
import type { RunDoor } from './cloud-door-for-run.ts'
import type { RunRelay } from './open-git-relay.ts'

const runFolderBytes = 2 * 1024 ** 3
/** Room for the plan as policies see it, and all policies. */
const maxPolicyFolderBytes = 512 * 1024 ** 2

export type BenchLender = {
  bench: (ask: Asks['bench']['ask']) => Promise<Asks['bench']['answer']>
  giveBack: (ask: Asks['giveBack']['ask']) => Promise<Asks['giveBack']['answer']>
  /** Called after the runner has ended: kills what is left of its steps and removes their folders. */
  close(): Promise<void>
}

/** Lends workbenches to one runner, which may choose no more than their use. */
export function lendBenches(
  deps: Pick<Deps, 'sandbox'>,
  run: {
    label: string
    /** The one path of the API that the run can reach. */
    statePath?: string
    env?: Readonly<Record<string, string>>
    cloudDoor?: Pick<RunDoor, 'server' | 'at'> | undefined
    /** Opens the relay for modules, if the configuration names any. */
    openRelay?: (sources: readonly ModuleSource[]) => Promise<RunRelay | undefined>
  },
): BenchLender {
  const loans = new Map<number, Loan>()
  let lent = 0
  const keep = (loan: Loan) => {
    lent += 1
    loans.set(lent, loan)
    return { bench: lent, grant: loan.grant }
  }
  const openForRun = async (
    sources: ModuleSource[] | undefined,
  ): Promise<Asks['bench']['answer']> => {
    const relay = sources ? await run.openRelay?.(sources) : undefined
    const loan = await deps.sandbox.lend({
      label: run.label,
      sizeBytes: runFolderBytes,
      ...(run.statePath !== undefined && { statePath: run.statePath }),
      gitRelay: relay?.server,
      cloudDoor: run.cloudDoor?.server,
    })
    run.cloudDoor?.at(loan.grant.urls.cloudUrl)
    return {
      ...keep(loan),
      gitEnv: relay?.environment(loan.grant.urls.gitUrl, run.env ?? {}),
      relay: relay && {
        gitEnv: relay.environment(loan.grant.urls.gitUrl, {}),
        hosts: [...relay.hosts],
      },
      hidden: relay?.hidden(),
    }
  }

  return {
    async bench(ask) {
      // A run has one workbench, and a second one while its policies are evaluated.
      if (loans.size >= 2) throw new Error('a runner asks for more workbenches than a run has')
      if (ask.use === 'run') return openForRun(ask.sources)
      if (ask.use === 'build') throw new Error('a runner asks for a workbench of a build')
      // It becomes a mount option.
      if (!Number.isSafeInteger(ask.sizeBytes)) throw new Error('a runner named no size')
      const sizeBytes = Math.min(ask.sizeBytes, maxPolicyFolderBytes)
      return keep(await deps.sandbox.lend({ label: 'policy-gate', sizeBytes }))
    },
    async giveBack({ bench }) {
      const loan = loans.get(bench)
      loans.delete(bench)
      await loan?.close()
      return {}
    },
    async close() {
      const left = [...loans.values()]
      loans.clear()
      await Promise.all(left.map(async (loan) => loan.close({ lost: true })))
    },
  }
}
