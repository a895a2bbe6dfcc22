import type { FastifyReply } from 'fastify'
import type { Deps } from '../deps.ts'
import { admitDownload } from './admit-download.ts'
import { readStateBytes, type StateAddress } from './read-state.ts'

/** Sends a state as it was written, with its MD5 for OpenTofu. The length reveals a truncated answer. */
export async function sendState(
  deps: Deps,
  reply: FastifyReply,
  address: StateAddress,
): Promise<FastifyReply> {
  const { sizeBytes, bodyMd5, stream } = await readStateBytes(deps, address)
  admitDownload(reply, { organizationId: address.organizationId, sizeBytes })
  return reply
    .header('content-md5', bodyMd5)
    .header('content-length', sizeBytes)
    .type('application/json')
    .send(stream)
}
