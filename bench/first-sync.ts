import { p95 } from './figures.ts'
import type { SocketAnswer, SocketClient } from './socket-client.ts'
import { scimPerson } from './scim-person.ts'

type Plan = { base: string; people: number; groups: number; size: number }

export type Synced = {
  seconds: number
  perSecond: number
  p95Ms: number
  failures: number
  /** People and members that the API accepted and that are missing afterwards. */
  missing: number
}

/**
 * Starts as Entra ID does: looks up each person and group, creates it, and adds the members by
 * PATCH.
 */
export async function firstSync(
  clients: readonly SocketClient[],
  { base, people, groups, size }: Plan,
): Promise<Synced> {
  const took: number[] = []
  let failures = 0
  const note = (answer: SocketAnswer, status: number): SocketAnswer => {
    took.push(answer.tookMs)
    if (answer.status !== status) {
      if (failures === 0) console.log(answer.status, answer.body.slice(0, 300))
      failures += 1
    }
    return answer
  }
  const found = (kind: string, filter: string) =>
    `${base}/${kind}?filter=${encodeURIComponent(filter)}`
  const ids: string[] = []
  const groupIds: string[] = []
  const began = performance.now()

  await share(clients, people, async (client, at) => {
    const body = scimPerson(`synced-${at}`)
    note(await client.ask('GET', found('Users', `userName eq "${body.userName}"`)), 200)
    const { body: made } = note(await client.ask('POST', `${base}/Users`, body), 201)
    ids[at] = JSON.parse(made).id
  })
  await share(clients, groups, async (client, at) => {
    const displayName = `synced ${at}`
    note(await client.ask('GET', found('Groups', `displayName eq "${displayName}"`)), 200)
    const body = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName }
    const made = note(await client.ask('POST', `${base}/Groups`, body), 201)
    const id = String(JSON.parse(made.body).id)
    groupIds[at] = id
    const value = Array.from({ length: size }, (_, nth) => ({
      value: ids[(at * size + nth * 7) % people],
    }))
    const change = { Operations: [{ op: 'Add', path: 'members', value }] }
    note(await client.ask('PATCH', `${base}/Groups/${id}?excludedAttributes=members`, change), 200)
  })
  const seconds = (performance.now() - began) / 1_000

  const counted = await clients[0]?.ask('GET', `${found('Users', 'userName sw "synced-"')}&count=0`)
  let missing = people - Number(JSON.parse(counted?.body ?? '{}').totalResults)
  await share(clients, groups, async (client, at) => {
    const { body } = await client.ask('GET', `${base}/Groups/${groupIds[at]}`)
    missing += size - Number(JSON.parse(body).members?.length)
  })
  return { seconds, perSecond: took.length / seconds, p95Ms: p95(took), failures, missing }
}

/** Each connection takes the next item as soon as it is free. */
async function share(
  clients: readonly SocketClient[],
  count: number,
  work: (client: SocketClient, at: number) => Promise<void>,
): Promise<void> {
  let next = 0
  await Promise.all(
    clients.map(async (client) => {
      while (next < count) {
        const at = next
        next += 1
        await work(client, at)
      }
    }),
  )
}
