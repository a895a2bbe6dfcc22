import type { Environment } from './environment.ts'
import type { Secret } from './secret.ts'
import { readTemporalTls, type TemporalTls } from './temporal-tls.ts'
import { readTemporalUi, type TemporalUi } from './temporal-ui.ts'

export type TemporalConfig = Readonly<{
  address: string
  namespace: string
  tls: TemporalTls | undefined
  apiKey: Secret | undefined
  ui: TemporalUi | undefined
  uiUrl: string | undefined
}>

export function readTemporal({ values, faults, need, secret }: Environment): TemporalConfig {
  return {
    address: need('TEMPORAL_ADDRESS', 'npm start sets it; else host:7233'),
    namespace: values['TEMPORAL_NAMESPACE'] ?? 'cloud-control',
    tls: readTemporalTls(values, faults),
    apiKey: secret('TEMPORAL_API_KEY'),
    ui: readTemporalUi(values, faults),
    uiUrl: values['CC_TEMPORAL_UI_URL'],
  }
}
