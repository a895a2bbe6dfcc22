import type { FastifyReply } from 'fastify'
import { sessionDays } from '../../store/users/sessions.ts'
import { sessionCookie } from '../http/access.ts'

/** `httpOnly`: no script reads it. `SameSite=Lax`: no other site's form sends it (§5). `Secure`: never in the clear, wherever people come by https. */
export function setSessionCookie(reply: FastifyReply, value: string): void {
  const { production, baseUrl } = reply.server.deps.config
  void reply.setCookie(sessionCookie, value, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: production || baseUrl?.startsWith('https:') === true,
    maxAge: sessionDays * 24 * 3_600,
  })
}

export function clearSessionCookie(reply: FastifyReply): void {
  void reply.clearCookie(sessionCookie, { path: '/' })
}
