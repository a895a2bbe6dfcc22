import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { may } from '../../domain/access/caller.ts'
import { compareAddresses } from '../../domain/workspaces/compare-addresses.ts'
import { listOutputs, listPublicOutputs } from '../../domain/workspaces/list-outputs.ts'
import { parseState } from '../../domain/workspaces/state-document.ts'
import { listResources } from '../../domain/workspaces/state-resources.ts'
import type { Db } from '../../store/connect.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { decodeCursor, page } from '../http/paging.ts'
import { errors, Id, IdParams, NextCursor, Nullable, OneOf, Page } from '../http/schemas.ts'
import { presentStateVersion, StateVersionBody } from './present-state-version.ts'
import { readState } from './read-state.ts'
import { searchForSecrets, secretsOfWorkspace } from './secrets-of-workspace.ts'
import { restoreState } from './restore-state.ts'
import { Cursor } from '../http/pattern.ts'

/** Above any id: a list begins with its newest row. */
const newest = 2_147_483_647

const Serial = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const SerialParams = Type.Object({ id: Id, serial: Serial })
/** Addresses are keys of their own: longer than an id, and they name the place wherever the list has moved. */
const AddressPage = Type.Object({
  ...Page.properties,
  cursor: Type.Optional(Cursor('^[A-Za-z0-9_-]+$', { maxLength: 4_096 })),
})

const target = async (db: Db, organizationId: number, { id = 0, serial }: Record<string, number>) =>
  serial === undefined
    ? workspaces(db, organizationId).get(id)
    : stateVersions(db, organizationId).bySerial(id, serial)

/** Decisions §4: what a workspace's state says, and every version of it. */
export const stateRoutes: FastifyPluginAsyncTypebox = async (app) => {
  /** The current state as text, or undefined; not-found where the workspace is nobody's. */
  const currentState = async (organizationId: number, workspaceId: number) =>
    app.deps.store.tenant(organizationId, async (db) => {
      await workspaces(db, organizationId).get(workspaceId)
      return readState(app.deps, db, { organizationId, workspaceId })
    })

  app.get(
    '/workspaces/:id/state/versions',
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'listStateVersions',
        params: IdParams,
        querystring: Page,
        response: {
          200: Type.Object({ versions: Type.Array(StateVersionBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, params: { id }, query: { limit = 50, cursor } }) => {
      const before = decodeCursor(cursor, newest)
      return app.deps.store.tenant(organizationId, async (db) => {
        await workspaces(db, organizationId).get(id)
        const found = await stateVersions(db, organizationId).list(id, limit + 1, before)
        const { rows, nextCursor } = page(found, limit)
        return { versions: rows.map(presentStateVersion), nextCursor }
      })
    },
  )

  app.get(
    '/workspaces/:id/state/versions/:serial',
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'readStateVersion',
        description: 'The state itself, as it was written.',
        params: SerialParams,
        response: { 200: Type.Unknown(), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id: workspaceId, serial } }, reply) => {
      const state = await app.deps.store.tenant(organizationId, async (db) => {
        const version = await stateVersions(db, organizationId).bySerial(workspaceId, serial)
        return readState(app.deps, db, { organizationId, workspaceId, version })
      })
      return reply.type('application/json').send(state?.body)
    },
  )

  app.get(
    '/workspaces/:id/state/quarantined/:versionId',
    {
      config: { access: 'mutate_infra' },
      schema: {
        operationId: 'readQuarantinedState',
        description:
          'A state that a run could not make current: the only trace of what it made. Push what of it is true.',
        params: Type.Object({ id: Id, versionId: Id }),
        response: { 200: Type.Unknown(), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id: workspaceId, versionId } }, reply) => {
      const state = await app.deps.store.tenant(organizationId, async (db) => {
        const version = await stateVersions(db, organizationId).quarantined(workspaceId, versionId)
        return readState(app.deps, db, { organizationId, workspaceId, version })
      })
      return reply.type('application/json').send(state?.body)
    },
  )

  app.post(
    '/workspaces/:id/state/versions/:serial/restore',
    {
      config: { access: 'manage_cloud_accounts', target },
      schema: {
        operationId: 'restoreState',
        description: 'Makes an old state the current one, as a new version with the next serial.',
        params: SerialParams,
        response: {
          201: Type.Object({ ok: Type.Literal(true), version: StateVersionBody }),
          ...errors(409, 423),
        },
      },
    },
    async ({ caller, params }, reply) => {
      const version = await restoreState(app.deps, caller, params)
      return reply.status(201).send({ ok: true, version: presentStateVersion(version) })
    },
  )

  app.get(
    '/workspaces/:id/state/resources',
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'listStateResources',
        description: 'Every instance in the current state by its address, without attributes.',
        params: IdParams,
        querystring: AddressPage,
        response: {
          200: Type.Object({
            serial: Nullable(Type.Integer()),
            resources: Type.Array(
              Type.Object({
                address: Type.String(),
                mode: OneOf(['managed', 'data']),
                type: Type.String(),
                name: Type.String(),
                module: Nullable(Type.String()),
                provider: Type.String(),
              }),
            ),
            nextCursor: NextCursor,
          }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, params: { id }, query: { limit = 50, cursor = '' } }) => {
      const state = await currentState(organizationId, id)
      if (!state) return { serial: null, resources: [], nextCursor: null }
      const after = Buffer.from(cursor, 'base64url').toString()
      const rest = listResources(parseState(state.body.toString())).filter(
        ({ address }) => compareAddresses(address, after) > 0,
      )
      const found = rest.slice(0, limit)
      const last = rest.length > limit ? found.at(-1) : undefined
      const search = await app.deps.store.tenant(organizationId, async (db) =>
        searchForSecrets(app.deps, db, { organizationId, workspaceId: id }),
      )
      // The key of an instance can be a value.
      const resources = found.map((resource) => ({
        ...resource,
        address: search.cover(resource.address),
        module: resource.module === null ? null : search.cover(resource.module),
      }))
      const nextCursor = last ? Buffer.from(last.address).toString('base64url') : null
      return { serial: state.version.serial, resources, nextCursor }
    },
  )

  app.get(
    '/workspaces/:id/outputs',
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'listOutputs',
        description:
          'Without mutate_infra a sensitive output has no value. What another output took from a sensitive variable, or from a value that the state marks as sensitive, is then covered by `[masked]`, and the output shown as sensitive.',
        params: IdParams,
        response: {
          200: Type.Object({
            outputs: Type.Array(
              Type.Object({
                name: Type.String(),
                type: Type.Unknown(),
                value: Type.Unknown(),
                sensitive: Type.Boolean(),
              }),
            ),
          }),
          ...errors(),
        },
      },
    },
    async ({ caller, params: { id } }) => {
      const { organizationId } = caller
      const state = await currentState(organizationId, id)
      if (!state) return { outputs: [] }
      const document = parseState(state.body.toString())
      // Who may change the infrastructure may read the state itself.
      if (may(caller, 'mutate_infra')) return { outputs: listOutputs(document) }
      const secrets = await app.deps.store.tenant(organizationId, async (db) =>
        secretsOfWorkspace(app.deps, db, { organizationId, workspaceId: id }),
      )
      return { outputs: listPublicOutputs(document, secrets) }
    },
  )
}
