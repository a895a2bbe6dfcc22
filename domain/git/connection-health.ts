/** How a connection is, in words for people. */
export type ConnectionHealth = {
  status: 'healthy' | 'invalid_token' | 'unreachable' | 'error'
  reason: string | null
}
