import { setTimeout as pause } from 'node:timers/promises'
import type { WebhookOutcome } from '../../gateways/git/register-webhook.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import type { Store } from '../../store/driver/connect.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { triggeredPipelines } from '../../store/pipelines/pipelines.ts'

/** The lease of one registration. A killed process holds the others up for this long. */
const turnSeconds = 60
const patienceMs = 20_000
const pauseMs = 200

type Place = { connectionId: number; repo: string; url: string }

/**
 * Registers a webhook while no other one of its connection is registered: each lists, deletes and creates, so two
 * at once would leave a repository with several webhooks, or delete each other's. The turn is a lease in a row, so
 * no transaction waits for a host. `register` is not called if the repository's webhook was made active meanwhile.
 */
export async function inWebhookTurn(
  { store }: { store: Store },
  organizationId: number,
  at: Place & {
    register: () => Promise<WebhookOutcome>
    /** Stores the outcome. */
    note: (tenant: Tenant, outcome: WebhookOutcome) => Promise<void>
  },
): Promise<WebhookOutcome> {
  const { connectionId, url } = at
  const active = async () =>
    store.tenant(organizationId, async (tenant) => activeWebhooks(tenant, at))
  const before = await active()
  const until = await takeTurn(store, organizationId, connectionId)
  if (until === undefined) return busy
  try {
    const now = await active()
    const outcome: WebhookOutcome = [...now.rows].some((row) => !before.rows.has(row))
      ? { state: 'active', url, signed: now.signed, reason: null }
      : await at.register()
    // Within the turn, so that the next one sees it.
    await store.tenant(organizationId, async (tenant) => at.note(tenant, outcome))
    return outcome
  } finally {
    await store.tenant(organizationId, async (tenant) =>
      gitConnections(tenant).endWebhookTurn(connectionId, until),
    )
  }
}

/** Nothing is stored of it: the registration under way stores its own outcome. */
const busy: WebhookOutcome = {
  state: 'pending',
  url: null,
  signed: false,
  reason: 'Pushes are not noticed yet: another webhook of this connection is being registered.',
}

/** The lease's end; undefined if others held it all the time. */
async function takeTurn(
  store: Store,
  organizationId: number,
  connectionId: number,
): Promise<string | undefined> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const until = await store.tenant(organizationId, async (tenant) => {
      const connections = gitConnections(tenant)
      const taken = await connections.takeWebhookTurn(connectionId, turnSeconds)
      // Throws if the connection was deleted: its turn would never come.
      if (taken === undefined) await connections.get(connectionId)
      return taken
    })
    if (until !== undefined || Date.now() > deadline) return until
    await pause(pauseMs)
  }
}

/** The connection and the pipelines that have this repository's webhook, as far as is known. */
async function activeWebhooks(
  tenant: Tenant,
  { connectionId, repo, url }: Place,
): Promise<{ rows: Set<string>; signed: boolean }> {
  const isSame = (name: string | null) => name?.toLowerCase() === repo.toLowerCase()
  const connection = await gitConnections(tenant).get(connectionId)
  const rows = new Set<string>()
  if (
    isSame(connection.defaultRepo) &&
    connection.webhookState === 'active' &&
    connection.webhookUrl === url
  )
    rows.add('connection')
  for (const { id, appRepo, webhookState } of await triggeredPipelines(tenant, connectionId))
    if (isSame(appRepo) && webhookState === 'active') rows.add(`pipeline-${id}`)
  return { rows, signed: connection.webhookSigned }
}
