import type { Store } from '../driver/connect.ts'

/** An agent that is refused for its protocol. It is written once: it asks again and again. */
export async function noteOutdated(
  store: Pick<Store, 'write'>,
  { organizationId, agentId }: { organizationId: number; agentId: number },
): Promise<void> {
  await store.write(organizationId, {
    name: 'note-agent-outdated',
    text: `update agents set outdated = true, last_seen_at = now()
      where organization_id = $1::integer and id = $2::integer
        and (not outdated or last_seen_at < now() - interval '20 seconds')`,
    values: [organizationId, agentId],
  })
}
