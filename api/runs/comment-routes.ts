import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Tenant } from '../../store/driver/tenant.ts'
import { runComments } from '../../store/runs/run-comments.ts'
import { decodeCursor } from '../http/paging.ts'
import { Body, errors, Id, NextCursor, Page, Text, Time } from '../http/schemas.ts'
import { commentRun, presentComment } from './comment-run.ts'
import type { RunScope } from './run-scope.ts'
import { RunParams } from './schemas.ts'

const CommentBody = Type.Object({
  id: Id,
  user: Type.String({ description: 'Who wrote it.' }),
  text: Type.String(),
  createdAt: Time,
})

const pathOf = (noun: RunScope['noun']) => `/${noun.toLowerCase()}s/:id/runs/:runId/comments`

const targetOf =
  (place: RunScope['place']) =>
  async (tenant: Tenant, { id = 0, runId = 0 }: Record<string, number>) =>
    place(tenant, { id, runId })

/** What people say of a run. */
export const commentRoutes: FastifyPluginAsyncTypebox<RunScope> = async (app, scope) => {
  await app.register(listRoute, scope)
  await app.register(addRoute, scope)
}

const listRoute: FastifyPluginAsyncTypebox<RunScope> = async (app, { noun, place }) => {
  const { store } = app.deps

  app.get(
    pathOf(noun),
    {
      config: { access: 'read', target: targetOf(place) },
      schema: {
        operationId: `list${noun}RunComments`,
        description: 'Oldest first.',
        params: RunParams,
        querystring: Page,
        response: {
          200: Type.Object({ comments: Type.Array(CommentBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller, params, query: { limit = 50, cursor } }) => {
      const after = decodeCursor(cursor, 0)
      const found = await store.tenant(caller.organizationId, async (tenant) =>
        runComments(tenant).list(await place(tenant, params), { limit: limit + 1, after }),
      )
      const shown = found.slice(0, limit)
      const last = shown.at(-1)
      return {
        comments: shown.map(presentComment),
        nextCursor: found.length > limit && last ? String(last.id) : null,
      }
    },
  )
}

const addRoute: FastifyPluginAsyncTypebox<RunScope> = async (app, { noun, place }) => {
  const { store } = app.deps

  app.post(
    pathOf(noun),
    {
      config: {
        access: 'mutate_infra',
        target: targetOf(place),
      },
      schema: {
        operationId: `comment${noun}Run`,
        description:
          'Adds a comment to a run, whatever its state. It decides nothing, and is neither changed nor removed. Its author, who decided and who commented before get a mail. Refused with 409: `too_many_comments` (a run has at most 200).',
        params: RunParams,
        body: Body({ text: Text(4_000, 1) }),
        response: {
          201: Type.Object({ ok: Type.Literal(true), comment: CommentBody }),
          ...errors(409),
        },
      },
    },
    async ({ caller, params, body: { text } }, reply) => {
      const comment = await store.tenant(caller.organizationId, async (tenant) =>
        commentRun(tenant, caller, { run: await place(tenant, params), text }),
      )
      return reply.status(201).send({ ok: true as const, comment })
    },
  )
}
