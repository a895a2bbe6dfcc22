import type { Tenant } from '../../store/driver/tenant.ts'
import { Readable } from 'node:stream'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalid } from '../../domain/errors.ts'
import { assertRunMay } from '../../domain/workspaces/assert-run-may.ts'
import { secretsOfWorkspace } from '../../app/workspaces/secrets-of-workspace.ts'
import { lockInfoOf, parseLockInfo } from '../../domain/workspaces/lock-info.ts'
import { maxStateBytes, withSplitState } from '../../gateways/states/split-state.ts'
import type { WorkspaceLock } from '../../store/workspaces/workspace-locks.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { QueryText } from '../http/pattern.ts'
import { ErrorBody, errors, IdParams, Ok } from '../http/schemas.ts'
import { lockedBy } from './locked-by.ts'
import { nameRunLock } from './name-run-lock.ts'
import { sendState } from './send-state.ts'
import { takeCliLock } from './take-cli-lock.ts'
import { unlockWorkspace } from './unlock-workspace.ts'
import { writeRunState } from './write-run-state.ts'
import { writeState } from './write-state.ts'
import { addRoutes } from '../http/add-routes.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  workspaces(tenant).get(id)

const config = { access: 'state', rawBody: true, target } as const
const LockQuery = Type.Object({ ID: Type.Optional(QueryText({ maxLength: 200 })) })
/** 423 has OpenTofu's own lock info, and beside it our error, which OpenTofu ignores. */
const Held = Type.Object({
  ...ErrorBody.properties,
  ID: Type.String(),
  Operation: Type.String(),
  Info: Type.String(),
  Who: Type.String(),
  Version: Type.String(),
  Created: Type.String(),
  Path: Type.String(),
})
const answers = { 200: Ok, ...errors(409), 423: Held }

/**
 * OpenTofu's `http` backend protocol, for people's own tofu and for runs. A state is stored as the
 * bytes that were sent.
 */
export const stateProtocolRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  await addRoutes(app, stateWriteRoute)

  app.get(
    '/workspaces/:id/state',
    {
      config,
      schema: {
        operationId: 'readState',
        description:
          'The address, lock address and unlock address of OpenTofu’s http backend, whose methods LOCK and UNLOCK it answers as well. 204 where there is no state yet.',
        params: IdParams,
        response: { 200: Type.Unknown(), 204: Type.Null(), ...errors() },
      },
    },
    async (request, reply) => {
      const workspaceId = request.params.id
      const { organizationId } = reaching(request, workspaceId, 'read')
      const version = await app.deps.store.tenant(organizationId, async (tenant) => {
        await workspaces(tenant).get(workspaceId)
        return stateVersions(tenant).current(workspaceId)
      })
      if (!version) return reply.status(204).send(null)
      return sendState(app.deps, reply, { organizationId, version })
    },
  )

  app.route({
    method: 'LOCK',
    url: '/workspaces/:id/state',
    config,
    schema: { operationId: 'lockState', hide: true, params: IdParams, response: answers },
    handler: async (request, reply) => {
      const { id } = request.params
      const { run, caller } = reaching(request, id, 'lock')
      if (!run) await assertExists(app.deps.store, caller.organizationId, id)
      const info = parseLockInfo(bodyOf(request).toString(), new Date())
      if (run) await nameRunLock(app.deps, run, info)
      const held = run ? undefined : await takeCliLock(app.deps, caller, { id, info })
      return held ? refuse(reply, held) : reply.send({ ok: true })
    },
  })

  app.route({
    method: 'UNLOCK',
    url: '/workspaces/:id/state',
    config,
    schema: {
      operationId: 'unlockState',
      hide: true,
      params: IdParams,
      querystring: LockQuery,
      response: answers,
    },
    handler: async (request, reply) => {
      const { id } = request.params
      const { run, caller } = reaching(request, id, 'lock')
      if (!run) await assertExists(app.deps.store, caller.organizationId, id)
      const lockId = request.query.ID ?? parseLockInfo(bodyOf(request).toString(), new Date()).ID
      if (run) await nameRunLock(app.deps, run, null)
      else await unlockWorkspace(app.deps, caller, { id, lockId, force: true })
      return reply.send({ ok: true })
    },
  })
}

/** The one route whose body is a stream: a state is processed while it arrives. */
const stateWriteRoute: FastifyPluginAsyncTypebox = async (app) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, body, done) => done(null, body))

  app.post(
    '/workspaces/:id/state',
    {
      bodyLimit: maxStateBytes,
      config,
      schema: {
        operationId: 'writeState',
        description: 'ID is that of the lock which is held; without one no state is taken.',
        params: IdParams,
        querystring: LockQuery,
        response: answers,
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const lockId = request.query.ID
      const { run, caller, organizationId } = reaching(request, id, 'write')
      const secrets = await app.deps.store.tenant(organizationId, async (tenant) => {
        if (!run) await workspaces(tenant).get(id)
        return secretsOfWorkspace(app.deps, tenant, { organizationId, workspaceId: id })
      })
      const source = { organizationId, bytes: bytesOf(request) }
      const held = await withSplitState(source, secrets, async (state) => {
        assertUnharmed(request, state.header.bodyMd5)
        if (!run) return writeState(app.deps, caller, { id, state, lockId })
        return writeRunState(app.deps, run, { state, lockId })
      })
      return held ? refuse(reply, held) : reply.send({ ok: true })
    },
  )
}

/** Keeps the connection open if the state is refused before its end, so that the client reads the refusal. */
const bytesOf = ({ body }: FastifyRequest): AsyncIterable<Buffer> =>
  body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : Readable.from([])

/** The caller, after checking that a run's token is used for its own workspace. */
function reaching(request: FastifyRequest, workspaceId: number, act: 'read' | 'lock' | 'write') {
  const { runCaller: run, caller } = request
  if (run) assertRunMay(run, workspaceId, act)
  return { run, caller, organizationId: (run ?? caller).organizationId }
}

/** Throws not-found for another organization's workspace, before the body is checked. */
async function assertExists(
  store: FastifyRequest['server']['deps']['store'],
  organizationId: number,
  id: number,
): Promise<void> {
  await store.tenant(organizationId, async (tenant) => workspaces(tenant).get(id))
}

/** The parser above leaves a buffer or no body. */
const bodyOf = ({ body }: FastifyRequest): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.alloc(0)

/** Compares the MD5 that OpenTofu sends, so that a truncated or altered state is not stored. */
function assertUnharmed({ headers }: FastifyRequest, bodyMd5: string): void {
  const sent = headers['content-md5']
  if (sent === undefined || sent === bodyMd5) return
  throw invalid('The body is not the one whose Content-MD5 was sent.', undefined, 'md5_mismatch')
}

function refuse(reply: FastifyReply, lock: WorkspaceLock) {
  const { message, code } = lockedBy(lock)
  return reply.status(423).send({ error: message, code, ...lockInfoOf(lock) })
}
