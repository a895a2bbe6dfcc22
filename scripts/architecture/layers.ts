/** The layers that each layer may import besides itself. `type x` allows only types of `x`. */
export const layers = {
  domain: [],
  config: [],
  contract: ['domain'],
  gateways: ['config', 'domain'],
  store: ['gateways', 'config', 'domain'],
  app: ['contract', 'store', 'gateways', 'config', 'domain'],
  workflows: ['contract', 'domain', 'type activities'],
  activities: ['contract', 'app', 'store', 'gateways', 'config', 'domain'],
  api: ['contract', 'app', 'store', 'gateways', 'config', 'domain'],
  runner: ['gateways', 'domain'],
  agent: ['domain'],
  worker: ['contract', 'activities', 'app', 'store', 'gateways', 'config', 'domain'],
  engines: ['gateways', 'config', 'domain'],
  scripts: ['api', 'engines', 'contract', 'app', 'store', 'gateways', 'config', 'domain'],
  console: [],
  bench: ['test', 'agent', 'scripts', 'engines', 'app', 'store', 'gateways', 'config', 'domain'],
  test: 'any',
} as const satisfies Record<string, readonly string[] | 'any'>

export type Layer = keyof typeof layers

/**
 * The layer of a file. Test files are in `test`, whatever their folder. Workflow contracts are a layer
 * of their own, because code that starts a workflow must not load the workflow itself.
 */
export function layerOf(path: string): Layer {
  if (path.endsWith('.test.ts') || /(^|\/)vite(st)?\.config\.ts$/.test(path)) return 'test'
  if (/^workflows\/[^/]+\/contract\.ts$/.test(path)) return 'contract'
  if (path === 'config.ts') return 'config'
  const [folder = ''] = path.split('/')
  if (!isLayer(folder)) throw new Error(`${path} is in no layer: name it in layers.ts`)
  return folder
}

const isLayer = (name: string): name is Layer => Object.hasOwn(layers, name)

/** Whether a file of layer `from` may import one of layer `to`. */
export function mayImport(from: Layer, to: Layer, isType: boolean): boolean {
  const allowed: readonly string[] | 'any' = layers[from]
  if (from === to || allowed === 'any' || allowed.includes(to)) return true
  return isType && allowed.includes(`type ${to}`)
}

/**
 * The noun of a file of `store/`. Undefined for files directly in `store/` and in `store/driver/`, which
 * all nouns use, and in `store/platform/`, which is for all organizations.
 */
export function storeNoun(path: string): string | undefined {
  const [layer, noun, ...rest] = path.split('/')
  if (layer !== 'store' || rest.length === 0 || noun === 'platform' || noun === 'driver')
    return undefined
  return noun
}
