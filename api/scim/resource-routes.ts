import { Readable } from 'node:stream'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { projection, type Projection } from '../../domain/scim/projection.ts'
import type { ResourceSchema } from '../../domain/scim/schemas.ts'
import type { FilterColumns } from '../../store/scim/filter-to-sql.ts'
import type { BoundedPage, ListPage } from '../../store/scim/list-in-bytes.ts'
import type { Deps } from '../deps.ts'
import { scimAnswer, ScimBody, scimDeletion, scimErrors } from '../http/scim-schemas.ts'
import { listPage, ListQuery, ShownQuery } from './list-query.ts'
import { listResponse, readPage } from './list-response.ts'
import { scimBaseUrl } from './scim-base-url.ts'
import { provisioningOf, type Provisioning } from './scim-request.ts'
import { ScimIdParams, scimTarget } from './scim-target.ts'
import { hasVersion, versionTag } from './version-tag.ts'

type Body = Record<string, unknown>
type Stored = { publicId: string; version: string }

/** What the answer contains: its base address and the attributes. */
export type Asked = { baseUrl: string; projection: Projection }

type Change<T> = (
  deps: Deps,
  by: Provisioning,
  change: { publicId: string; body: Body; projection: Projection },
) => Promise<T>

/** What users and groups have in common for the protocol. */
export type Resource<T extends Stored> = {
  /** `User` is at /Users. */
  name: 'User' | 'Group'
  schema: ResourceSchema
  columns: FilterColumns
  /** A note on its list, for the API reference. */
  listNote?: string
  rows: (tenant: Tenant) => {
    get: (id: string, shown: Projection) => Promise<T>
    exists: (id: string) => Promise<unknown>
    list: (page: ListPage, shown: Projection) => Promise<BoundedPage<T>>
    count: (page: ListPage) => Promise<number>
  }
  create: (deps: Deps, by: Provisioning, made: { body: Body; projection: Projection }) => Promise<T>
  put: Change<T>
  patch: Change<T>
  remove: (deps: Deps, by: Provisioning, publicId: string) => Promise<void>
  present: (stored: T, asked: Asked) => Body
  /** Whether the answer has what can change without the version, so that 304 could hide a change. */
  hasUnversioned?: (shown: Projection) => boolean
  /** The text of one that is too large to be presented at once. */
  inPieces?: (
    deps: Deps,
    organizationId: number,
    of: { stored: T; asked: Asked; kind: Kind },
  ) => AsyncIterable<string> | undefined
}

/** What the request did to the resource that its answer has. */
type Kind = 'read' | 'write'

/** The routes of RFC 7644 3 for one kind of resource. */
export function resourceRoutes<T extends Stored>(resource: Resource<T>): FastifyPluginAsyncTypebox {
  return async (app) => {
    const asked = (request: FastifyRequest<{ Querystring: Shown }>): Asked => ({
      baseUrl: scimBaseUrl(app.deps, request),
      projection: projection(resource.schema, request.query),
    })
    const show: Show<T> = (request, reply, of) => {
      const { stored, asked: wanted, kind } = of
      void reply.header('etag', versionTag(stored.version))
      const isCompared = kind === 'read' && !resource.hasUnversioned?.(wanted.projection)
      if (isCompared && hasVersion(request.headers['if-none-match'], stored.version))
        return reply.status(304).removeHeader('content-type').send()
      const { organizationId } = request.scimCaller
      const pieces = resource.inPieces?.(app.deps, organizationId, of)
      return reply.send(
        pieces ? Readable.from(pieces, { highWaterMark: 1 }) : resource.present(stored, wanted),
      )
    }

    const path = `/${resource.name}s`
    addList(app, { resource, path, asked })
    addCreation(app, { resource, path, asked, show })
    addItem(app, { resource, path, asked, show })
  }
}

type Shown = Static<typeof ShownQuery>
type App = Parameters<FastifyPluginAsyncTypebox>[0]
type Listed<T extends Stored> = {
  resource: Resource<T>
  path: string
  asked: (request: FastifyRequest<{ Querystring: Shown }>) => Asked
}
type Show<T> = (
  request: FastifyRequest,
  reply: FastifyReply,
  of: { stored: T; asked: Asked; kind: Kind },
) => FastifyReply
type Served<T extends Stored> = Listed<T> & { show: Show<T> }

const answerOf = ({ name }: { name: string }) =>
  scimAnswer(`The ${name === 'User' ? 'person' : 'group'}, as far as it was asked for.`)

function addList<T extends Stored>(app: App, { resource, path, asked }: Listed<T>): void {
  const { name, schema, columns, listNote } = resource
  app.get(
    path,
    {
      config: { access: 'scim' },
      schema: {
        operationId: `listScim${name}s`,
        ...(listNote !== undefined && { description: listNote }),
        querystring: ListQuery,
        response: { 200: scimAnswer('A ListResponse.'), ...scimErrors() },
      },
    },
    async (request, reply) => {
      const { organizationId } = request.scimCaller
      const wanted = asked(request)
      const page = listPage(request.query, { schema, columns })
      const found = await app.deps.store.tenant(organizationId, async (tenant) => {
        const rows = resource.rows(tenant)
        return readPage(page, {
          list: async (one) => rows.list(one, wanted.projection),
          count: async (one) => rows.count(one),
        })
      })
      const resources = found.rows.map((one) => resource.present(one, wanted))
      const { totalResults } = found
      return reply.send(listResponse(resources, { ...page, totalResults }))
    },
  )
}

function addCreation<T extends Stored>(app: App, { resource, path, asked, show }: Served<T>): void {
  app.post(
    path,
    {
      config: { access: 'scim' },
      schema: {
        operationId: `createScim${resource.name}`,
        querystring: ShownQuery,
        body: ScimBody,
        response: { 201: answerOf(resource), ...scimErrors(409) },
      },
    },
    async (request, reply) => {
      const wanted = asked(request)
      const made = await resource.create(app.deps, provisioningOf(request, 201), {
        body: request.body,
        projection: wanted.projection,
      })
      void reply.status(201).header('location', `${wanted.baseUrl}${path}/${made.publicId}`)
      return show(request, reply, { stored: made, asked: wanted, kind: 'write' })
    },
  )
}

function addItem<T extends Stored>(app: App, { resource, path, asked, show }: Served<T>): void {
  const { name, rows } = resource
  const target = scimTarget((tenant, id) => rows(tenant).exists(id))
  const config = { access: 'scim', target } as const

  app.get(
    `${path}/:id`,
    {
      config,
      schema: {
        operationId: `getScim${name}`,
        params: ScimIdParams,
        querystring: ShownQuery,
        response: { 200: answerOf(resource), ...scimErrors() },
      },
    },
    async (request, reply) => {
      const { organizationId } = request.scimCaller
      const wanted = asked(request)
      const found = await app.deps.store.tenant(organizationId, async (tenant) =>
        rows(tenant).get(request.params.id, wanted.projection),
      )
      return show(request, reply, { stored: found, asked: wanted, kind: 'read' })
    },
  )

  for (const [method, verb, change] of [
    ['PUT', 'replace', resource.put],
    ['PATCH', 'patch', resource.patch],
  ] as const)
    app.route({
      method,
      url: `${path}/:id`,
      config,
      schema: {
        operationId: `${verb}Scim${name}`,
        params: ScimIdParams,
        querystring: ShownQuery,
        body: ScimBody,
        response: { 200: answerOf(resource), ...scimErrors(409, 412) },
      },
      handler: async (request, reply) => {
        const wanted = asked(request)
        const changed = await change(app.deps, provisioningOf(request, 200), {
          publicId: request.params.id,
          body: request.body,
          projection: wanted.projection,
        })
        return show(request, reply, { stored: changed, asked: wanted, kind: 'write' })
      },
    })

  app.delete(
    `${path}/:id`,
    {
      config,
      schema: {
        operationId: `deleteScim${name}`,
        params: ScimIdParams,
        response: scimDeletion(409, 412),
      },
    },
    async (request, reply) => {
      await resource.remove(app.deps, provisioningOf(request, 204), request.params.id)
      return reply.status(204).send()
    },
  )
}
