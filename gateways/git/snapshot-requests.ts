import { unavailable } from '../../domain/errors.ts'
import type { Outbound, OutboundStream } from '../outbound/outbound.ts'
import { headersOf } from '../outbound/outbound-fetch.ts'
import type { Channel } from '../runner/channel.ts'
import { BadFrame } from '../runner/frames.ts'
import { GitRefusal } from './git-refusal.ts'
import type { MakeRequest } from './snapshot-exchange.ts'
import { collectBlob, type GitService } from './snapshot-protocol.ts'
import { tooLarge } from './too-large.ts'

const usualMaxPackBytes = 256 * 1_048_576
/** What a push sends is made from a commit of this process, and the trees around its files. */
const maxRequestBytes = 64 * 1_048_576
const timeoutMs = 120_000

export type Remote = {
  url: string
  authorization: string
  provider: string
  maxPackBytes?: number
}

export type RequestRules = {
  outbound: Outbound
  remote: Remote
  /** What the process may ask now. */
  allows(service: GitService): boolean
  /** Waits until a pack may be unpacked. All of it has been sent by then, except its end. */
  beforeUnpack(): Promise<void>
}

/**
 * Makes the requests of a snapshot's process. It unpacks bytes that an attacker may have made, so it has no
 * network and no credential: it names one of git's two services, and this process adds the repository's
 * address and the credential. The answer is passed on in pieces and never collected here.
 */
export function snapshotRequests(channel: Channel, rules: RequestRules): MakeRequest {
  const { outbound, remote } = rules
  return async ({ service, advertised }, next) => {
    const isKnown = service === 'git-upload-pack' || service === 'git-receive-pack'
    if (!isKnown || typeof advertised !== 'boolean' || !rules.allows(service))
      throw new BadFrame('A process asks for what its work does not need')
    const body = await collectBlob(next, maxRequestBytes)
    try {
      const answer = await askRemote(outbound, remote, { service, advertised, body })
      try {
        const contentType = answer.headers['content-type'] ?? ''
        await channel.send({ kind: 'answer', status: answer.status, contentType })
        for await (const piece of answer.body) await channel.sendPieces('answer', piece)
      } finally {
        answer.body.destroy()
      }
    } catch (error) {
      throw tooLarge(remote.provider, error)
    }
    if (service === 'git-upload-pack' && !advertised) await rules.beforeUnpack()
    await channel.send({ kind: 'blob_end', name: 'answer' })
  }
}

export type RemoteAsk = {
  service: GitService
  /** The list of references, which comes before the service itself. */
  advertised: boolean
  body: Buffer
  maxBytes?: number
}

/** One request of git's smart HTTP. The caller reads or destroys the body of the answer. */
export async function askRemote(
  outbound: Outbound,
  remote: Remote,
  { service, advertised, body, maxBytes = remote.maxPackBytes ?? usualMaxPackBytes }: RemoteAsk,
): Promise<OutboundStream> {
  const answer = await outbound.stream(addressOf(remote, service, advertised), {
    use: 'git',
    timeoutMs,
    maxBytes,
    ...(advertised ? { method: 'GET' } : { method: 'POST', body }),
    headers: {
      ...(!advertised && {
        'content-type': `application/x-${service}-request`,
        accept: `application/x-${service}-result`,
      }),
      authorization: remote.authorization,
    },
  })
  try {
    refuse(remote.provider, answer)
    return answer
  } catch (error) {
    answer.body.destroy()
    throw error
  }
}

const addressOf = ({ url }: Remote, service: GitService, advertised: boolean): string =>
  advertised ? `${url}/info/refs?service=${service}` : `${url}/${service}`

function refuse(
  provider: string,
  answer: Parameters<typeof headersOf>[0] & { status: number },
): void {
  if (answer.status >= 400)
    throw new GitRefusal(provider, { status: answer.status, headers: headersOf(answer) })
  if (answer.status >= 300)
    throw unavailable('git_provider_unavailable', `${provider} redirects its repositories.`)
}
