import type { Config } from '../../config.ts'

/** What a client's and a worker's connection have in common. */
export function connectionOptions({ temporal }: Config) {
  return {
    address: temporal.address,
    ...(temporal.tls && { tls: true as const }),
    ...(temporal.apiKey && { apiKey: temporal.apiKey.reveal() }),
  }
}
