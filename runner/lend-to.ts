import type { tofu } from '../gateways/tofu/tofu.ts'
import type { Port } from './port.ts'
import type { GrowingMask } from './read-inputs.ts'

/** Has the worker open its door to credentials, and directs the next step to it. */
export async function lendTo(
  tool: Pick<ReturnType<typeof tofu>, 'lend'>,
  port: Pick<Port, 'ask'>,
  masks: Pick<GrowingMask, 'add'>,
): Promise<void> {
  const { lent } = await port.ask('lend', {})
  if (!lent) return
  masks.add(lent.secrets)
  await tool.lend(lent)
}
