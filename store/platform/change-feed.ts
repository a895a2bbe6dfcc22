import { EventEmitter } from 'node:events'
import { Client } from 'pg'
import type { DatabaseLogins } from '../../gateways/keyring/database-logins.ts'

/** Channels of PostgreSQL's NOTIFY: wake-ups without content, for readers that also poll. */
export type Channel =
  | 'cc_outbox'
  | 'cc_mail'
  | 'cc_notification'
  | 'cc_log'
  | 'cc_run'
  | 'cc_ingest'
  | 'cc_agent'

export type ChangeFeed = {
  /** Calls the listener with each payload until the returned function is called. */
  on(channel: Channel, listener: (payload: string) => void): () => void
  close(): Promise<void>
}

const channels: readonly Channel[] = [
  'cc_outbox',
  'cc_mail',
  'cc_notification',
  'cc_log',
  'cc_run',
  'cc_ingest',
  'cc_agent',
]

/** One LISTEN connection per process, reopened when it breaks. A missed notification costs a reader one poll. */
export function openChangeFeed({ cc_app: { url } }: DatabaseLogins): ChangeFeed {
  const emitter = new EventEmitter().setMaxListeners(0)
  let client: Client | undefined
  let closed = false
  let retry: NodeJS.Timeout | undefined

  const connect = async () => {
    if (closed) return
    const next = new Client({ connectionString: url.reveal(), keepAlive: true })
    const again = () => {
      if (client !== next) return
      client = undefined
      void next.end().catch(() => undefined)
      if (!closed) retry = setTimeout(() => void connect(), 500)
    }
    client = next
    next.on('error', again)
    next.on('end', again)
    next.on('notification', ({ channel, payload }) => emitter.emit(channel, payload ?? ''))
    try {
      await next.connect()
      for (const channel of channels) await next.query(`listen ${channel}`)
      // Wakes every reader: notifications may have been missed while the connection was down.
      for (const channel of channels) emitter.emit(channel, '')
    } catch {
      again()
    }
  }
  void connect()

  return {
    on(channel, listener) {
      emitter.on(channel, listener)
      return () => emitter.off(channel, listener)
    },
    async close() {
      closed = true
      clearTimeout(retry)
      const last = client
      client = undefined
      await last?.end().catch(() => undefined)
    },
  }
}
