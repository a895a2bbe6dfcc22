import { starters } from '../../../domain/manifest/starters.ts'
import { build } from './bad-manifest.ts'

/** Manifests that are accepted, with their warnings as lines of a log without the file's name. */
export const goodManifests: ReadonlyArray<{ name: string; yaml: string; warnings?: string[] }> = [
  { name: 'the shortest', yaml: build },
  ...starters.map(({ language, yaml }) => ({ name: `the starter for ${language}`, yaml })),
  {
    name: 'every key',
    yaml: `# Built and deployed by cloud-control.
---
version: 1
build:
  network: public # none (default) | public
  timeout: 20m
  memory: 2GiB
  secrets: [NPM_TOKEN]
  cache: [{ path: .npm, key: [package-lock.json] }]
  steps:
    - { name: test, run: "npm ci && npm test", workdir: ., env: { CI: "1" }, secrets: [NPM_TOKEN] }
    - name: build — größer
      timeout: 1200s
      run: |
        npm run build
        du -sh dist
  artifact: { path: dist, include: ["**"], exclude: ["**/*.map"] }
deploy:
  via: agents
  agents: { labels: { role: web, example.org/zone: a-1 } }
  strategy: canary
  strategies:
    canary: { kind: canary, steps: [5, 25, 100], bake: 2m, confirm: first, maxFailures: 1 }
    by two: { kind: rolling, batch: 2, pause: 0s, maxFailures: 0 }
    quarters: { kind: rolling, batch: 25% }
    swap: { kind: blue-green, confirm: each, keepOld: 24h }
    now: { kind: all-at-once, maxFailures: 3 }
  hooks:
    install: hooks/install
    activate: { path: hooks/activate, timeout: 1m, repeatable: true }
    health: { path: hooks/health, timeout: 30s }
    rollback: ./hooks/rollback
  hookTimeout: 5m
  health: { probe: { url: "https://www.example.org/health?deep=1", status: 204, every: 10s } }
  keep: 3
  outputs: [lb_dns]
`,
  },
  { name: 'lines that end as Windows ends them', yaml: build.replaceAll('\n', '\r\n') },
  { name: 'a byte order mark', yaml: `\uFEFF${build}` },
  { name: 'JSON', yaml: '{"version": 1, "build": {"artifact": {"path": "dist"}}}' },
  {
    name: 'aliases',
    yaml: `version: 1
build:
  steps:
    - run: make
      env: &env { A: x, B: y }
    - run: make test
      env: *env
  artifact: { path: dist }
`,
  },
  ...['Rolling update', 'blue_green', 'ALL AT ONCE', 'canary-strategy', 'Web servers'].map(
    (label) => ({
      name: `the strategy "${label}"`,
      yaml: `${build}deploy: { strategy: ${label}, strategies: { web-servers: { kind: rolling } } }\n`,
    }),
  ),
  { name: '1,000 lines', yaml: `${build}${'# x\n'.repeat(997)}` },
  {
    name: 'what is not used',
    yaml: `${build}deploy: { via: workspace, keep: 3 }\n`,
    warnings: [
      '4:27 deploy: "keep" is not used, because a run of the workspace deploys (via: workspace)',
    ],
  },
  {
    name: 'a secret for no step, and hooks without health',
    yaml: `version: 1
build:
  secrets: [A]
  artifact: { path: dist }
deploy:
  hooks: { activate: a }
`,
    warnings: [
      '3:13 build.secrets[0]: no step names "A" in its secrets, so none is given it',
      '6:10 deploy.hooks: there is no hook "health": a host counts as healthy once the others end with 0. Add it to notice a release that does not work',
    ],
  },
]
