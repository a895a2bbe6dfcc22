import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import { lenderFor } from '../../app/clouds/lend-to-run.ts'
import { lentEnvironment } from '../../app/clouds/lent-environment.ts'
import { hashCredential } from '../../domain/access/credentials.ts'
import type { RunPhase } from '../../domain/clouds/check-runs.ts'
import { AppError } from '../../domain/errors.ts'
import type { Asks } from '../../gateways/runner/protocol.ts'
import type { Runner } from '../../gateways/runner/start-runner.ts'
import { createCloudDoor, type Lending } from '../../gateways/sandbox/cloud-door.ts'
import type { CloudAccount } from '../../store/clouds/cloud-account-row.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import type { Deps } from '../deps.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import type { StageLog } from '../runs/stage-log.ts'
import { maskInRunner } from './mask-in-runner.ts'
import type { LoadedRun } from './load-run.ts'

export type RunDoor = {
  server: Server
  /** The address of the door inside of the sandbox. */
  at: (url: string) => void
  /** Opens the door for the run whose token this is. */
  open: (token: string) => Promise<Asks['lend']['answer']>
  masked: (ask: Asks['masked']['ask']) => Promise<Asks['masked']['answer']>
  close: () => void
}

/**
 * The door through which one step of a run is lent credentials of its workspace's cloud account.
 * Undefined where the workspace names none. It is shut until `open`, which comes after `init`.
 */
export function cloudDoorForRun(
  deps: Deps,
  loaded: LoadedRun,
  { phase, runner, log }: { phase: RunPhase; runner: Runner; log: StageLog },
): RunDoor | undefined {
  const { organizationId, run, actor } = loaded
  const { cloudAccountId } = loaded.workspace
  if (cloudAccountId === null) return undefined
  const capability = randomBytes(32).toString('base64url')
  const masks = maskInRunner(runner)
  const say = sayOnce(log)
  let url = ''
  let lend: (() => Promise<Lending>) | undefined
  const server = createCloudDoor({
    capability,
    async lend() {
      if (!lend) return { how: 'over', reason: 'Credentials are lent from plan and apply on.' }
      const lending = await lend().catch((error: unknown): Lending => {
        deps.log.warn({ err: error, runId: run.id }, 'a run could not be lent credentials')
        return { how: 'unreachable', reason: 'The service could not lend credentials just now.' }
      })
      if ('lent' in lending) await masks.add(secretsOf(lending.lent))
      else if (lending.how !== 'over') say('warn', nothing(lending.reason))
      return lending
    },
  })
  return {
    server,
    at: (address) => void (url = address),
    async open(token) {
      const account = await accountOf(deps, organizationId, cloudAccountId)
      if (!account) {
        say('warn', nothing('the cloud account was disconnected.'))
        return {}
      }
      const name = `cloud account ${account.id} (${account.provider} ${account.accountId})`
      const lent = lentEnvironment(deps.keyring, account, { url, capability, phase })
      say(
        lent ? 'info' : 'warn',
        lent
          ? `The run is lent the ${phase} identity of ${name}.`
          : nothing(`${name} has no identity for ${phase}.`),
      )
      if (!lent) return {}
      const { workspaceId, id: runId } = run
      const tokenHash = hashCredential(token)
      const borrower = { organizationId, workspaceId, runId, phase, cloudAccountId }
      lend = lenderFor(deps, { ...borrower, tokenHash, actor })
      return { lent: { ...lent, secrets: [capability] } }
    },
    masked: masks.masked,
    close() {
      lend = undefined
      server.closeAllConnections()
    },
  }
}

/** Undefined for one that was disconnected since the run was loaded. */
const accountOf = async (
  { store }: Deps,
  organizationId: number,
  id: number,
): Promise<CloudAccount | undefined> =>
  retryWhileUnavailable(async () =>
    store.tenant(organizationId, async (tenant) =>
      cloudAccounts(tenant)
        .get(id)
        .catch((error: unknown) => {
          if (error instanceof AppError && error.fault === 'not_found') return undefined
          throw error
        }),
    ),
  )

const nothing = (why: string): string => `The run is lent no credentials: ${why}`

/** A run may ask without end, so each line is said once. */
function sayOnce(log: StageLog) {
  const told = new Set<string>()
  return (level: 'info' | 'warn', line: string): void => {
    if (told.has(line) || told.size >= 20) return
    told.add(line)
    // Not awaited: the log keeps its own order.
    log.append([{ level, line: line.slice(0, 4_096) }]).catch(() => undefined)
  }
}

/** All that would let another act as the run. */
function secretsOf(lent: Extract<Lending, { lent: unknown }>['lent']): string[] {
  if (lent.kind === 'aws') return [lent.accessKeyId, lent.secretAccessKey, lent.sessionToken]
  return [lent.kind === 'azure' ? lent.assertion : lent.accessToken]
}
