import { building } from '../harness/git/application-of.ts'

const path = '.cloud-control/pipeline.yml'
const steps = `mkdir -p dist/hooks; cp page dist/page
for hook in install activate health; do
  printf '#!/bin/sh\\necho "$CC_PHASE on $CC_WORKSPACE"\\n' > dist/hooks/$hook
  chmod 755 dist/hooks/$hook
done`
const deploy = `deploy:
  strategy: careful
  strategies: { careful: { kind: canary, steps: [50, 100], bake: 0s, confirm: first } }
  hooks: { install: hooks/install, activate: hooks/activate, health: hooks/health }
`

/** A repository whose build makes the hooks, and which is deployed in two steps. */
export const shopFiles = (): Record<string, string> => ({
  [path]: `${building(steps)[path]}${deploy}`,
  page: 'one\n',
})
