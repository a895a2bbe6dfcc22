/** All that a worker loads into the workflows' isolate. */
export { infrastructureRun } from './pipelines/infrastructure-run.ts'
export { checkGitConnections } from './git/check-git-connections.ts'
export { hydrateWorkspace } from './git/hydrate-workspace.ts'
export { initializeRepository } from './git/initialize-repository.ts'
export { reconcile } from './platform/reconcile.ts'
