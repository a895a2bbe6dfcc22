import type { Tenant } from '../../store/driver/tenant.ts'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { may } from '../../domain/access/caller.ts'
import { notFound } from '../../domain/errors.ts'
import { presentOutputs, presentPublicOutputs } from '../../domain/workspaces/present-outputs.ts'
import type { StateOutput, StateResource } from '../../domain/workspaces/split-state.ts'
import { stateVersions, type StateVersion } from '../../store/workspaces/state-versions.ts'
import { listedResources } from '../../store/clouds/listed-resources.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { decodeCursor, maxKey, page } from '../http/paging.ts'
import { Body, errors, Id, IdParams, NextCursor, Nullable, OneOf, Page } from '../http/schemas.ts'
import {
  presentStateVersion,
  presentStateVersions,
  StateVersionBody,
} from './present-state-version.ts'
import { readStateRows } from './read-state.ts'
import { searchForSecrets } from '../../app/workspaces/secrets-of-workspace.ts'
import { sendState } from './send-state.ts'
import { restoreState } from './restore-state.ts'
import { Cursor, QueryText } from '../http/pattern.ts'

const Serial = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const SerialParams = Type.Object({ id: Id, serial: Serial })
/** Later pages stay in the version of the first one, so that the list does not change between them. */
const RowsPage = Type.Object({
  ...Page.properties,
  cursor: Type.Optional(Cursor('^[0-9]{1,9}-[0-9]{1,9}$')),
})
const readCursor = (cursor: string | undefined) => {
  const [versionId, after = 0] = cursor?.split('-').map(Number) ?? []
  return { versionId, after }
}
const cursorOf = (version: StateVersion, seq: number | null) =>
  seq === null ? null : `${version.id}-${seq}`

/** Which lineage is meant if several have the serial; by default the newest one. */
const LineageQuery = Type.Object({ lineage: Type.Optional(QueryText({ maxLength: 200 })) })

const target = async (tenant: Tenant, { id = 0, serial }: Record<string, number>) =>
  serial === undefined ? workspaces(tenant).get(id) : stateVersions(tenant).bySerial(id, serial)

/** What a workspace's state contains, and all of its versions. */
export const stateRoutes: FastifyPluginAsyncTypebox = async (app) => {
  /** The current version or that of the cursor, or undefined. Throws not-found for an unknown workspace. */
  const versionOf = async (organizationId: number, workspaceId: number, versionId?: number) =>
    app.deps.store.tenant(organizationId, async (tenant) => {
      await workspaces(tenant).get(workspaceId)
      const versions = stateVersions(tenant)
      if (versionId === undefined) return versions.current(workspaceId)
      const version = await versions.get(workspaceId, versionId)
      if (version.status !== 'finalized') throw notFound()
      return version
    })

  const searchOf = async (organizationId: number, version: StateVersion) =>
    app.deps.store.tenant(organizationId, async (tenant) => {
      const { workspaceId, workspaceRunId: runId } = version
      return searchForSecrets(app.deps, tenant, { organizationId, workspaceId, runId })
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
      const before = decodeCursor(cursor, maxKey)
      return app.deps.store.tenant(organizationId, async (tenant) => {
        await workspaces(tenant).get(id)
        const found = await stateVersions(tenant).list(id, limit + 1, before)
        const { rows, nextCursor } = page(found, limit)
        return { versions: await presentStateVersions(tenant, rows), nextCursor }
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
        querystring: LineageQuery,
        response: { 200: Type.Unknown(), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id, serial }, query: { lineage } }, reply) => {
      const version = await app.deps.store.tenant(organizationId, async (tenant) =>
        stateVersions(tenant).bySerial(id, serial, lineage),
      )
      return sendState(app.deps, reply, { organizationId, version })
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
      const version = await app.deps.store.tenant(organizationId, async (tenant) =>
        stateVersions(tenant).quarantined(workspaceId, versionId),
      )
      return sendState(app.deps, reply, { organizationId, version })
    },
  )

  app.post(
    '/workspaces/:id/state/versions/:serial/restore',
    {
      config: { access: 'manage_cloud_accounts', target },
      schema: {
        operationId: 'restoreState',
        description:
          'Makes an old state the current one, as a new version with the next serial of the current lineage. `newLineage` gives it a lineage of its own, at serial 1: for a workspace whose serial leaves no room above it.',
        params: SerialParams,
        querystring: LineageQuery,
        body: Body({ newLineage: Type.Optional(Type.Boolean()) }),
        response: {
          201: Type.Object({ ok: Type.Literal(true), version: StateVersionBody }),
          ...errors(409, 423),
        },
      },
    },
    async ({ caller, params, query: { lineage }, body }, reply) => {
      const version = await restoreState(app.deps, caller, { ...params, lineage, ...body })
      return reply.status(201).send({ ok: true, version: presentStateVersion(version) })
    },
  )

  app.get(
    '/workspaces/:id/state/resources',
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'listStateResources',
        description:
          'Every instance in the current state by its address, without attributes. cloudId is its id in the list of cloud resources, if a cloud account lists it. Of more than 50,000 the rest is counted in omittedResources.',
        params: IdParams,
        querystring: RowsPage,
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
                cloudId: Nullable(Type.String()),
              }),
            ),
            omittedResources: Type.Integer(),
            nextCursor: NextCursor,
          }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, params: { id }, query: { limit = 50, cursor } }) => {
      const { versionId, after } = readCursor(cursor)
      const version = await versionOf(organizationId, id, versionId)
      if (!version) return { serial: null, resources: [], omittedResources: 0, nextCursor: null }
      const { rows, nextSeq, omitted } = await readStateRows<StateResource>(
        app.deps,
        { organizationId, version },
        { kind: 'resource', after, limit },
      )
      const search = await searchOf(organizationId, version)
      // The key of an instance can contain a sensitive value.
      const resources = rows.map((resource) => ({
        ...resource,
        address: search.cover(resource.address),
        module: resource.module === null ? null : search.cover(resource.module),
      }))
      const listed = await app.deps.store.tenant(organizationId, async (tenant) =>
        listedResources(
          tenant,
          id,
          resources.map(({ address }) => address),
        ),
      )
      return {
        serial: version.serial,
        resources: resources.map((resource) => ({
          ...resource,
          cloudId: listed.get(resource.address) ?? null,
        })),
        omittedResources: omitted,
        nextCursor: cursorOf(version, nextSeq),
      }
    },
  )

  app.get(
    '/workspaces/:id/outputs',
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'listOutputs',
        description:
          'Without mutate_infra a sensitive output has no value. What another output took from a sensitive variable, or from a value that the state marks as sensitive, is then covered by `[masked]`, and the output shown as sensitive. An output of more than 64 KiB or 100 levels has none for anybody, and says why in omitted: the state itself has it.',
        params: IdParams,
        querystring: RowsPage,
        response: {
          200: Type.Object({
            outputs: Type.Array(
              Type.Object({
                name: Type.String(),
                type: Type.Unknown(),
                value: Type.Unknown(),
                sensitive: Type.Boolean(),
                omitted: Type.Optional(OneOf(['too_large', 'too_deep'])),
              }),
            ),
            omittedOutputs: Type.Integer(),
            nextCursor: NextCursor,
          }),
          ...errors(),
        },
      },
    },
    async ({ caller, params: { id }, query: { limit = 200, cursor } }) => {
      const { organizationId } = caller
      const { versionId, after } = readCursor(cursor)
      const version = await versionOf(organizationId, id, versionId)
      if (!version) return { outputs: [], omittedOutputs: 0, nextCursor: null }
      const { rows, nextSeq, omitted } = await readStateRows<StateOutput>(
        app.deps,
        { organizationId, version },
        { kind: 'output', after, limit },
      )
      return {
        // A caller with this capability may read the whole state.
        outputs: may(caller, 'mutate_infra')
          ? presentOutputs(rows)
          : presentPublicOutputs(rows, await searchOf(organizationId, version)),
        omittedOutputs: omitted,
        nextCursor: cursorOf(version, nextSeq),
      }
    },
  )
}
