import type { FastifyReply } from 'fastify'
import { sessionDays } from '../../domain/access/session-days.ts'
import { isHttps, sessionCookieOf } from '../http/https.ts'

/** `httpOnly`: no script can read it. `SameSite=Lax`: no other site's form sends it. `Secure`: on https it is never sent in clear. */
export function setSessionCookie(reply: FastifyReply, value: string): void {
  const { config } = reply.server.deps
  void reply.setCookie(sessionCookieOf(config), value, {
    ...attributesOf(reply),
    maxAge: sessionDays * 24 * 3_600,
  })
}

/** With the same attributes: a browser ignores a `__Host-` cookie without `Secure`, also one that deletes it. */
export function clearSessionCookie(reply: FastifyReply): void {
  void reply.clearCookie(sessionCookieOf(reply.server.deps.config), attributesOf(reply))
}

const attributesOf = ({ server }: FastifyReply) => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax' as const,
  secure: server.deps.config.production || isHttps(server.deps.config),
})
